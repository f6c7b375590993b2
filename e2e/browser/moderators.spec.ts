import { expect, test, type Browser, type BrowserContext, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { inEveryLook } from '../looks.ts'
import { expectWithin } from '../pace.ts'
import { copyPushUrl, createChannel, expectAccessible, openPage, pictureAge } from '../page.ts'
import { openSeatBrowser, seatInEveryLook, type SeatBrowser } from '../seat-page.ts'

/** A moderator in another browser: invited, let in, moderating under their own name, and out at once when the seat is taken back. */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
const canary = 'canary-of-another-app-secret'
let app: RunningApp
let companion: CompanionClient
let encoder: Encoder | undefined
let lee: LinkPerson
let zed: LinkPerson
let context: BrowserContext | undefined
let mei: SeatBrowser
let roomid = 0
let cid = ''
let pushUrl = ''
let told = 0
const invitation = { link: '', code: '', token: '' }

test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
  const service = { liveUrl: 'https://live.example', messagingUrl: 'https://im.example', appKey: 'k' }
  await companion.rpc.profiles.add({ name: 'Hidden service', ...service, appSecret: canary })
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  for (const person of [lee, zed]) person?.close()
  companion?.close()
  await context?.close()
  await app?.dispose()
})

const say = (person: LinkPerson, attach: string) =>
  person.request('roomSend', { roomid, type: 0, attach, clientId: `c${told++}` })
const settings = (page: Page) => page.goto(page.url().replace(/#.*/, '#/settings/moderators'))
const value = (page: Page, name: RegExp): Promise<string> =>
  page
    .getByRole('region', { name: 'Invitation for Mei' })
    .locator('div', { has: page.getByText(name) })
    .locator('dd')
    .first()
    .innerText()
const signIn = async (page: Page, token: string, accid = 'mei'): Promise<void> => {
  await page.getByLabel('Account (accid)').fill(accid)
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
const openSeat = async (browser: Browser): Promise<void> => {
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  mei = await openSeatBrowser(context)
}
const log = (page: Page) => page.getByRole('log')

test('the streamer turns the listener on and invites a moderator, whose invitation is shown once', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Hidden_Show')
  cid = await createChannel(page, 'Night_Show')
  pushUrl = await copyPushUrl(page)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: 'Be kind' })
  ).roomid
  await companion.rpc.rooms.create({ profileId: 'local', accid: 'bob', name: 'Hidden room', announcement: '' })
  await companion.rpc.rooms.link({ profileId: 'local', cid, roomid })
  await companion.rpc.rooms.enter({ profileId: 'local', roomid, renew: false })

  await settings(page)
  await expect(page.getByText('Off. Nobody can come in.')).toBeVisible()
  // This computer has none, so what a restart does to moderators is said.
  await expect(page.getByRole('note')).toContainText('There is no keychain here: tokens of moderators')
  await page.getByRole('radio', { name: 'Also others' }).click()
  await expect(page.getByText('Others are let in over an encrypted connection only.', { exact: false })).toBeVisible()
  await expect(page.getByText('The moderator must reach this computer', { exact: false })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Start listening' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('radio', { name: 'This computer only' }).click()
  await page.getByLabel('Port').fill('0')
  await page.getByRole('button', { name: 'Start listening' }).click()
  await expect(page.getByText('Listening', { exact: true })).toBeVisible()
  await inEveryLook(page, 'settings-moderators', () => expect(page.getByRole('combobox').first()).toBeVisible())

  await page.getByLabel(/^Room/).selectOption({ label: `Late night · ${roomid}` })
  await page.getByLabel('Account (accid)').fill('Mei')
  await page.getByLabel('Name', { exact: true }).fill('Mei')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const made = page.getByRole('region', { name: 'Invitation for Mei' })
  await expect(made).toBeVisible()
  expect(await value(page, /^Token$/)).toMatch(/^•+$/)
  await made.getByRole('button', { name: 'Copy token' }).click()
  await expect(made.getByText('Copied.')).toBeVisible()
  invitation.token = await page.evaluate(() => navigator.clipboard.readText())
  expect(await value(page, /^Token$/)).toMatch(/^•+$/)
  await made.getByRole('button', { name: 'Show code and token' }).click()
  invitation.link = await value(page, /^Link for a browser$/)
  expect(await value(page, /^Link for Sidestage$/)).toBe(
    `sidestage://join?host=${new URL(invitation.link).host}&accid=mei&code=${await value(page, /^Code/)}`,
  )
  invitation.code = await value(page, /^Code/)
  expect(await value(page, /^Token$/)).toBe(invitation.token)
  expect(invitation.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=/)
  expect(invitation.link).toContain(invitation.code)
  await inEveryLook(page, 'settings-moderators-invited', () =>
    expect(page.getByText(/^(Invited|已邀请)$/)).toBeVisible(),
  )
  await page.getByRole('button', { name: 'Done, hide it' }).click()
  await expect(made).toHaveCount(0)
  expect(await page.content()).not.toContain(invitation.token)
  await expect(page.getByText(/^Code good until/)).toBeVisible()
})

test('the link opens a sign-in whose code leaves the address; a wrong token is refused and slowed, the right one lets in', async ({
  browser,
}) => {
  await openSeat(browser)
  const { page } = mei
  await page.goto(invitation.link)
  await expect(page.getByRole('heading', { name: 'Sign in as a moderator' })).toBeVisible()
  expect(page.url()).not.toContain('code')
  await expect(page.getByLabel('Code of the invitation')).toHaveValue(invitation.code)
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await seatInEveryLook(page, 'moderator-sign-in', () =>
    expect(page.getByRole('button', { name: /^(Sign in|登录)$/ })).toBeVisible(),
  )
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert')).toHaveText('Enter account and token.')
  const wait = page.getByText(/^Several sign-ins failed\. The next one counts in \d+ s\.$/)
  // From the third failure on each wait is twice as long as the one before, so one of them is long enough to be seen.
  await expect(async () => {
    await signIn(page, 'a wrong token')
    await expect(page.getByRole('alert')).toContainText('Account, token or code are not right')
    await expect(wait).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 120_000 })
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toHaveAttribute('aria-disabled', 'true')
  await expect(wait).toHaveCount(0)
  await expect(async () => {
    if (await page.getByRole('button', { name: 'Sign in', exact: true }).isVisible())
      await signIn(page, invitation.token)
    await expect(page.getByRole('heading', { name: 'Late night' })).toBeVisible({ timeout: 10_000 })
  }).toPass({ timeout: 120_000 })
  // The code was used: it is worth nothing to who finds it.
  const { seats, listener } = await companion.rpc.seats.board()
  expect(seats).toMatchObject([{ accid: 'mei', state: 'active', codeUntil: null, pages: 1 }])
  expect(listener.failures).toBeGreaterThanOrEqual(3)
})

test('the moderator sees the picture and the chat, and mutes and deletes by keyboard under their own name', async ({
  page: streamer,
}) => {
  const { page } = mei
  for (const accid of ['lee', 'zed'])
    await companion.call('/user/create.action', {
      accid,
      name: accid === 'lee' ? 'Lee' : 'Zed',
      token: `token-of-${accid}`,
    })
  await companion.call('/chatroom/setMemberRole.action', {
    roomid,
    operator: 'ana',
    target: 'zed',
    opt: 1,
    optvalue: true,
  })
  lee = signInPerson(app.ready.service, 'lee', 'token-of-lee')
  zed = signInPerson(app.ready.service, 'zed', 'token-of-zed')
  await expect.poll(() => lee.online() && zed.online()).toBe(true)
  for (const person of [lee, zed]) await person.request('roomEnter', { roomid })
  encoder = startEncoder(pushUrl)
  await expect(page.getByText('On air').first()).toBeVisible()
  await expect.poll(() => pictureAge(page, encoder?.origin ?? 0)).toBeDefined()

  await say(zed, 'Zed is a moderator too')
  await companion.rpc.rooms.say({ profileId: 'local', roomid, text: 'Ana is the host' })
  await say(lee, 'read http://links.example/x')
  await say(lee, 'a rude line')
  await expect(log(page).getByText('a rude line')).toBeVisible()
  await seatInEveryLook(page, 'moderator-room', () => expect(log(page).getByText('a rude line')).toBeVisible())

  await log(page).getByText('a rude line').click()
  await page.keyboard.press('d')
  await expect(log(page).getByText('Removed · Mei')).toBeVisible()
  await page.keyboard.press('m')
  await expect(log(page).getByText(/^Lee muted for .* by /)).toBeVisible()
  await expect(say(lee, 'can I speak?')).rejects.toThrow()
  await page.keyboard.press('F9')
  await expect(page.getByText(/^Muted since .* by Mei\./)).toBeVisible()
  await page.keyboard.press('Shift+F9')
  await expect(page.getByText(/^Muted since .* by Mei\./)).toHaveCount(0)
  await page.keyboard.press('c')
  await page.keyboard.type('good evening')
  await page.keyboard.press('Enter')
  await expect(log(page).getByText('good evening')).toBeVisible()
  await expect.poll(() => lee.of('roomMessage').find(({ attach }) => attach.includes('good evening'))?.from).toBe('mei')

  await openPage(streamer, app)
  await streamer.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await streamer.getByRole('combobox', { name: 'Choose a room' }).selectOption(String(roomid))
  await expect(log(streamer).getByText('good evening')).toBeVisible()
  await streamer.getByRole('button', { name: 'Log', exact: true }).click()
  const rows = streamer.getByRole('region', { name: 'Log' }).getByRole('row')
  for (const what of ['Line deleted', 'Timed mute', 'Room mute'])
    await expect(rows.filter({ hasText: 'mei' }).filter({ hasText: what }).first()).toBeVisible()
  await settings(streamer)
  const seat = streamer.getByRole('listitem').filter({ hasText: 'Mei' })
  await expect(seat.getByText('Said something', { exact: false })).toBeVisible()
  await expect(seat.getByText('127.0.0.1 · Chrome, Linux')).toBeVisible()
  await expect(seat.getByText('1 page open · 1 browser signed in')).toBeVisible()
})

test('the host and other moderators cannot be targeted, which is said; what is not a moderator’s is not there', async () => {
  const { page } = mei
  const card = page.getByRole('region', { name: 'User card' })
  await log(page).getByText('Ana is the host').click()
  await page.keyboard.press('u')
  await expect(card.getByText('Nobody can do this to the host.')).toBeVisible()
  await log(page).getByText('Zed is a moderator too').click()
  await page.keyboard.press('u')
  await expect(card.getByText('Only the host can do this to a moderator.', { exact: false })).toBeVisible()
  await page.keyboard.press('m')
  await page.keyboard.press('t')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  for (const name of [
    'Statistics',
    'Sign-ins',
    'Unset moderator',
    'Make moderator',
    'Export CSV',
    'Second of the recording',
  ])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await expect(page.getByLabel('Private note')).toHaveCount(0)
  for (const tab of [/^People/, /^Muted, blacklisted/, /^Held/, 'Log', 'Chat']) {
    await page.getByRole('button', { name: tab }).first().click()
    await expectAccessible(page)
  }
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys of the Room' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
})

test('a link of a line opens in the moderator’s own browser after a yes, and learns nothing of the page', async () => {
  const { page } = mei
  let referrer: string | undefined = 'not asked'
  await context!.route('http://links.example/**', async (route) => {
    referrer = route.request().headers()['referer']
    await route.fulfill({ contentType: 'text/html', body: '<title>elsewhere</title>' })
  })
  await log(page).getByRole('button', { name: 'http://links.example/x' }).click()
  const [opened] = await Promise.all([
    context!.waitForEvent('page'),
    page.getByRole('dialog').getByRole('button', { name: 'Open' }).click(),
  ])
  await expect(opened).toHaveTitle('elsewhere')
  expect(referrer).toBeUndefined()
  expect(await opened.evaluate(() => window.opener === null)).toBe(true)
  await opened.close()
})

test('who signs out is out, and comes back with account and token alone', async () => {
  const { page } = mei
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText('You are signed out.')).toBeVisible()
  await expect(log(page)).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in as a moderator' })).toBeVisible()
  await expect(page.getByLabel('Code of the invitation')).toHaveValue('')
  await signIn(page, invitation.token)
  await expect(log(page).getByText('Ana is the host')).toBeVisible()
})

test('taking the seat back ends the page within a second, and nobody comes back with what was handed over', async ({
  page: streamer,
}) => {
  const { page } = mei
  await openPage(streamer, app)
  await settings(streamer)
  await streamer.getByRole('button', { name: 'Take back… Mei' }).click()
  const dialog = streamer.getByRole('dialog')
  await expect(
    dialog.getByText('The account mei stops being a moderator of the room', { exact: false }).last(),
  ).toBeVisible()
  await expectAccessible(streamer)
  await page.evaluate(() => {
    const kept = globalThis as unknown as { endedAt?: number }
    new MutationObserver(() => {
      if (
        document.querySelector('[role="log"]') === null &&
        document.body.innerText.includes('Your seat was taken back')
      )
        kept.endedAt ??= Date.now()
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  const began = Date.now()
  await dialog.getByRole('button', { name: 'Take back' }).click()
  await expect(
    page.getByText('Your seat was taken back, or this browser was signed out.', { exact: false }),
  ).toBeVisible()
  await expect(log(page)).toHaveCount(0)
  expectWithin((await page.evaluate(() => (globalThis as unknown as { endedAt: number }).endedAt)) - began, 1_000)
  await expect(streamer.getByText('The seat of Mei is taken back.')).toBeVisible()
  await expect(streamer.getByRole('status').getByRole('listitem')).toHaveText([
    /Pages closed.*: done/,
    /Saved on this computer: done/,
    /No moderator.*: done/,
    /Token replaced: done/,
    /Sessions on the link ended: done/,
  ])
  await inEveryLook(streamer, 'settings-moderators-revoked', () =>
    expect(streamer.getByText(/^(Taken back|已收回)$/)).toBeVisible(),
  )
  await expectAccessible(page)
  await page.screenshot({ path: 'out/screenshots/app/moderator-ended-dark-en.png' })

  await signIn(page, invitation.token)
  await expect(page.getByRole('alert')).toContainText('Account, token or code are not right')
  await page.goto('about:blank')
  await page.goto(invitation.link)
  await signIn(page, invitation.token)
  await expect(page.getByRole('alert')).toContainText('Account, token or code are not right')
})

test('nothing that reached the moderator’s browser was a secret or of another room or channel, and nothing was asked for that is not theirs', async () => {
  const received = await mei.received()
  expect(received).toContain('Ana is the host')
  const { key } = await companion.rpc.push.reveal({ profileId: 'local', cid })
  const secrets = [
    canary,
    key,
    /wsSecret=([0-9a-f]+)/.exec(key)?.[1] ?? key,
    app.ready.service.appKey,
    invitation.token,
  ]
  for (const secret of [...secrets, 'Hidden_Show', 'Hidden room', 'Hidden service', app.dataDir])
    expect(received).not.toContain(secret)
  expect(received).not.toContain('"forbidden"')
})

test('others than this computer are let in over TLS, with a certificate whose fingerprint the invitation shows', async ({
  page,
  browser,
}) => {
  await openPage(page, app)
  await settings(page)
  await page.getByRole('button', { name: 'Make a certificate' }).click()
  await expect(page.getByText('Made by Sidestage.', { exact: false })).toBeVisible()
  await page.getByRole('radio', { name: 'Also others' }).click()
  await page.getByLabel('Port').fill('0')
  await page.getByRole('button', { name: 'Listen there' }).click()
  await expect(page.getByText(/^https:\/\/127\.0\.0\.1:\d+$/)).toBeVisible()
  await page.getByLabel(/^Room/).selectOption({ label: `Late night · ${roomid}` })
  await page.getByLabel('Account (accid)').fill('kai')
  await page.getByLabel('Name', { exact: true }).fill('Kai')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const made = page.getByRole('region', { name: 'Invitation for Kai' })
  await expect(made.getByText('The browser will warn', { exact: false })).toBeVisible()
  const { listener } = await companion.rpc.seats.board()
  await expect(made.getByText(listener.fingerprint ?? 'none')).toBeVisible()
  await made.getByRole('button', { name: 'Copy link for a browser' }).click()
  await expect(made.getByText('Copied.')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(/^https:\/\//)
  await made.getByRole('button', { name: 'Copy token' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe(link)
  const token = await page.evaluate(() => navigator.clipboard.readText())
  await expectAccessible(page)

  // Who goes on after comparing the fingerprint.
  const away = await browser.newContext({ ignoreHTTPSErrors: true })
  const kai = await openSeatBrowser(away)
  await kai.page.goto(link)
  await signIn(kai.page, token, 'kai')
  await expect(log(kai.page).getByText('Ana is the host')).toBeVisible()
  await expect.poll(() => pictureAge(kai.page, encoder?.origin ?? 0)).toBeDefined()
  await page.getByRole('button', { name: 'Stop listening' }).click()
  await expect(kai.page.getByText('The connection to Sidestage was lost.', { exact: false })).toBeVisible()
  await away.close()
})
