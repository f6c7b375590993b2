import { expect, test, type Locator, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { looks, setLook } from '../looks.ts'
import { openPage } from '../page.ts'

/** Buttons of a row stand in the row of the person whom they are about, and level with nobody else. */
test.describe.configure({ mode: 'serial' })
let app: RunningApp
let companion: CompanionClient
let roomid = 0
const people: LinkPerson[] = []
const long = 'a long line that reaches the end of its row and goes on in the next one, '.repeat(4)

test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  await companion.rpc.operations.local.setWords({ profileId: 'local', call: { words: ['coins'], hold: true } })
  for (const accid of ['lee', 'bo', 'sam', 'mei'])
    await companion.call('/user/create.action', { accid, name: accid, token: `token-of-${accid}` })
  for (const accid of ['lee', 'bo']) people.push(signInPerson(app.ready.service, accid, `token-of-${accid}`))
  await expect.poll(() => people.every((each) => each.online())).toBe(true)
  for (const person of people) await person.request('roomEnter', { roomid })
  const lines = ['first', 'ok', long, 'سلام عليكم', 'second', 'x'.repeat(90), '你好', 'y']
  for (const [index, attach] of lines.entries())
    await companion.call('/chatroom/sendMsg.action', {
      roomid,
      msgId: `line ${index}`,
      fromAccid: index % 2 ? 'bo' : 'lee',
      msgType: 0,
      attach,
    })
  for (let line = 1; line <= 3; line++)
    await people[0]?.request('roomSend', { roomid, type: 0, attach: `coins ${line} ${long}`, clientId: `c${line}` })
  for (const target of ['sam', 'mei']) {
    await companion.rpc.rooms.act({ profileId: 'local', roomid, measure: { kind: 'mute', target, on: true }, why: '' })
    await companion.rpc.rooms.act({
      profileId: 'local',
      roomid,
      measure: { kind: 'temporaryMute', target, seconds: 3600 },
      why: '',
    })
  }
})
test.afterAll(async () => {
  for (const person of people) person.close()
  companion?.close()
  await app?.dispose()
})

/** How far each button that is seen reaches out of its own row, in px; 0 for not at all. */
const beyond = (rows: Locator): Promise<number[]> =>
  rows.evaluateAll((all) =>
    all.flatMap((row) => {
      const own = row.getBoundingClientRect()
      return [...row.querySelectorAll('button')]
        .map((button) => button.getBoundingClientRect())
        .filter(({ width }) => width > 0)
        .map(({ top, bottom, left, right }) =>
          Math.max(0, own.top - top, bottom - own.bottom, own.left - left, right - own.right),
        )
    }),
  )
const lines = (page: Page) => page.locator('[data-room-row]:not(.notice)')
/** The last line has come, so that the log moves no more. */
const isWhole = (page: Page) => expect(lines(page)).toHaveCount(8)
const expectWithin = async (rows: Locator, atLeast: number, where: string): Promise<void> => {
  expect((await beyond(rows)).length, where).toBeGreaterThanOrEqual(atLeast)
  // A window that was just made smaller is laid out in more than one pass.
  await expect.poll(async () => Math.max(...(await beyond(rows))), { message: where }).toBe(0)
}
async function expectLines(page: Page, where: string): Promise<void> {
  await isWhole(page)
  const heights = (): Promise<number[]> =>
    lines(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
  const before = await heights()
  for (let index = 0; index < 8; index++) {
    const row = lines(page).nth(index)
    await row.scrollIntoViewIfNeeded()
    await row.hover({ position: { x: 20, y: 10 } })
    await expectWithin(row, 4, `${where}, pointer on ${index}`)
  }
  // What the pointer passes moves nothing under it.
  expect(await heights(), where).toEqual(before)
  for (let index = 0; index < 8; index++) {
    const row = lines(page).nth(index)
    await row.click({ position: { x: 20, y: 10 } })
    await expect(row).toHaveClass(/focused/)
    await page.mouse.move(1, 1)
    await expectWithin(row, 4, `${where}, marked ${index}`)
    // The text is read whole beside its buttons.
    const [acts, said] = await Promise.all([
      row.locator('.acts').boundingBox(),
      row
        .locator('.said')
        .evaluate((text) => [...text.getClientRects()].map(({ x, y, width, height }) => ({ x, y, width, height }))),
    ])
    for (const part of said)
      expect(
        acts!.x >= part.x + part.width ||
          part.x >= acts!.x + acts!.width ||
          acts!.y >= part.y + part.height - 4 ||
          part.y + 4 >= acts!.y + acts!.height,
        `${where}, text of ${index}`,
      ).toBe(true)
  }
  await page.keyboard.press('Escape')
}

test('the actions of a line lie within its own row, under the pointer and marked, whatever its place, length and window', async ({
  page,
}) => {
  await openPage(page, app)
  for (const [theme, language] of looks) {
    await setLook(page, theme, language)
    for (const [where, address, width, height] of [
      ['Room', '#/room', 1280, 800],
      ['Room, narrow', '#/room', 1120, 700],
      ['window of its own', `#/pop-out/room/${roomid}`, 340, 480],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.goto(page.url().replace(/#.*/, address))
      // Rows of the place before are gone.
      await page.reload()
      await expectLines(page, `${where}, ${language}`)
      await lines(page)
        .nth(2)
        .hover({ position: { x: 20, y: 10 } })
      await page.screenshot({ path: `out/screenshots/app/room-rows-${width}-${language}.png` })
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  await setLook(page, 'dark', 'en')
})

test('buttons of people, of held lines and of those who are muted lie within their own row', async ({ page }) => {
  await openPage(page, app)
  for (const [theme, language] of looks) {
    await setLook(page, theme, language)
    for (const [width, height] of [
      [1280, 800],
      [1120, 700],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.goto(page.url().replace(/#.*/, '#/room'))
      for (const name of [/^(People|人员|成员)/, /^(Muted, blacklisted|禁言)/, /^(Held|待审)/]) {
        await page
          .getByRole('group', { name: /^(Room|聊天室)$/ })
          .getByRole('button', { name })
          .click()
        const rows = page.locator('li[data-accid]')
        await expect(rows.nth(1)).toBeVisible()
        await expectWithin(rows, 2, `${String(name)}, ${language}, ${width}`)
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  await setLook(page, 'dark', 'en')
})

test('a row with a small line is as high marked as it is unmarked, and a press leaves no actions behind', async ({
  page,
}) => {
  await openPage(page, app)
  await page.goto(page.url().replace(/#.*/, '#/room'))
  await isWhole(page)
  const { ret } = await companion.rpc.rooms.history({ profileId: 'local', call: { roomid, limit: 10 } })
  const second = ret.list.find(({ attach }) => attach === 'second')!
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'removeLine', target: 'lee', msgid: second.msgid },
    why: 'spam',
  })
  const { ret: waiting } = await companion.rpc.operations.local.held({ profileId: 'local', call: { roomid } })
  const { msgid } = waiting.list.find(({ attach }) => attach.startsWith('coins 1'))!
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'decideHeld', target: 'lee', msgid, allow: true },
    why: '',
  })
  const small = page.locator('[data-room-row]').filter({ has: page.locator('.why') })
  await expect(small).toHaveCount(2)
  const height = (row: Locator): Promise<number> => row.evaluate((element) => element.getBoundingClientRect().height)
  for (const index of [0, 1]) {
    const row = small.nth(index)
    const before = await height(row)
    await row.click({ position: { x: 20, y: 10 } })
    await expect(row).toHaveClass(/focused/)
    expect(await height(row)).toBe(before)
    await page.keyboard.press('Escape')
  }
  // A button that was pressed with the pointer keeps the focus: its row shows its actions no longer than the pointer is on it.
  const pressed = lines(page).nth(0)
  await pressed.hover({ position: { x: 20, y: 10 } })
  await pressed.getByRole('button', { name: 'User card' }).click()
  await lines(page)
    .nth(1)
    .hover({ position: { x: 20, y: 10 } })
  await expect
    .poll(() =>
      page
        .locator('[data-room-row] .acts')
        .evaluateAll((all) => all.filter((acts) => acts.getBoundingClientRect().width > 0).length),
    )
    .toBe(1)
})
