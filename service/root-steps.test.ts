import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { failingSteps, failureOf } from '../platform/testing/failing-steps.ts'
import { watchOpen } from '../platform/testing/left-open.ts'

const composed = [
  'root.ts',
  'base-parts.ts',
  'live-parts.ts',
  'people.ts',
  'data-folder.ts',
  'recording/recording.ts',
  'broadcasts/broadcast-service.ts',
  'messaging/messaging.ts',
]
const more = ['rooms/chatroom.ts', 'link/link.ts', 'listeners.ts']
const steps = failingSteps(...[...composed, ...more].map((file) => new URL(file, import.meta.url)))
const { createService } = await import('./root.ts')
const { silentLog } = await import('./log.ts')

const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-steps-'))
const anyPort = { host: '127.0.0.1', port: 0 }
const start = () =>
  createService({
    api: anyPort,
    media: anyPort,
    rtmp: anyPort,
    credentials: { appKey: 'key', appSecret: 'secret' },
    dataDir,
    log: silentLog,
    faults: true,
    watchDir: mkdtempSync(join(dataDir, 'page-')),
  })
const first = await start()
const all = [...new Set(steps.called)]
await first.close()
afterAll(() => rmSync(dataDir, { recursive: true }))

describe('a start of the service', () => {
  it('has the steps of its root', () => {
    expect(all).toEqual(expect.arrayContaining(['openDataFolder', 'lockDataDir', 'createHub', 'listenOn (2)']))
    expect(all.length).toBeGreaterThan(60)
  })

  it('leaves nothing open when it was closed', async () => {
    const watch = watchOpen()
    steps.from()
    const service = await watch.during(start)
    await service.close()
    expect(await watch.left()).toEqual([])
    watch.end()
  })

  it.each(all)('leaves no listener, timer, file or lock when %s fails', async (step) => {
    const watch = watchOpen()
    steps.from(step)
    const outcome = await watch.during(start).then(
      (service) => service.close(),
      (error: unknown) => error,
    )
    expect(outcome).toEqual(failureOf(step))
    expect(await watch.left()).toEqual([])
    watch.end()
  })
})
