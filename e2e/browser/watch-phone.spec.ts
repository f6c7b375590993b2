import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectAccessible, expectFresh } from '../page.ts'
import { signedCall, signedForm } from '../signed-call.ts'
import { isInside, openViewer, said, speak } from '../viewer.ts'

/** An address of this computer in a network: a page there is in no secure context without TLS. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const credentials = { appKey: 'phone-app', appSecret: 'canary-93aa17-phone-secret' }
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
test.describe.configure({ mode: 'serial' })
test.skip(address === undefined, 'this computer is in no network')
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder
let cid = ''
let pushUrl = ''

const call = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
  const { code, ret } = await signedCall(service.ready.baseUrl, credentials, `/local/${path}`, body)
  expect(code, path).toBe(200)
  return ret ?? {}
}
/** The same of the channel. */
const local = (path: string, body: object = {}) => call(path, { cid, ...body })
/** Nothing is cut off at the side, axe finds nothing, and each control of the page is reached by Tab and seen there. */
async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  const reached = new Set<string>()
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, textarea, select')]
    return all.flatMap((each) => {
      const isRadio = each instanceof HTMLInputElement && each.type === 'radio' && !each.checked
      if (isRadio || each.matches(':disabled, [tabindex="-1"]') || !each.checkVisibility({ visibilityProperty: true }))
        return []
      return [(each.dataset['stop'] = String(all.indexOf(each)))]
    })
  })
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab')
      const at = await page.evaluate(() => {
        const { activeElement: now } = document
        if (!(now instanceof HTMLElement) || now === document.body) return ''
        const { width, height } = now.getBoundingClientRect()
        return width > 0 && height > 0 ? (now.dataset['stop'] ?? '') : ''
      })
      reached.add(at)
      // What is gone meanwhile need not be reached.
      return page.evaluate(
        (missing) =>
          missing.flatMap((each) => {
            const found = document.querySelector(`[data-stop='${each}']`)
            return found?.checkVisibility({ visibilityProperty: true }) ? [found.outerHTML.slice(0, 200)] : []
          }),
        wanted.filter((each) => !reached.has(each)),
      )
    })
    .toEqual([])
}

test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-phone-'))
  const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0', '--bind-media', address!]
  service = await startCommand<ServiceReady>(['service/main.ts', '--data', data, ...ports], {
    ...process.env,
    SIDESTAGE_APP_KEY: credentials.appKey,
    SIDESTAGE_APP_SECRET: credentials.appSecret,
  })
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', {
    name: 'Phone',
    type: 0,
  })
  cid = ret!['cid'] as string
  pushUrl = ret!['pushUrl'] as string
  const form = (path: string, fields: Record<string, string>) =>
    signedForm(service.ready.imBaseUrl, credentials, path, fields)
  await form('/user/create.action', { accid: 'ana', token: 'token-of-ana' })
  const { chatroom } = await form('/chatroom/create.action', { creator: 'ana', name: 'phone' })
  await local('room/link', { roomid: (chatroom as { roomid: number }).roomid })
  encoder = startEncoder(pushUrl)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

test('over plain HTTP in the network a phone watches and chats, and what needs TLS is away or says so', async ({
  browser,
}) => {
  const page = await openViewer(browser, service.ready.mediaUrl, cid, phone)
  expect(page.url()).toContain(address)
  expect(await page.evaluate(() => window.isSecureContext)).toBe(false)
  await expectFresh(page, encoder.origin, 4000)
  await speak(page, 'from the sofa')
  const line = said(page).getByText('from the sofa')
  await expect(line).toBeVisible()
  await page.locator('.line').last().focus()
  await expect(page.getByRole('button', { name: 'Mention' })).toBeAttached()
  await expect(page.getByRole('button', { name: 'Copy' })).toBeHidden()
  await expect(page.getByRole('button', { name: /Sign in/ })).toBeHidden()
  for (const name of ['Tell me when it starts', 'Tell me next time'])
    await expect(page.getByRole('button', { name })).toBeHidden()
  await expectUsable(page)
  await page.context().close()
})

test('the picture that is held or late says so on a phone, and goes on by itself', async ({ browser }) => {
  const page = await openViewer(browser, service.ready.mediaUrl, cid, phone)
  await expectFresh(page, encoder.origin, 4000)
  await local('hold/now')
  await expect(page.getByText('Back in a moment')).toBeVisible()
  await expect(page.getByText('The last picture stays until then.')).toBeVisible()
  await expect(page.locator('.behind')).toBeHidden()
  await expectUsable(page)
  await local('hold/back')
  await expect(page.getByText('Back in a moment')).toBeHidden()
  await expectFresh(page, encoder.origin, 4000)
  await local('hold/update', { delaySeconds: 8 })
  await expect(page.getByText(/The delay grows to 8 s/)).toBeVisible()
  await expect(page.getByText(/The delay grows to 8 s/)).toBeHidden()
  await expect(page.locator('.behind')).toHaveText(/^(8|9|10)\.\d s behind$/)
  await expectUsable(page)
  await local('hold/update', { delaySeconds: 0 })
  await expectFresh(page, encoder.origin, 4000)
  await page.context().close()
})

test('every state of who may watch is read and used on a phone by keyboard', async ({ browser }) => {
  const page = await openViewer(browser, service.ready.mediaUrl, cid, phone)
  const heading = (name: string) => expect(page.getByRole('heading', { name, exact: true })).toBeVisible()
  await local('access/update', { mode: 'passphrase', passphrase: 'tape loops for all' })
  await heading('A passphrase is needed')
  await expectUsable(page)
  await local('access/update', { mode: 'links' })
  await heading('You need a link of your own')
  await expectUsable(page)
  const { linkId, url } = await local('access/addLink', { name: 'Robin' })
  await page.goto(`${service.ready.mediaUrl}${new URL(url as string).pathname}`)
  await isInside(page)
  await local('access/revokeLink', { linkId })
  await expect(page.getByText('The link that you came by was revoked')).toBeVisible()
  await expectUsable(page)
  await local('access/update', { mode: 'everybody', closed: true })
  await heading('Turned off')
  await expectUsable(page)
  await local('access/update', { closed: false })
  await call('access/updateLimits', { maxViewers: 1 })
  await expectFresh(page, encoder.origin, 4000)
  const second = await openViewer(browser, service.ready.mediaUrl, cid, phone)
  await expect(second.getByRole('heading', { name: 'Full at the moment' })).toBeVisible()
  await expectUsable(second)
  await second.context().close()
  await call('access/updateLimits', { maxViewers: 0 })

  await local('access/setSchedule', { next: Date.now() + 90 * 60_000, title: 'Requests until one' })
  await encoder.stop()
  await expect(page.getByText('Requests until one')).toBeVisible()
  await expect(page.getByText('This browser cannot tell you from here. The calendar file can.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Tell me when it starts' })).toBeHidden()
  await expectUsable(page)
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 4000)
  await page.context().close()
})

test('picture in picture is offered where the browser has it, by button and key', async ({ browser }) => {
  const page = await openViewer(browser, service.ready.mediaUrl, cid, { viewport: { width: 1280, height: 800 } })
  await expectFresh(page, encoder.origin, 4000)
  const button = page.getByRole('button', { name: /^Picture in picture/ })
  if (!(await page.evaluate(() => document.pictureInPictureEnabled))) {
    await expect(button).toBeHidden()
    // What a browser with windows does, as far as the page sees it.
    await page.evaluate(() => {
      Object.defineProperty(document, 'pictureInPictureEnabled', { value: true })
      HTMLVideoElement.prototype.requestPictureInPicture = function () {
        Object.defineProperty(document, 'pictureInPictureElement', { configurable: true, value: this })
        return Promise.resolve({} as PictureInPictureWindow)
      }
      document.exitPictureInPicture = () => {
        Object.defineProperty(document, 'pictureInPictureElement', { configurable: true, value: null })
        return Promise.resolve()
      }
    })
  }
  const isOut = (): Promise<boolean> =>
    page.evaluate(() => document.pictureInPictureElement !== null && document.pictureInPictureElement !== undefined)
  await page.mouse.move(300, 300)
  await button.click()
  await expect.poll(isOut).toBe(true)
  await page.keyboard.press('p')
  await expect.poll(isOut).toBe(false)
  await page.context().close()
})
