import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { inEveryLook } from '../looks.ts'
import { openPage } from '../page.ts'
import { signedCall, signedForm } from '../signed-call.ts'
import { startStockProxy, type StockProxy } from '../../service/testing/stock-proxy.ts'

/** A second instance of the service stands in as the hosted one, without its extension operations. */
const credentials = { appKey: 'hosted-app', appSecret: 'canary-91d7aa-hosted-secret' }
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let hostedData = ''
let app: RunningApp
let hosted: ReadyCommand<ServiceReady>
let stock: StockProxy | undefined
let ana: LinkPerson
let roomid = 0
const messaging = (path: string, fields: Readonly<Record<string, string>>) =>
  signedForm(hosted.ready.imBaseUrl, credentials, path, fields)

test.beforeAll(async () => {
  hostedData = mkdtempSync(join(tmpdir(), 'sidestage-hosted-'))
  app = await startApp()
  hosted = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', hostedData, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    {
      ...process.env,
      SIDESTAGE_APP_KEY: credentials.appKey,
      SIDESTAGE_APP_SECRET: credentials.appSecret,
    },
  )
  stock = await startStockProxy(hosted.ready.baseUrl)
  for (const [accid, name] of [
    ['host', 'Host'],
    ['ana', '安娜 Ana'],
  ] as const)
    expect((await messaging('/user/create.action', { accid, name, token: `token-of-${accid}` })).code).toBe(200)
  const made = await messaging('/chatroom/create.action', { creator: 'host', name: 'Hosted night 深夜' })
  roomid = (made['chatroom'] as { roomid: number }).roomid
  ana = signInPerson(hosted.ready, 'ana', 'token-of-ana')
  await expect.poll(() => ana.online()).toBe(true)
})
test.afterAll(async () => {
  ana?.close()
  await app?.dispose()
  await stock?.close()
  await hosted?.stop()
  rmSync(hostedData, { recursive: true, force: true })
})

test('a hosted room is added by its number, receives its lines as copies, is moderated from a line, and names what is not given', async ({
  page,
}) => {
  await openPage(page, app)
  const origin = page.url().replace(/#.*/, '')
  await page.goto(`${origin}#/settings/profiles`)
  await page.getByRole('button', { name: 'Add hosted profile' }).click()
  const form = page.getByRole('dialog').or(page.locator('form')).last()
  await form.getByLabel('Profile name').fill('Twin')
  await form.getByLabel('Live base URL').fill(stock!.url)
  await form.getByLabel('Messaging base URL').fill(hosted.ready.imBaseUrl)
  await form.getByLabel('AppKey').fill(credentials.appKey)
  await form.getByLabel('AppSecret').fill(credentials.appSecret)
  await page.getByRole('button', { name: 'Add profile' }).click()
  // The list hears of the profile before the form has its answer, and the form holds the secret until then.
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByText('Twin').first()).toBeVisible()
  await page.getByRole('button', { name: /Profile/ }).click()
  await page
    .getByRole('menuitem', { name: 'Twin' })
    .or(page.getByRole('menuitemradio', { name: 'Twin' }))
    .or(page.getByRole('menuitemcheckbox', { name: 'Twin' }))
    .click()
  await expect(page.getByRole('banner')).toContainText('Twin')

  // The room by its number; nothing receives its lines yet.
  await page.goto(`${origin}#/room`)
  await page.getByLabel('Room number').fill(String(roomid))
  await page.getByRole('button', { name: 'Add room' }).click()
  await expect(page.getByRole('combobox', { name: 'Choose a room' })).toContainText('Hosted night 深夜')
  const source = page.getByRole('region', { name: 'Where lines come from' })
  await expect(source).toContainText('No receiver is on')
  await source.getByRole('button', { name: 'Start receiver' }).click()
  await expect(source).toContainText('Waiting for the first copy of this room.')
  await source.getByRole('button', { name: 'Copy address' }).click()
  await expect(source.getByText('Copied', { exact: true })).toBeVisible()
  const url = await page.evaluate(() => navigator.clipboard.readText())
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/copy$/)
  for (const missing of [
    'lines from before the receiver was on',
    'who comes and goes',
    'deleting a line',
    'held for review',
    'muted and blacklisted people',
    'slow mode',
  ])
    await expect(source).toContainText(missing)
  await inEveryLook(page, 'room-hosted-waiting', (language) =>
    expect(
      page.getByText(language === 'en' ? 'Waiting for the first copy of this room.' : '正在等待此聊天室的第一条抄送。'),
    ).toBeVisible(),
  )

  // The provider enters the address; somebody speaks at a client of the hosted service.
  expect((await signedCall(hosted.ready.baseUrl, credentials, '/local/copy/set', { url, kinds: [4] })).code).toBe(200)
  await ana.request('roomEnter', { roomid })
  const began = Date.now()
  await ana.request('roomSend', { roomid, type: 0, attach: 'Is this <b>live</b>? 你好', clientId: 'first' })
  const log = page.getByRole('log')
  const line = log.getByText('Is this <b>live</b>? 你好')
  await expect(line).toBeVisible()
  test.info().annotations.push({ type: 'line shown after', description: `${Date.now() - began} ms` })
  await expect(log).toContainText('安娜 Ana')
  await expect(source).toContainText('Lines come as message copies')
  await expect(page.getByText(/Online\s*1\b/).first()).toBeVisible()

  // A mute from the line, carried out by the hosted service.
  await line.click()
  await page
    .getByRole('button', { name: /^Mute \d/ })
    .first()
    .click()
  await expect
    .poll(async () =>
      JSON.stringify((await signedCall(hosted.ready.baseUrl, credentials, '/local/room/muted', { roomid })).ret),
    )
    .toContain('"accid":"ana"')
  await expect(log).toContainText('安娜 Ana muted for')
  await expect(ana.request('roomSend', { roomid, type: 0, attach: 'muted now', clientId: 'second' })).rejects.toThrow()
  // Somebody else lifts it: the notification of that comes as a copy too.
  const lift = { roomid: String(roomid), operator: 'host', target: 'ana', muteDuration: '0' }
  expect((await messaging('/chatroom/temporaryMute.action', lift)).code).toBe(200)
  await expect(log).toContainText('Timed mute of 安娜 Ana lifted')
  // Deletion is not offered.
  await line.click()
  await expect(page.getByRole('button', { name: 'Delete line' })).toHaveCount(0)

  // What is said from here stands once, though its copy comes too.
  await page.getByLabel('Say as host').fill('Hello from here')
  await page.getByRole('button', { name: 'Send' }).click()
  await ana.request('roomSend', { roomid, type: 0, attach: 'after that', clientId: 'third' })
  await expect(log.getByText('after that')).toBeVisible()
  await expect(log.getByText('Hello from here')).toHaveCount(1)

  // All of it is there after the page was left.
  await page.goto(`${origin}#/settings/copies`)
  await page.goto(`${origin}#/room`)
  await expect(log.getByText('Is this <b>live</b>? 你好')).toBeVisible()
  await source.getByRole('button', { name: 'Set-up and limits' }).click()
  await expect(source).toContainText('Copies are verified.')
  await inEveryLook(page, 'room-hosted', (language) =>
    expect(page.getByText(language === 'en' ? /^Lines come as message copies/ : /^发言来自消息抄送/)).toBeVisible(),
  )
  expect(await page.content()).not.toContain(credentials.appSecret)
  expect(app.log()).not.toContain(credentials.appSecret)
})
