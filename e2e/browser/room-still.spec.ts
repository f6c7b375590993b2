import { execFileSync } from 'node:child_process'
import { expect, test, type Locator, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { openPage } from '../page.ts'

/** What comes by itself moves nothing that can be pressed: what a pointer rests on stays under it. */
test.describe.configure({ mode: 'serial' })
let app: RunningApp
let companion: CompanionClient
let roomid = 0
let bo: LinkPerson

const act = (measure: Parameters<CompanionClient['rpc']['rooms']['act']>[0]['measure']) =>
  companion.rpc.rooms.act({ profileId: 'local', roomid, measure, why: '' })

test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  for (const accid of ['lee', 'bo'])
    await companion.call('/user/create.action', { accid, name: accid.toUpperCase(), token: `token-of-${accid}` })
  await companion.rpc.operations.local.setWords({ profileId: 'local', call: { words: ['coins'], hold: true } })
  bo = signInPerson(app.ready.service, 'bo', 'token-of-bo')
  await expect.poll(() => bo.online()).toBe(true)
  await bo.request('roomEnter', { roomid })
  for (let line = 1; line <= 60; line++)
    await companion.call('/chatroom/sendMsg.action', {
      roomid,
      msgId: `of lee ${line}`,
      fromAccid: 'lee',
      msgType: 0,
      attach: `line ${line} of Lee`,
    })
  for (const attach of ['coins 1', 'coins 2', 'coins 3', 'coins 4'])
    await bo.request('roomSend', { roomid, type: 0, attach, clientId: attach })
  // Muted until lifted: the same once more is refused.
  for (const target of ['lee', 'bo']) await act({ kind: 'mute', target, on: true })
})
test.afterAll(async () => {
  bo?.close()
  companion?.close()
  await app?.dispose()
})

const openRoom = async (page: Page): Promise<void> => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(page.getByRole('log').getByText('line 60 of Lee')).toBeVisible()
}
/** Lets the pointer rest on an element; resolves with what tells what is under it. */
const rest = async (page: Page, on: Locator) => {
  const { x, y, width, height } = (await on.boundingBox())!
  const at = { x: x + width / 2, y: y + height / 2 }
  await page.mouse.move(at.x - 1, at.y)
  await page.mouse.move(at.x, at.y)
  const element = await on.elementHandle()
  return {
    at,
    /** Whether it is under the pointer still. */
    isUnder: () =>
      page.evaluate(([own, point]) => own!.contains(document.elementFromPoint(point.x, point.y)), [
        element,
        at,
      ] as const),
    /** What is there now. */
    isOn: (other: Locator) =>
      other
        .elementHandles()
        .then((others) =>
          page.evaluate(
            ([all, point]) => all.some((one) => one.contains(document.elementFromPoint(point.x, point.y))),
            [others, at] as const,
          ),
        ),
  }
}
const refusal = (page: Page) =>
  page
    .getByRole('alert')
    .filter({ hasText: 'set so already' })
    .or(page.getByRole('alert').filter({ hasText: 'Details' }))

/** Notes where everything is that can be pressed or read as a row; resolves with what names those that are elsewhere now. */
const places = async (page: Page) => {
  const before = await page.evaluateHandle(() =>
    [
      ...document.querySelectorAll(
        'button, a, input, select, li[data-accid], [data-queue] li, [data-card], [data-room-row]',
      ),
    ]
      .map((element) => ({ element, at: element.getBoundingClientRect() }))
      .filter(({ at }) => at.width > 1 && at.height > 1),
  )
  return () =>
    before.evaluate((all) => {
      const here = all
        .map(({ element, at }) => ({ element, at, now: element.getBoundingClientRect() }))
        .filter(({ element, now }) => element.isConnected && now.width > 0)
      if (here.length < all.length * 0.7) return [`only ${here.length} of ${all.length} are left`]
      return here
        .filter(({ at, now }) => Math.abs(at.top - now.top) > 0.5 || Math.abs(at.left - now.left) > 0.5)
        .map(
          ({ element, at, now }) =>
            `${element.textContent ?? ''} ${element.getAttribute('aria-label') ?? ''}: ${at.top} to ${now.top}`,
        )
    })
}
const killService = (): void => {
  const [service] = execFileSync('pgrep', ['-P', String(app.process.pid), '-f', 'out/main/service.js'])
    .toString()
    .trim()
    .split('\n')
  process.kill(Number(service), 'SIGKILL')
}

test('a refusal moves no held line under the pointer, and is put away by its button, by Esc, and once the same is done', async ({
  page,
}) => {
  const acts: string[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => acts.push(...(/"kind":"decideHeld"[^}]*/.exec(payload.toString()) ?? []))),
  )
  await openRoom(page)
  await page.getByRole('group', { name: 'Room' }).getByRole('button', { name: /^Held/ }).click()
  const line = (text: string) =>
    page.getByRole('region', { name: 'Held lines' }).getByRole('listitem').filter({ hasText: text })
  await line('coins 4').focus()
  const msgid = await line('coins 2').getAttribute('data-id')
  const drop = await rest(page, line('coins 2').getByRole('button', { name: /^Drop/ }))
  await page.keyboard.press('6')
  await expect(refusal(page)).toBeVisible()
  expect(await drop.isUnder()).toBe(true)
  await page.mouse.click(drop.at.x, drop.at.y)
  await expect.poll(() => acts).toEqual([expect.stringContaining(msgid!)])
  await expect(line('coins 2')).toHaveAttribute('inert', '')

  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(refusal(page)).toHaveCount(0)
  await line('coins 4').focus()
  await page.keyboard.press('6')
  await expect(refusal(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(refusal(page)).toHaveCount(0)
  await page.keyboard.press('6')
  await expect(refusal(page)).toBeVisible()
  await act({ kind: 'mute', target: 'bo', on: false })
  await page.keyboard.press('6')
  await expect(refusal(page)).toHaveCount(0)
})

test('a decision that is refused is told below the held lines', async ({ page }) => {
  // Nothing that can be decided.
  await page.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((frame) => {
      const text = frame.toString()
      server.send(text.includes('decideHeld') ? text.replace('"allow":false', '"allow":0') : frame)
    })
  })
  await openRoom(page)
  await page.getByRole('group', { name: 'Room' }).getByRole('button', { name: /^Held/ }).click()
  const list = page.getByRole('region', { name: 'Held lines' })
  const line = (text: string) => list.getByRole('listitem').filter({ hasText: text })
  const drop = await rest(page, line('coins 1').getByRole('button', { name: /^Drop/ }))
  await line('coins 4').focus()
  await page.keyboard.press('d')
  await expect(list.getByRole('alert')).toBeVisible()
  expect(await drop.isUnder()).toBe(true)
})

for (const size of [
  { width: 1440, height: 900 },
  { width: 420, height: 900 },
])
  test(`a refusal and an undo move neither line nor card under the pointer at ${size.width} x ${size.height}`, async ({
    page,
  }) => {
    await page.setViewportSize(size)
    await openPage(page, app)
    await page.goto(page.url().replace(/#.*/, size.width < 1000 ? `#/pop-out/room/${roomid}/local` : '#/room'))
    const row = (text: string) => page.locator('[data-room-row]').filter({ hasText: text })
    await row('line 60 of Lee').click({ position: { x: 4, y: 4 } })
    const name = await rest(page, row('line 58 of Lee').locator('.name'))
    await page.keyboard.press('6')
    await expect(refusal(page)).toBeVisible()
    expect(await name.isUnder()).toBe(true)
    await page.keyboard.press('Escape')
    await page.keyboard.press('u')
    const preset = await rest(
      page,
      page.getByRole('region', { name: 'User card' }).getByRole('button', { name: /^10 min/ }),
    )
    await page.keyboard.press('1')
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
    expect(await preset.isUnder()).toBe(true)
  })

test('notes do not move under the pointer: what others come with stands above, and what goes leaves its place', async ({
  page,
}) => {
  await openRoom(page)
  await page.getByRole('log').getByText('line 60 of Lee').click()
  await page.keyboard.press('2')
  const undo = await rest(page, page.getByRole('button', { name: 'Undo' }))
  const panic = page.getByRole('button', { name: 'Mute room' })
  const lift = page.getByRole('button', { name: 'Lift', exact: true })
  await act({ kind: 'muteRoom', on: true })
  await expect(lift).toBeVisible()
  expect(await undo.isUnder()).toBe(true)
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  expect(await undo.isOn(page.getByRole('button'))).toBe(false)
  await act({ kind: 'muteRoom', on: false })
  await expect(lift).toHaveCount(0)
  const silence = await rest(page, panic)
  await act({ kind: 'muteRoom', on: true })
  await expect(lift).toBeVisible()
  expect(await silence.isOn(page.getByRole('button'))).toBe(false)
  await act({ kind: 'muteRoom', on: false })
})

test('a press is about the line that it was aimed at, whatever moves the lines under a pointer that rests', async ({
  page,
}) => {
  await openRoom(page)
  const remove = (text: string) =>
    page.locator('[data-room-row]').filter({ hasText: text }).getByRole('button', { name: 'Delete' })
  await page.locator('[data-room-row]').filter({ hasText: 'line 57 of Lee' }).hover()
  const under = await rest(page, remove('line 57 of Lee'))
  // As a banner above the room does.
  const { height } = (await page.locator('[data-room-row]').filter({ hasText: 'line 57 of Lee' }).boundingBox())!
  await page.getByRole('log').evaluate((log, by) => (log.style.transform = `translateY(${by}px)`), height)
  expect(await under.isUnder()).toBe(false)
  await page.mouse.down()
  await page.mouse.up()
  const { ret } = await companion.rpc.rooms.history({ profileId: 'local', call: { roomid, accid: 'lee', limit: 10 } })
  expect(ret.list.filter(({ removed }) => removed)).toEqual([])
  // Pressed once more it is about the line that is there now.
  await page.mouse.down()
  await page.mouse.up()
  await expect(page.locator('[data-room-row]').filter({ hasText: 'line 56 of Lee' })).toContainText('Removed')
  await page.getByRole('log').evaluate((log) => (log.style.transform = ''))
})

test('held lines stay while the service is away, and can be decided when it is back', async ({ page }) => {
  await companion.rpc.operations.local.setWords({ profileId: 'local', call: { words: ['coins'], hold: true } })
  await companion.call('/user/create.action', { accid: 'cy', name: 'Cy' })
  await companion.call('/chatroom/sendMsg.action', {
    roomid,
    msgId: 'held',
    fromAccid: 'cy',
    msgType: 0,
    attach: 'cheap coins',
  })
  await openRoom(page)
  await page.getByRole('group', { name: 'Room' }).getByRole('button', { name: /^Held/ }).click()
  const row = page.getByRole('region', { name: 'Held lines' }).getByRole('listitem').filter({ hasText: 'cheap coins' })
  const buttons = [/^Let through/, /^Drop/].map((name) => row.getByRole('button', { name }))
  for (const button of buttons) await expect(button).not.toHaveAttribute('aria-disabled', 'true')
  killService()
  for (const button of buttons) await expect(button).toHaveAttribute('title', 'Possible when the service is back.')
  for (const button of buttons) await expect(button).not.toHaveAttribute('aria-disabled', 'true')
  await buttons[1]!.click()
  // Under the pointer it keeps its place.
  await expect(row).toHaveAttribute('inert', '')
  await companion.rpc.operations.local.setWords({ profileId: 'local', call: { words: [], hold: false } })
})

test('a service that goes and comes back moves nothing: in the Room, at a seat and in a window of its own', async ({
  page,
  browser,
  context,
}) => {
  await companion.rpc.seats.listen({ on: true, open: false, port: 0 })
  const { link, token } = await companion.rpc.seats.invite({ profileId: 'local', roomid, accid: 'mei', name: 'Mei' })
  await companion.call('/user/create.action', { accid: 'pip', name: 'Pip', token: 'token-of-pip' })
  const pip = signInPerson(app.ready.service, 'pip', 'token-of-pip')
  await expect.poll(() => pip.online()).toBe(true)
  await pip.request('roomEnter', { roomid })
  for (const key of ['Bert', 'Dora']) await act({ kind: 'queueAdd', key, value: 'a question' })
  const elsewhere = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const seat = await elsewhere.newPage()
  await seat.goto(link ?? '')
  await seat.getByLabel('Account (accid)').fill('mei')
  await seat.getByLabel('Token', { exact: true }).fill(token)
  await seat.getByRole('button', { name: 'Sign in', exact: true }).click()
  await openRoom(page)
  const own = await context.newPage()
  await own.setViewportSize({ width: 420, height: 900 })
  await openPage(own, app)
  await own.goto(own.url().replace(/#.*/, `#/pop-out/room/${roomid}/local`))
  await own.locator('[data-room-row]').filter({ hasText: 'line 58 of Lee' }).locator('.name').hover()

  const queued = (on: Page) => on.locator('[data-queue]').getByRole('listitem')
  for (const on of [page, seat]) {
    await on
      .getByRole('group', { name: 'Room' })
      .getByRole('button', { name: /^People/ })
      .click()
    await expect(queued(on)).toHaveCount(2)
    const row = on.locator('li[data-accid="pip"]')
    await row.getByRole('button', { name: /^User card/ }).click()
    await expect(on.getByRole('region', { name: 'User card' })).toContainText('accid pip')
    await row.hover()
  }
  const pages = [page, seat, own]
  const moved = await Promise.all(pages.map(places))
  const preset = (on: Page) => on.getByRole('region', { name: 'User card' }).getByRole('button', { name: /^10 min/ })
  killService()
  await expect(page.getByRole('button', { name: 'Open log' })).toBeVisible()
  await expect(seat.getByText('The streamer’s service is away.', { exact: false })).toBeVisible()
  await expect(own.getByText('Chat disconnected at', { exact: false })).toBeVisible()
  for (const each of moved) expect(await each()).toEqual([])
  // What cannot be done now says so, and a press does nothing: looked at in one moment, as the service comes back by itself.
  for (const on of [page, seat]) {
    const buttons = [
      preset(on),
      queued(on).first().getByRole('button'),
      on.getByRole('button', { name: 'Clear queue…' }),
    ]
    const away = await Promise.all(
      buttons.map((button) =>
        button.evaluate((element: HTMLElement) => {
          const said = [element.getAttribute('aria-disabled'), element.title]
          element.click()
          return said
        }),
      ),
    )
    expect(away).toEqual(buttons.map(() => ['true', 'Possible when the service is back.']))
    await expect(on.getByRole('dialog')).toHaveCount(0)
  }
  await expect(page.getByRole('button', { name: 'Open log' })).toHaveCount(0)
  for (const on of [page, seat]) await expect(preset(on)).not.toHaveAttribute('aria-disabled', 'true')
  for (const each of moved) expect(await each()).toEqual([])
  for (const on of [page, seat]) await expect(queued(on)).toHaveCount(2)
  pip.close()
  await elsewhere.close()
})
