import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { signedCall, signedForm } from '../signed-call.ts'
import { isInside, openViewer } from '../viewer.ts'

const credentials = { appKey: 'small-app', appSecret: 'canary-51c2d8-small-secret' }
test.describe.configure({ mode: 'serial' })
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder
let cid = ''
const local = async (path: string, body: object): Promise<void> =>
  expect((await signedCall(service.ready.baseUrl, credentials, `/local/${path}`, body)).code, path).toBe(200)

test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-small-'))
  const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  service = await startCommand<ServiceReady>(['service/main.ts', '--data', data, ...ports], {
    ...process.env,
    SIDESTAGE_APP_KEY: credentials.appKey,
    SIDESTAGE_APP_SECRET: credentials.appSecret,
  })
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', {
    name: 'Small_screens',
    type: 0,
  })
  cid = ret!['cid'] as string
  const form = (path: string, fields: Record<string, string>) =>
    signedForm(service.ready.imBaseUrl, credentials, path, fields)
  await form('/user/create.action', { accid: 'ana', token: 'token-of-ana' })
  const { chatroom } = await form('/chatroom/create.action', {
    creator: 'ana',
    name: 'small',
    announcement: 'Requests until midnight. One each, please.',
  })
  await local('room/link', { cid, roomid: (chatroom as { roomid: number }).roomid })
  encoder = startEncoder(ret!['pushUrl'] as string)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
/** Where it is, whole and inside of what it stands in. */
async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).boundingBox()
  expect(box, selector).not.toBeNull()
  return box!
}
const size = async (page: Page, width: number, height: number): Promise<void> => {
  await page.setViewportSize({ width, height })
}

for (const locale of ['en-GB', 'zh-CN'])
  test(`above an open keyboard the picture stays whole, with the chat below it, in ${locale}`, async ({ browser }) => {
    const phone = { viewport: { width: 412, height: 915 }, hasTouch: true, isMobile: true, locale }
    const page = await openViewer(browser, service.ready.mediaUrl, cid, phone)
    await expect(page.locator('.sound')).toBeVisible()
    await isInside(page)
    for (const [width, height] of [
      [412, 470],
      [390, 490],
      [390, 450],
      [360, 350],
      [320, 300],
      [430, 360],
    ] as const) {
      await size(page, width, height)
      const [stage, chat, sound, field] = [
        await boxOf(page, '.stage'),
        await boxOf(page, '.chat'),
        await boxOf(page, '.sound'),
        await boxOf(page, '.composer input'),
      ]
      const at = `${width}x${height}`
      expect(stage.width, at).toBe(width)
      expect(stage.height, at).toBeGreaterThanOrEqual(Math.min((width * 9) / 16, height / 2) - 1)
      expect(chat.y, at).toBeGreaterThanOrEqual(stage.y + stage.height)
      // On one line, and nowhere cut.
      expect(sound.height, at).toBeLessThanOrEqual(44)
      expect(sound.x, at).toBeGreaterThan(stage.x)
      expect(field.y + field.height, at).toBeLessThanOrEqual(height)
      expect((await boxOf(page, '.log')).height, at).toBeGreaterThanOrEqual(40)
      await expect(page.locator('.lamp')).toBeInViewport({ ratio: 1 })
    }
    for (const [width, height] of [
      [568, 320],
      [667, 375],
      [844, 390],
      [844, 200],
    ] as const) {
      await size(page, width, height)
      const [stage, chat] = [await boxOf(page, '.stage'), await boxOf(page, '.chat')]
      expect(chat.x, `${width}x${height}`).toBeGreaterThanOrEqual(stage.x + stage.width)
      expect(stage.width / width, `${width}x${height}`).toBeGreaterThan(0.6)
      await expect(page.locator('.lamp')).toBeInViewport({ ratio: 1 })
    }
    await page.context().close()
  })

for (const locale of ['en-GB', 'zh-CN'])
  test(`the controls of a phone lie in the picture, whole and for a finger, in ${locale}`, async ({ browser }) => {
    const phone = { viewport: { width: 568, height: 320 }, hasTouch: true, isMobile: true, locale }
    const page = await openViewer(browser, service.ready.mediaUrl, 'f'.repeat(32), phone)
    // Without low delay there is a note of it among them.
    await page.context().route('**/*.flv*', (route) => route.abort())
    await page.goto(`${service.ready.mediaUrl}/watch/${cid}`)
    await expect(page.locator('.fell-back')).not.toBeEmpty({ timeout: 60_000 })
    await expect(page.locator('.behind')).toBeVisible()
    for (const [width, height] of [
      [568, 320],
      [640, 360],
      [844, 390],
      [360, 640],
      [320, 568],
    ] as const) {
      await size(page, width, height)
      const wrong = await page.evaluate(() => {
        const stage = document.querySelector('.stage')!.getBoundingClientRect()
        const all = [...document.querySelectorAll<HTMLElement>('.controls > *, .sound')]
        return all.flatMap((each) => {
          const { left, top, right, bottom, width: wide, height: high } = each.getBoundingClientRect()
          if (!each.checkVisibility() || each.textContent + each.ariaLabel === '') return []
          const isInside = left >= stage.left && right <= stage.right && top >= stage.top && bottom <= stage.bottom
          const isLarge = !(each instanceof HTMLButtonElement) || (wide >= 44 && high >= 44)
          return isInside && isLarge && each.scrollWidth <= each.clientWidth ? [] : [each.className]
        })
      })
      expect(wrong, `${width}x${height}`).toEqual([])
    }
    await page.context().close()
  })

test('a frame of any size has a whole picture with its lamp, a whole chat or none, and a gate to the end', async ({
  browser,
}) => {
  const host = createServer((request, response) => {
    const [width, height] = new URL(request.url!, 'http://x').searchParams.get('size')!.split('x')
    const frame = `${service.ready.mediaUrl}/embed/${cid}`
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><iframe src="${frame}" width="${width}" height="${height}" frameborder="0"></iframe>`)
  })
  host.listen(0, '127.0.0.1')
  await expect.poll(() => host.listening).toBe(true)
  const site = `http://localhost:${(host.address() as AddressInfo).port}`
  await local('access/update', { cid, mode: 'everybody', embedOrigins: [site] })
  // Through a proxy, as somebody else: who streams needs no passphrase.
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1400, height: 900 },
    extraHTTPHeaders: { via: '1.1 proxy' },
  })
  const page = await context.newPage()
  const frame = page.frameLocator('iframe')
  const inFrame = (selector: string): Promise<DOMRect> =>
    frame.locator(selector).evaluate((node) => node.getBoundingClientRect().toJSON() as DOMRect)
  for (const [width, height] of [
    [300, 200],
    [300, 400],
    [360, 360],
    [400, 225],
    [400, 450],
    [400, 700],
    [560, 320],
    [640, 360],
    [1000, 480],
  ] as const) {
    await page.goto(`${site}/?size=${width}x${height}`)
    const at = `${width}x${height}`
    await expect(frame.locator('.sound')).toBeVisible()
    await expect(frame.locator('.lamp')).toHaveText('ON AIR')
    const lamp = await inFrame('.lamp')
    const stage = await inFrame('.stage')
    expect(lamp.top, at).toBeGreaterThanOrEqual(stage.top)
    expect(lamp.right, at).toBeLessThanOrEqual(stage.right)
    expect(lamp.width, at).toBeGreaterThan(40)
    const beyond = await frame.locator('.controls > *').evaluateAll(
      (those, [left, right]) => {
        const boxes = those.map((one) => ({ name: one.ariaLabel ?? one.className, box: one.getBoundingClientRect() }))
        return boxes
          .filter(({ box }) => box.width > 0 && (box.left < left! || box.right > right!))
          .map(({ name }) => name)
      },
      [stage.left, stage.right],
    )
    expect(beyond, at).toEqual([])
    expect(Math.min(stage.width, (stage.height * 16) / 9) / width, at).toBeGreaterThan(0.55)
    if (!(await frame.locator('.chat').isVisible())) continue
    const chat = await inFrame('.chat')
    expect(chat.width, at).toBeGreaterThan(200)
    expect(chat.height, at).toBeGreaterThan(120)
    const out = await inFrame('.open-page')
    expect(out.right, at).toBeLessThanOrEqual(width)
    expect(out.bottom, at).toBeLessThanOrEqual(height)
    expect(await frame.locator('.open-page').evaluate((each) => each.scrollWidth - each.clientWidth), at).toBe(0)
  }
  await local('access/update', { cid, mode: 'passphrase', passphrase: 'tape loops for all', embedOrigins: [site] })
  for (const [width, height] of [
    [640, 360],
    [400, 300],
  ] as const) {
    await page.goto(`${site}/?size=${width}x${height}`)
    await frame.getByLabel('Passphrase', { exact: true }).fill('tape loops for all')
    await frame.getByRole('button', { name: 'Watch' }).click()
    // Another site without TLS: the browser keeps no cookie there.
    await expect(frame.getByText('this browser keeps nothing for this page')).toBeInViewport({ ratio: 1 })
    await expect(frame.getByRole('link', { name: 'Open the page' })).toBeInViewport({ ratio: 1 })
    for (const sign of await frame.locator('.gate-sign').all())
      if (await sign.isVisible()) expect((await sign.boundingBox())!.height).toBe(56)
  }
  await page.goto(`${site}/?size=640x500`)
  await expect(frame.locator('.gate-sign')).toBeVisible()
  const sign = (await frame.locator('.gate-sign').boundingBox())!
  expect([sign.width, sign.height]).toEqual([56, 56])
  await context.close()
  host.close()
})
