import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectFresh } from '../page.ts'
import { signedCall } from '../signed-call.ts'
import { openViewer } from '../viewer.ts'

const credentials = { appKey: 'line-app', appSecret: 'canary-line-secret' }
let data = ''
let service: ReadyCommand<ServiceReady> | undefined
let encoder: Encoder | undefined
let line: Awaited<ReturnType<typeof startLine>> | undefined

/** A line to a free port of this computer: while it is blocked nothing comes or goes, and nothing is refused. */
async function startLine() {
  const lent = createServer().listen(0, '127.0.0.1')
  await once(lent, 'listening')
  const { port } = lent.address() as AddressInfo
  lent.close()
  await once(lent, 'close')
  const ends = new Set<Socket>()
  let isBlocked = false
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from)
      from.on('data', (bytes) => void to.write(bytes))
      from.on('error', () => undefined)
      from.on('close', () => {
        ends.delete(from)
        to.destroy()
      })
      if (isBlocked) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Where it leads to. */
    port,
    block(isNow: boolean): void {
      isBlocked = isNow
      for (const each of ends) {
        if (isNow) each.pause()
        else each.resume()
      }
    },
    stop(): void {
      server.close()
      for (const each of ends) each.destroy()
    },
  }
}

test.afterEach(async () => {
  line?.stop()
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

test('a line on which nothing comes for 18 s is not called slow, and has low delay when it is back', async ({
  browser,
}) => {
  test.setTimeout(300_000)
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-line-'))
  line = await startLine()
  const ports = ['--api-port', '0', '--media-port', String(line.port), '--rtmp-port', '0']
  service = await startCommand<ServiceReady>(['service/main.ts', '--data', data, ...ports, '--public-url', line.url], {
    ...process.env,
    SIDESTAGE_APP_KEY: credentials.appKey,
    SIDESTAGE_APP_SECRET: credentials.appSecret,
  })
  const { baseUrl } = service.ready
  const { ret } = await signedCall(baseUrl, credentials, '/app/channel/create', { name: 'Line', type: 0 })
  encoder = startEncoder(ret!['pushUrl'] as string)
  const page = await openViewer(browser, line.url, ret!['cid'] as string)
  await expectFresh(page, encoder.origin, 4000)
  const seen: string[] = []
  await page.exposeFunction('seen', (words: string) => void seen.push(words))
  await page.evaluate(() => {
    let before = ''
    setInterval(() => {
      const cover = document.querySelector<HTMLElement>('.cover')
      const kind = document.querySelector<HTMLElement>('.picture')?.dataset['kind']
      const note = document.querySelector('.fell-back')?.textContent
      const words = [kind, cover?.hidden ? '' : cover?.textContent, note].filter(Boolean).join(': ')
      if (words === before) return
      before = words
      ;(window as unknown as { seen(words: string): void }).seen(words)
    }, 50)
  })
  line.block(true)
  const from = performance.now()
  await expect.poll(() => performance.now() - from, { timeout: 30_000 }).toBeGreaterThan(18_000)
  line.block(false)
  await expectFresh(page, encoder.origin, 4000)
  await expect(page.locator('.cover')).toBeHidden()
  expect(seen.filter((words) => words.includes('slow'))).toEqual([])
  expect(seen.filter((words) => words.startsWith('hls'))).toEqual([])
  expect(seen).toContain('flv: The picture stopped. Trying again.')
})
