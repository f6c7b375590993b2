import { expect, test, type Locator, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectWithin } from '../pace.ts'
import { askForRecording, recordingCard } from '../recording.ts'
import { copyPushUrl, createChannel, endWithEncoder, expectFresh, mediaTime, openPage, pictureAge } from '../page.ts'

let app: RunningApp
let encoder: Encoder | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.beforeAll(async () => {
  app = await startApp()
})
test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  encoder = undefined
})
test.afterAll(async () => app?.dispose())

const liveLamp = /On air/i

/** What stands over the picture first when a button or label is pressed. */
const coverAfter = async (page: Page, pressed: Locator): Promise<string> => {
  await page.evaluate(() => {
    const before = document.querySelector('.preview .cover .title')?.textContent
    const first = new Promise<string>((resolve) => {
      new MutationObserver(() => {
        const title = document.querySelector('.preview .cover .title')?.textContent
        if (title && title !== before) resolve(title)
      }).observe(document.querySelector('.preview')!, { subtree: true, childList: true, characterData: true })
    })
    Object.assign(globalThis, { firstCover: first })
  })
  await pressed.click()
  return page.evaluate(() => (globalThis as unknown as { firstCover: Promise<string> }).firstCover)
}

test('a first stream: create, copy the address, push, watch by FLV and by HLS', async ({ page }) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'First_light')
  await endWithEncoder(page)
  const pushUrl = await copyPushUrl(page)
  await expect(page.getByText('Nothing is on air', { exact: true })).toBeVisible()

  // A second page holds the list, so that list, Studio and tally bar are timed at the same moment.
  const list = await page.context().newPage()
  await list.goto(app.ready.url.replace(/#.*/, '#/channels'))
  const row = list.getByRole('region', { name: 'Channels' }).getByRole('row').filter({ hasText: 'First_light' })
  await expect(row).toContainText(/Idle/i)

  encoder = startEncoder(pushUrl, { gopSeconds: 2 })
  // The pull address answers from the moment that the publish was accepted.
  const pull = `${app.ready.service.mediaUrl}/live/${cid}.flv`
  await expect.poll(async () => (await fetch(pull, { method: 'HEAD' })).status, { intervals: [20] }).toBe(200)
  const accepted = performance.now()
  await Promise.all([
    expect(row).toContainText(liveLamp),
    expect(page.getByRole('banner')).toContainText(liveLamp),
    expect(page.locator('.fill-live')).toHaveCount(1),
  ])
  expectWithin(performance.now() - accepted, 1_000)
  await list.close()

  await expectFresh(page, encoder.origin, 3_000)
  const flvTime = await mediaTime(page)
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(flvTime + 1)
  for (const name of ['Ingest bitrate', 'Frame rate', 'Key-frame gap', 'Preview delay', 'Viewers', 'Preview drops'])
    await expect(page.getByText(name, { exact: true })).toBeVisible()
  await expect(page.getByText('from ingest').first()).toBeVisible()
  await expect(page.getByText('from preview').first()).toBeVisible()

  // What is chosen opens anew, and nothing stopped.
  expect(await coverAfter(page, page.getByText('HLS, compatible'))).toBe('Loading the picture')
  await expectFresh(page, encoder.origin, 9_000)
  const hlsTime = await mediaTime(page)
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(hlsTime + 1)
  expect(await coverAfter(page, page.getByRole('button', { name: 'Pause' }))).toBe('Paused')
  // After a long pause the stream is given back.
  await expect.poll(() => page.evaluate(() => document.querySelector('video')!.readyState)).toBe(0)
  expect(await coverAfter(page, page.getByRole('button', { name: 'Play' }))).toBe('Loading the picture')
  await expectFresh(page, encoder.origin, 9_000)
})

test('the preview is at most 1.5 s behind live 10 s after joining a stream with 4 s GOPs', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Long_GOPs')
  await endWithEncoder(page)
  const pushUrl = await copyPushUrl(page)
  const url = page.url()
  await page.goto('about:blank')
  encoder = startEncoder(pushUrl, { gopSeconds: 4 })
  const { ready } = app
  await expect
    .poll(async () => (await fetch(`${ready.service.mediaUrl}/live/${url.slice(-32)}.flv`, { method: 'HEAD' })).status)
    .toBe(200)
  // Joining late in a GOP is the hard case: nearly 4 s of it are in the cache.
  await expect.poll(() => (Date.now() - (encoder?.origin ?? 0)) % 4_000, { intervals: [50] }).toBeGreaterThan(3_300)
  await page.goto(url)
  await expect.poll(() => pictureAge(page, encoder?.origin ?? 0)).toBeDefined()
  const joined = Date.now()
  await expect.poll(() => Date.now() - joined, { intervals: [250] }).toBeGreaterThan(10_000)
  const ages: number[] = []
  for (let sample = 0; sample < 20; sample++) {
    const age = await pictureAge(page, encoder.origin)
    if (age !== undefined) ages.push(age)
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(resolve)
        }),
    )
  }
  console.log(`behind live after 10 s: ${Math.min(...ages)} to ${Math.max(...ages)} ms`)
  expectWithin(Math.max(...ages), 1_500)
})

test('the picture comes back by itself when the encoder stops and returns', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Comes_back')
  await endWithEncoder(page)
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 3_000)
  await page.evaluate(() => {
    document.body.dataset['kept'] = 'yes'
  })
  await encoder.stop('SIGKILL')
  await expect(page.getByText(/Picture stopped at/)).toBeVisible()
  await expect(page.getByRole('banner')).toContainText(/Idle/i)
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 3_000)
  expect(await page.evaluate(() => document.body.dataset['kept'])).toBe('yes')
})

test('disabling cuts the running push within a second, and a refused push is explained', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Cut_me')
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl)
  await expect(page.getByRole('banner')).toContainText(liveLamp)
  await page.getByRole('button', { name: 'Disable channel…' }).click()
  const ended = new Promise<number>((resolve) => {
    encoder?.process.once('exit', () => resolve(Date.now()))
  })
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Disable/ })
    .click()
  const asked = Date.now()
  expectWithin((await ended) - asked, 1_500)
  await expect(page.getByText('This channel is disabled.', { exact: false })).toBeVisible()
  encoder = startEncoder(pushUrl)
  await expect(page.getByText('Push refused', { exact: false }).first()).toBeVisible()
})

test('the service is killed: the page says so within 2 s, and the same key works again', async ({ page }) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Survivor')
  await askForRecording(page, { format: 'MP4', filename: 'Survivor' })
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 3_000)
  const { execFileSync } = await import('node:child_process')
  const children = execFileSync('pgrep', ['-P', String(app.process.pid), '-f', 'out/main/service.js'])
    .toString()
    .trim()
    .split('\n')
  expect(children.length).toBe(1)
  const killed = performance.now()
  process.kill(Number(children[0]), 'SIGKILL')
  // As long as nobody vouches for it, no lamp says that a push will be recorded.
  const card = recordingCard(page)
  await expect(page.getByText(/service is restarting/i).first()).toBeVisible()
  expectWithin(performance.now() - killed, 2_000)
  expect(await card.innerText()).not.toMatch(/armed/i)
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  await encoder.stop('SIGKILL')
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 3_000)
  // What is kept of its pushes has the end that nobody could tell, once.
  const companion = await openCompanion(app)
  const { turns } = await companion.rpc.health.recent({ profileId: 'local', cid })
  companion.close()
  expect(turns.map(({ kind, detail }) => (kind === 'ended' ? detail : kind))).toEqual(['started', 'service', 'started'])
})
