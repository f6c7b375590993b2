import { expect, test, type BrowserContext, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { inEveryLook } from '../looks.ts'
import { expectWithin } from '../pace.ts'
import { expectAccessible, openPage, pictureAge } from '../page.ts'
import { openSeatBrowser, type SeatBrowser } from '../seat-page.ts'

/** Two computers: the streamer's lets moderators in over TLS, the moderator's app joins by the link, moderates, follows the room, and is put out. */
test.describe.configure({ mode: 'serial' })
let streamer: RunningApp
let moderator: RunningApp
let far: CompanionClient
let near: CompanionClient
let encoder: Encoder | undefined
let context: BrowserContext | undefined
let app: SeatBrowser
let roomid = 0
let cid = ''
let invitation: Awaited<ReturnType<CompanionClient['rpc']['seats']['invite']>>
const log = (page: Page) => page.getByRole('log')
const fill = async (page: Page, link: string, token: string): Promise<void> => {
  await page.getByLabel('Link of the invitation').fill(link)
  await page.getByLabel('Token', { exact: true }).fill(token)
}
/** Opens the room from the list. */
const openRoom = (page: Page) => page.getByRole('button', { name: 'Open Late night' }).click()

test.beforeAll(async ({ browser }) => {
  ;[streamer, moderator] = await Promise.all([startApp(), startApp()])
  ;[far, near] = await Promise.all([openCompanion(streamer), openCompanion(moderator)])
  const { rpc } = far
  cid = (await rpc.channels.create({ profileId: 'local', name: 'Night_Show' })).cid
  roomid = (await rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: 'Be kind' }))
    .roomid
  await rpc.rooms.link({ profileId: 'local', cid, roomid })
  await rpc.rooms.enter({ profileId: 'local', roomid, renew: false })
  await rpc.seats.makeCertificate({ names: [] })
  await rpc.seats.listen({ on: true, open: true, port: 0 })
  invitation = await rpc.seats.invite({ profileId: 'local', roomid, accid: 'mei', name: 'Mei' })
  encoder = startEncoder((await rpc.push.copy({ profileId: 'local', cid, part: 'url' })).text ?? '')
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  app = await openSeatBrowser(context)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  far?.close()
  near?.close()
  await context?.close()
  await Promise.all([streamer?.dispose(), moderator?.dispose()])
})

test('the app joins by the link after comparing the certificate, and shows picture and chat', async () => {
  const { page } = app
  await openPage(page, moderator)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Moderate' }).click()
  await expect(page.getByText('None yet.', { exact: false })).toBeVisible()
  const link = invitation.appLink ?? ''
  // As an address of the app that was opened: it fills the form, and its code does not stay.
  await page.goto(page.url().replace(/#.*/, `#/join?${link.split('?')[1]}`))
  await expect(page.getByLabel('Account (accid)')).toHaveValue('mei')
  await expect(page.getByLabel('Code of the invitation')).toHaveValue(invitation.code)
  expect(page.url()).toMatch(/#\/join$/)
  await fill(page, link.replace(/fp=..../, 'fp=0000'), invitation.token)
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByRole('alert')).toContainText('Another certificate than the one of the invitation')
  await fill(page, link, 'a wrong token')
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByRole('alert')).toContainText('Account, token or code were refused')
  await inEveryLook(page, 'join', async () => {
    await page.getByLabel(/^(Link of the invitation|邀请链接)/).fill(link)
    await expect(page.getByText(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)).toBeVisible()
  })
  await fill(page, link, invitation.token)
  await page.getByRole('button', { name: 'Join' }).click()

  await expect(page.getByRole('heading', { name: 'Late night' })).toBeVisible()
  expect(page.url()).toMatch(/\/\?joined=[0-9a-f]{16}#/)
  await expect(page.getByText('On air').first()).toBeVisible()
  await expect.poll(() => pictureAge(page, encoder?.origin ?? 0)).toBeDefined()
  await far.rpc.rooms.say({ profileId: 'local', roomid, text: 'Ana is the host' })
  await expect(log(page).getByText('Ana is the host')).toBeVisible()
  await page.keyboard.press('F9')
  await expect(page.getByText(/^Muted since .* by Mei\./)).toBeVisible()
  await page.keyboard.press('Shift+F9')
  await expect(page.getByText(/^Muted since .* by Mei\./)).toHaveCount(0)
  await expectAccessible(page)
  await page.screenshot({ path: 'out/screenshots/app/joined-room-dark-en.png' })
})

test('it follows the room to another channel without being loaded anew', async () => {
  const { page } = app
  await page.evaluate(() => Object.assign(globalThis, { isTheSame: true }))
  await far.rpc.rooms.link({ profileId: 'local', cid, roomid: null })
  await expect(page.getByText('No channel is linked to this room.')).toBeVisible()
  await expect(page.locator('video')).toHaveCount(0)
  await far.rpc.rooms.link({ profileId: 'local', cid, roomid })
  await expect.poll(() => pictureAge(page, encoder?.origin ?? 0)).toBeDefined()
  expect(await page.evaluate(() => 'isTheSame' in globalThis)).toBe(true)
})

test('the list opens the room again with one click; away and back of the streamer are said', async () => {
  const { page } = app
  await page.getByRole('button', { name: 'Rooms I moderate' }).click()
  await expect(page.getByRole('heading', { name: 'Rooms I moderate' })).toBeVisible()
  await inEveryLook(page, 'join-list', () => expect(page.getByText('Late night').first()).toBeVisible())
  await openRoom(page)
  await expect(log(page).getByText('Ana is the host')).toBeVisible()
  const [small] = await Promise.all([
    context!.waitForEvent('page'),
    page.getByRole('button', { name: 'Open in a window of its own' }).click(),
  ])
  await expect(log(small).getByText('Ana is the host')).toBeVisible()
  await small.close()
  const { port } = (await far.rpc.seats.board()).listener
  await far.rpc.seats.listen({ on: false, open: true, port })
  await expect(page.getByText('The connection to Sidestage was lost.', { exact: false })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('alert')).toContainText('The streamer’s computer does not answer')
  await expectAccessible(page)
  await page.screenshot({ path: 'out/screenshots/app/joined-offline-dark-en.png' })
  await far.rpc.seats.listen({ on: true, open: true, port })
  await expect(log(page).getByText('Ana is the host')).toBeVisible()
})

test('taking the seat back ends it within a second, and says so', async () => {
  const { page } = app
  await page.evaluate(() => {
    const kept = globalThis as unknown as { endedAt?: number }
    new MutationObserver(() => {
      if (document.body.innerText.includes('You are out of this room')) kept.endedAt ??= Date.now()
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  const began = Date.now()
  await far.rpc.seats.revoke({ id: invitation.seat.id })
  await expect(page.getByRole('alert')).toContainText('You are out of this room')
  await expect(log(page)).toHaveCount(0)
  expectWithin((await page.evaluate(() => (globalThis as unknown as { endedAt: number }).endedAt)) - began, 1_000)
  await expectAccessible(page)
  await page.screenshot({ path: 'out/screenshots/app/joined-ended-dark-en.png' })
  // Its token is refused, now and when it is tried once more.
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toContainText('You are out of this room')

  const again = await far.rpc.seats.inviteAgain({ id: invitation.seat.id })
  await page.getByLabel('Token', { exact: true }).fill(again.token)
  await page.getByLabel('Code of the invitation').fill(again.code)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(log(page).getByText('Ana is the host')).toBeVisible()
})

test('no token, code or session reached the page or its addresses, and a forgotten room is gone', async () => {
  const { page } = app
  const received = await app.received()
  expect(received).toContain('Ana is the host')
  for (const secret of [invitation.token, invitation.code, 'sidestage-door: account', streamer.dataDir])
    expect(received).not.toContain(secret)
  expect(received).not.toContain('"forbidden"')
  await page.getByRole('button', { name: 'Rooms I moderate' }).click()
  await page.getByRole('button', { name: 'Forget… Late night' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click()
  await expect(page.getByText('None yet.', { exact: false })).toBeVisible()
  expect(await near.rpc.joined.list()).toEqual([])
})
