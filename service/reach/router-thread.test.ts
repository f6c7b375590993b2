import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { patience } from './port-mapping.ts'
import type { Asked, Question } from './testing/router-asker.ts'

const run = promisify(execFile)
/** A network of its own, so that no router of the real one is asked. The device gets another one, at the end of a cable. */
const apart = process.getuid?.() === 0 ? ['-n'] : ['-rn']
const canRun =
  process.platform === 'linux' &&
  spawnSync('unshare', [...apart, 'unshare', '-n', 'ip', 'link', 'add', 'lan', 'type', 'veth'], { stdio: 'ignore' })
    .status === 0

/** Asks routers one after the other in a process like the service's. Rejects when that process ends by itself. */
async function ask(...questions: Question[]): Promise<Asked[]> {
  const program = join(import.meta.dirname, 'testing/router-asker.ts')
  const words = [...apart, process.execPath, program, JSON.stringify(questions)]
  const { stdout } = await run('unshare', words, { timeout: 60_000, killSignal: 'SIGKILL' })
  return JSON.parse(stdout) as Asked[]
}
const quiet = (mode: Question['mode']): Question => ({ mode, isNoisy: false })
const noisy = (mode: Question['mode']): Question => ({ mode, isNoisy: true })
const forwards = { state: 'open', protocol: 'upnp', address: '198.51.100.7', port: 8443 }

describe.skipIf(!canRun)('a router is asked in a thread, so that', () => {
  it('a description without an end costs neither memory nor the service', async () => {
    const [endless, good] = (await ask(quiet('endless'), quiet('router'))) as [Asked, Asked]
    // The thread has 56 MB at most; the rest is what it is started with.
    expect(endless.grownMb).toBeLessThan(200)
    expect(endless.ms).toBeLessThan(patience + 4000)
    expect(endless.state).toMatchObject({ state: 'failed', reason: 'noMapping' })
    expect(endless.state!.detail).toContain('more than is read')
    expect(endless.news.at(-1)).toMatchObject({ kind: 'left' })
    expect(good.state).toEqual(forwards)
  })

  it('one that comes by single bytes is left when the time is over', async () => {
    const [trickle] = (await ask(quiet('trickle'))) as [Asked]
    expect(trickle.state).toMatchObject({ state: 'failed', reason: 'noRouter' })
    expect(trickle.ms).toBeLessThan(patience + 4000)
    expect(trickle.grownMb).toBeLessThan(200)
    expect(trickle.news.at(-1)).toMatchObject({ kind: 'left' })
  })

  it('a renewal that is refused leaves no thread behind', async () => {
    const [asked] = (await ask({ mode: 'forgetful', isNoisy: false, renewals: 5 })) as [Asked]
    expect(asked.state).toEqual(forwards)
    const [first, ...later] = asked.threads as [number, ...number[]]
    expect(later.filter((count) => count > first)).toEqual([])
    const deeds = asked.news.flatMap((each) => (each.kind === 'mapped' ? [each.action] : []))
    expect(deeds.filter((action) => action === 'AddAnyPortMapping')).toHaveLength(1 + 2 * 5)
    expect(deeds.filter((action) => action === 'DeletePortMapping')).toHaveLength(6)
  })

  it('the default router is believed, however much faster another device answers', async () => {
    const [asked] = (await ask({ mode: 'late', isNoisy: false, others: ['router'] })) as [Asked]
    expect(asked.state).toEqual(forwards)
    expect(new Set(asked.news.filter(({ kind }) => kind === 'mapped').map(({ device }) => device))).toEqual(
      new Set([0]),
    )
  })

  it('another device is asked when the default router is silent, told as such, and delayed by no third', async () => {
    const [asked] = (await ask({ mode: 'absent', isNoisy: false, others: ['stuck', 'router'] })) as [Asked]
    expect(asked.state).toEqual({ ...forwards, address: '198.51.100.9', otherDevice: '192.168.79.2' })
    expect(asked.ms).toBeLessThan(patience)
  })

  it('packets that cannot be read hinder no router that can', async () => {
    const [first, again] = (await ask(noisy('router'), quiet('router'))) as [Asked, Asked]
    expect(first.state).toEqual(forwards)
    expect(again.state).toEqual(forwards)
    for (const { news } of [first, again])
      expect(news.flatMap((each) => (each.kind === 'mapped' ? [each.action] : []))).toContain('DeletePortMapping')
  })
})
