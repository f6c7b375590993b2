import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Browser, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectWithin } from '../pace.ts'
import { pictureClock } from '../page.ts'
import { signedCall } from '../signed-call.ts'

const credentials = { appKey: 'hold-app', appSecret: 'canary-hold-secret' }
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder | undefined

test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-hold-'))
  const options = { data, 'api-port': 0, 'rtmp-port': 0, 'media-port': 0 }
  service = await startCommand<ServiceReady>(
    ['service/main.ts', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
})
test.afterEach(() => encoder?.stop('SIGKILL'))
test.afterAll(async () => {
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

type Kind = 'low delay' | 'Steady' | 'HLS of the browser'
/** A watch page that gets its picture in this way, without the room. */
async function open(browser: Browser, kind: Kind, cid: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB' })
  await context.addInitScript((how) => {
    if (how === 'Steady') localStorage.setItem('sidestage-delay', 'steady')
    if (how !== 'HLS of the browser') return
    for (const name of ['MediaSource', 'ManagedMediaSource']) Reflect.deleteProperty(window, name)
  }, kind)
  const page = await context.newPage()
  await page.goto(`${service.ready.mediaUrl}/watch/${cid}`)
  return page
}
/** What a viewer saw at one moment. */
interface Seen {
  readonly at: number
  readonly clock: number
  readonly cover: string
}
const look = async (page: Page): Promise<Seen | undefined> => {
  const read = await pictureClock(page)
  const cover = await page
    .locator('.curtain')
    .evaluate((curtain: HTMLElement) => (curtain.hidden ? '' : curtain.querySelector('.cover')!.textContent))
  return read && { at: read.seen, clock: read.clock, cover }
}
/** Longest time in ms in which all moments were so, one after the other. */
function longest(seen: readonly Seen[], isSo: (now: Seen, before: Seen) => boolean): number {
  let most = 0
  let from: number | undefined
  for (const [index, now] of seen.entries()) {
    const before = seen[index - 1]
    if (!before || !isSo(now, before)) from = undefined
    else most = Math.max(most, now.at - (from ??= before.at))
  }
  return most
}

for (const kind of ['low delay', 'Steady', 'HLS of the browser'] as const)
  test(`words of a hold stand over a picture that stands, and over no other: ${kind}`, async ({ browser }) => {
    test.setTimeout(240_000)
    const call = (path: string, body: object) => signedCall(service.ready.baseUrl, credentials, path, body)
    const { ret } = await call('/app/channel/create', { name: kind.replaceAll(' ', ''), type: 0 })
    const [cid, pushUrl] = [ret!['cid'] as string, ret!['pushUrl'] as string]
    expect((await call('/local/hold/update', { cid, holdSeconds: 120 })).code).toBe(200)
    encoder = startEncoder(pushUrl)
    const page = await open(browser, kind, cid)
    const seen: Seen[] = []
    const note = async (): Promise<Seen | undefined> => {
      const now = await look(page)
      if (now) seen.push(now)
      return now
    }
    const moves = async (): Promise<boolean> => {
      const [before] = seen.slice(-1)
      const now = await note()
      return now !== undefined && before !== undefined && now.clock !== before.clock && now.cover === ''
    }
    const soon = { timeout: 60_000, intervals: [100] }
    await expect.poll(moves, soon).toBe(true)
    const begun = performance.now()
    await expect.poll(async () => (await note()) && performance.now() - begun > 10_000, soon).toBe(true)
    seen.length = 0

    await encoder.stop('SIGKILL')
    await expect.poll(async () => (await note())?.cover, soon).toBe('Back in a moment')
    const held = performance.now()
    await expect.poll(async () => (await note()) && performance.now() - held > 8_000, soon).toBe(true)
    encoder = startEncoder(pushUrl)
    await expect.poll(moves, soon).toBe(true)
    await expect.poll(async () => (await note()) && seen.at(-1)!.cover === '', soon).toBe(true)

    // Words over a moving picture, and none over one that stands, in ms.
    const over = longest(seen, (now, before) => now.clock !== before.clock && now.cover !== '')
    const without = longest(seen, (now, before) => now.clock === before.clock && now.cover === '')
    expectWithin(over, 1_500)
    expectWithin(without, 3_000)
    expect(new Set(seen.map(({ cover }) => cover))).toEqual(new Set(['', 'Back in a moment']))
    await page.context().close()
  })
