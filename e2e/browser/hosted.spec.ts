import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { createChannel, copyPushUrl, expectFresh, openPage } from '../page.ts'
import { signedCall } from '../signed-call.ts'
import { startStockProxy, type StockProxy } from '../../service/testing/stock-proxy.ts'

/** A second instance of the service stands in as the hosted one, without its extension operations. */
const credentials = { appKey: 'hosted-app', appSecret: 'canary-5f0c1d-hosted-secret' }
test.describe.configure({ mode: 'serial' })
let hostedData = ''
let app: RunningApp
let hosted: ReadyCommand<ServiceReady>
let stock: StockProxy | undefined
let encoder: Encoder | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
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
})
test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  encoder = undefined
})
test.afterAll(async () => {
  await app?.dispose()
  await stock?.close()
  await hosted?.stop()
  rmSync(hostedData, { recursive: true, force: true })
})

async function fillProfile(
  page: Page,
  values: { name: string; liveUrl: string; messagingUrl: string; appSecret: string },
): Promise<void> {
  const form = page.getByRole('dialog').or(page.locator('form')).last()
  await form.getByLabel('Profile name').fill(values.name)
  await form.getByLabel('Live base URL').fill(values.liveUrl)
  await form.getByLabel('Messaging base URL').fill(values.messagingUrl)
  await form.getByLabel('AppKey').fill(credentials.appKey)
  await form.getByLabel('AppSecret').fill(values.appSecret)
}

test('a hosted profile is added, each fault has its own sentence, and the secret never comes back', async ({
  page,
}) => {
  await openPage(page, app)
  await page.goto(page.url().replace(/#.*/, '#/settings/profiles'))
  await page.getByRole('button', { name: 'Add hosted profile' }).click()
  const { imBaseUrl } = hosted.ready
  const baseUrl = stock!.url
  const check = page.getByRole('button', { name: 'Check', exact: true }).last()

  await fillProfile(page, { name: 'Twin', liveUrl: baseUrl, messagingUrl: imBaseUrl, appSecret: 'not the secret' })
  await check.click()
  await expect(page.getByText('so the AppSecret is wrong', { exact: false })).toBeVisible()

  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => closed.once('listening', resolve))
  const dead = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
  await new Promise((resolve) => closed.close(resolve))
  await fillProfile(page, { name: 'Twin', liveUrl: dead, messagingUrl: imBaseUrl, appSecret: credentials.appSecret })
  await check.click()
  await expect(page.getByText('Nothing listens at this address: the connection was refused.')).toBeVisible()

  await fillProfile(page, {
    name: 'Twin',
    liveUrl: hosted.ready.mediaUrl,
    messagingUrl: imBaseUrl,
    appSecret: credentials.appSecret,
  })
  await check.click()
  await expect(page.getByText('The host answered, but not with this API.')).toBeVisible()

  await fillProfile(page, { name: 'Twin', liveUrl: baseUrl, messagingUrl: imBaseUrl, appSecret: credentials.appSecret })
  await check.click()
  await expect(page.getByText(/The service answered: \d+ channels?\./)).toBeVisible()
  await page.getByRole('button', { name: 'Add profile' }).click()
  // The list hears of the profile before the form has its answer, and the form holds the secret until then.
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByText('Twin').first()).toBeVisible()
  expect(await page.content()).not.toContain(credentials.appSecret)
  expect(app.log()).not.toContain(credentials.appSecret)
})

test('hosted channels are driven and their picture plays through the relay, with the age of polled tallies shown', async ({
  page,
}) => {
  await openPage(page, app)
  await page.getByRole('button', { name: /Profile/ }).click()
  await page
    .getByRole('menuitem', { name: 'Twin' })
    .or(page.getByRole('menuitemradio', { name: 'Twin' }))
    .or(page.getByRole('menuitemcheckbox', { name: 'Twin' }))
    .click()
  await expect(page.getByRole('banner')).toContainText('Twin')
  const cid = await createChannel(page, 'Hosted_show')
  const pushUrl = await copyPushUrl(page)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith('http')) asked.push(request.url())
  })
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 4_000)
  await page.getByText('HLS, compatible').click()
  await expectFresh(page, encoder.origin, 10_000)
  expect(asked.some((address) => address.includes('/media/') && address.includes('.m3u8'))).toBe(true)
  expect([...new Set(asked.map((address) => new URL(address).origin))]).toEqual([new URL(page.url()).origin])
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
  await expect(page.getByText(/Tallies asked for \d+ s ago\./)).toBeVisible()
  expect((await signedCall(hosted.ready.baseUrl, credentials, '/app/channelstats', { cid })).ret?.['name']).toBe(
    'Hosted_show',
  )
})

test('changing an address asks for the secret anew', async ({ page }) => {
  await openPage(page, app)
  await page.goto(page.url().replace(/#.*/, '#/settings/profiles'))
  await page.getByRole('listitem').filter({ hasText: 'Twin' }).getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog').or(page.locator('form')).last()
  await expect(form.getByLabel('AppSecret')).toHaveValue('')
  await form.getByLabel('Live base URL').fill('http://127.0.0.1:9')
  await expect(page.getByText('An address or the AppKey changed: enter the AppSecret again.')).toBeVisible()
})

test('of a host where nothing listens the fault is told once on each screen, what it gives is not said, and nothing is offered that it would have to do', async ({
  page,
}) => {
  await stock?.close()
  await hosted.stop()
  await openPage(page, app)
  await page.getByRole('button', { name: /Profile/ }).click()
  await page
    .getByRole('menuitem', { name: 'Twin' })
    .or(page.getByRole('menuitemradio', { name: 'Twin' }))
    .or(page.getByRole('menuitemcheckbox', { name: 'Twin' }))
    .click()
  await page.reload()
  const main = page.locator('main')
  const refused = main.getByText('Nothing listens at this address: the connection was refused.')
  const later = 'Possible when the service of this profile answers again.'
  const isOff = async (name: string): Promise<void> => {
    const button = main.getByRole('button', { name })
    await expect(button, name).toHaveAttribute('aria-disabled', 'true')
    await expect(button, name).toHaveAttribute('title', later)
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
  await expect(main.getByRole('button', { name: 'Try again' })).toBeVisible()
  await isOff('Create channel')
  await expect(refused).toHaveCount(1)
  await expect(main.getByText('does not give')).toHaveCount(0)
  for (const place of ['Studio', 'Recordings']) {
    await page.getByRole('navigation').getByRole('link', { name: place }).click()
    // The middle of the button is that of the first line of its sentence.
    const off = (): Promise<number> =>
      main.evaluate((node) => {
        const button = [...node.querySelectorAll('button')].find((each) => each.textContent?.includes('Try again'))
        const line = button?.closest('[role=alert]')?.querySelector('p')
        if (!button || !line) return Number.NaN
        const { top, height } = button.getBoundingClientRect()
        return Math.abs(
          top + height / 2 - line.getBoundingClientRect().top - parseFloat(getComputedStyle(line).lineHeight) / 2,
        )
      })
    await expect.poll(off, { message: place }).toBeLessThanOrEqual(1)
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Room' }).click()
  await expect(refused).toHaveCount(1)
  await isOff('Create room')
  await isOff('Add room')
})
