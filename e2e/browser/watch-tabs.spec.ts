import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { signedCall } from '../signed-call.ts'
import { openViewer } from '../viewer.ts'

const credentials = { appKey: 'tabs-app', appSecret: 'canary-tabs-secret' }
/** The browser has 6 connections to a host. */
const tabs = 8
/** Of those that play by low delay. */
const most = 4
let data = ''
let service: ReadyCommand<ServiceReady> | undefined
let encoder: Encoder | undefined

test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

test('each of many tabs of a browser has the state and a picture, some with more delay, which they say', async ({
  browser,
}) => {
  test.setTimeout(600_000)
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-tabs-'))
  service = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
  const { baseUrl, mediaUrl } = service.ready
  const { ret } = await signedCall(baseUrl, credentials, '/app/channel/create', { name: 'Tabs', type: 0 })
  const cid = ret!['cid'] as string
  encoder = startEncoder(ret!['pushUrl'] as string)

  const first = await openViewer(browser, mediaUrl, cid)
  await expect(first.locator('.lamp')).toHaveText('ON AIR')
  const pages = [first]
  while (pages.length < tabs) {
    const page = await first.context().newPage()
    await page.goto(first.url())
    pages.push(page)
  }
  const byKind = async (): Promise<Record<string, number>> => {
    const kinds = await Promise.all(pages.map((page) => page.locator('.picture').getAttribute('data-kind')))
    return Object.fromEntries(['flv', 'hls'].map((kind) => [kind, kinds.filter((each) => each === kind).length]))
  }
  await expect.poll(byKind).toEqual({ flv: most, hls: tabs - most })
  for (const page of pages) {
    // Those that play HLS from one address in one browser count once.
    await expect(page.locator('.viewers')).toHaveText(`${most + 1} watching`, { timeout: 60_000 })
    const isLow = (await page.locator('.picture').getAttribute('data-kind')) === 'flv'
    if (!isLow) await page.bringToFront()
    const note = isLow ? '' : 'More delay for now: other tabs of this browser have low delay.'
    await expect(page.locator('.fell-back')).toHaveText(note, { timeout: 30_000 })
  }
  // A hold is told in each.
  const hold = async (path: string): Promise<void> =>
    expect((await signedCall(baseUrl, credentials, `/local/hold/${path}`, { cid })).code).toBe(200)
  await hold('now')
  for (const page of pages) await expect(page.locator('.cover')).toContainText('Back in a moment', { timeout: 30_000 })
  await hold('back')
  for (const page of pages) await expect(page.locator('.cover')).toBeHidden({ timeout: 60_000 })

  const low = (await first.locator('.picture').getAttribute('data-kind')) === 'flv' ? first : pages[1]!
  pages.splice(pages.indexOf(low), 1)
  await low.close()
  // On a slow machine the line of a tab is too slow for low delay now and then, and it looks again after up to 75 s.
  await expect.poll(byKind, { timeout: 240_000 }).toEqual({ flv: most, hls: tabs - most - 1 })
})
