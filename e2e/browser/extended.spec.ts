import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startStockProxy, type StockProxy } from '../../service/testing/stock-proxy.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, endWithEncoder, expectFresh, openPage } from '../page.ts'
import { askForRecording, playAndSeek } from '../recording.ts'
import { signedCall, signedForm } from '../signed-call.ts'

/** A service elsewhere with the extension operations, and then the same one without them. */
const credentials = { appKey: 'extended-app', appSecret: 'canary-7be2a1-extended-secret' }
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'], viewport: { width: 1440, height: 900 } })
const data = mkdtempSync(join(tmpdir(), 'sidestage-extended-'))
let app: RunningApp
let far: ReadyCommand<ServiceReady>
let stock: StockProxy
let companion: CompanionClient
let encoder: Encoder | undefined
let cid = ''

test.beforeAll(async () => {
  app = await startApp()
  far = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
  stock = await startStockProxy(far.ready.baseUrl)
  stock.extend(true)
  companion = await openCompanion(app)
  const { imBaseUrl: messagingUrl } = far.ready
  await companion.rpc.profiles.add({ name: 'Own elsewhere', liveUrl: stock.url, messagingUrl, ...credentials })
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  companion?.close()
  await app?.dispose()
  await stock?.close()
  await far?.stop()
  rmSync(data, { recursive: true, force: true })
})

const local = (path: string, fields: object) => signedCall(far.ready.baseUrl, credentials, `/local/${path}`, fields)
const screen = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true })
async function choose(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Profile/ }).click()
  await page
    .getByRole('menuitem', { name: 'Own elsewhere' })
    .or(page.getByRole('menuitemradio', { name: 'Own elsewhere' }))
    .or(page.getByRole('menuitemcheckbox', { name: 'Own elsewhere' }))
    .click()
  await expect(page.getByRole('banner')).toContainText('Own elsewhere')
}

test('a push elsewhere has its health, hold, targets and log; its room has mutes that end and held lines', async ({
  page,
}) => {
  await openPage(page, app)
  await choose(page)
  cid = await createChannel(page, 'Far_show')
  await endWithEncoder(page)
  await askForRecording(page, { format: 'FLV', filename: 'far' })
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 4_000)
  await expect(page.locator('[data-health]').first()).not.toHaveAttribute('data-health', 'unknown')
  await expect(page.locator('[data-part="hold"]')).toBeVisible()
  await expect(page.locator('[data-part="targets"]')).toBeVisible()
  await expect(page.locator('[data-part="log"]')).toContainText('Push started')
  await expect(page.getByText('A hosted service gives no ingest figures.')).toHaveCount(0)

  const dock = page.getByRole('complementary', { name: 'Chat of the channel' })
  await dock.getByRole('button', { name: 'Use another room' }).click()
  await dock.getByRole('button', { name: 'New room…' }).click()
  await page.getByLabel('Host account (accid)').fill('host')
  await page.getByLabel('Name', { exact: true }).fill('far room')
  await page.getByRole('button', { name: 'Create room' }).click()
  await expect(dock.getByRole('log')).toContainText('host entered')
  const { roomid } = (await local('room/linked', { cid })).ret as { roomid: number }
  const messaging = (path: string, fields: Readonly<Record<string, string>>) =>
    signedForm(far.ready.imBaseUrl, credentials, path, fields)
  expect((await messaging('/user/create.action', { accid: 'ana', name: 'Ana', token: 'token-of-ana' })).code).toBe(200)
  expect((await local('words/set', { words: ['cheap'], hold: true })).code).toBe(200)
  const say = async (attach: string): Promise<void> => {
    const line = { roomid: String(roomid), msgId: attach, fromAccid: 'ana', msgType: '0', attach }
    expect((await messaging('/chatroom/sendMsg.action', line)).code).toBe(200)
  }
  await screen(page, 'Room').click()
  await say('is this live?')
  await say('buy cheap cameras')
  const log = page.getByRole('log')
  await expect(log).toContainText('is this live?')
  await expect(log).not.toContainText('buy cheap cameras')
  await page
    .getByRole('button', { name: /^Held/ })
    .or(page.getByRole('tab', { name: /^Held/ }))
    .first()
    .click()
  const held = page.getByRole('region').filter({ hasText: 'buy cheap cameras' }).last()
  await held.getByRole('button', { name: /^Allow|^Let through|^Release/ }).click()
  await expect.poll(async () => (await local('room/held', { roomid })).ret).toMatchObject({ list: [] })
  await page
    .getByRole('button', { name: /^Chat/ })
    .or(page.getByRole('tab', { name: /^Chat/ }))
    .first()
    .click()
  await expect(log).toContainText('buy cheap cameras')
  await log.getByText('is this live?').click()
  await page
    .getByRole('button', { name: /^Mute \d/ })
    .first()
    .click()
  await expect(log).toContainText('Ana muted for')
  await expect
    .poll(async () => (await local('room/muted', { roomid })).ret)
    .toMatchObject({ list: [{ accid: 'ana', permanent: false }] })
  // A line is deleted, which only the extension operations can.
  await log.getByText('buy cheap cameras').click()
  await page.getByRole('button', { name: 'Delete line' }).click()
  await expect(log).toContainText(/Removed/)
})

test('what was recorded there is listed with its length and played here', async ({ page }) => {
  await expect
    .poll(async () => (await local('recording/state', { cid })).ret)
    .toMatchObject({ state: 'recording', recorded: expect.any(Number) as unknown })
  await encoder?.stop('SIGKILL')
  encoder = undefined
  await openPage(page, app)
  await choose(page)
  await screen(page, 'Recordings').click()
  const row = page.getByRole('row').filter({ hasText: 'FLV' }).first()
  await expect(row).toBeVisible()
  expect(await playAndSeek(page, row)).toBeGreaterThan(1)
})

test('of a service without the extension operations the screens say what it does not give', async ({ page }) => {
  await openPage(page, app)
  await choose(page)
  await screen(page, 'Recordings').click()
  await expect(page.getByText('A hosted service', { exact: false })).toHaveCount(0)
  stock.extend(false)
  await screen(page, 'Channels').click()
  await expect(page.getByText(/Tallies asked for \d+ s ago\./)).toBeVisible()
  await page.goto(page.url().replace(/#.*/, `#/studio/${cid}`))
  await expect(page.locator('[data-part="goLive"]')).toBeVisible()
  await expect(page.locator('[data-part="hold"]')).toHaveCount(0)
  await expect(page.locator('[data-part="targets"]')).toHaveCount(0)
  // It is extended again where it answers so.
  stock.extend(true)
  await companion.rpc.profiles.test({ profileId: await profileId() })
  await expect(page.locator('[data-part="hold"]')).toBeVisible()
})

async function profileId(): Promise<string> {
  for await (const event of await companion.rpc.app.events())
    if (event.type === 'profiles') return event.profiles.find(({ kind }) => kind === 'hosted')!.id
  throw new Error('no profile')
}
