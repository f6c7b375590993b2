import { expect, test, type Page } from 'playwright/test'
import { errorTable } from '../../contract/errors.ts'
import { operations } from '../../contract/operations/index.ts'
import { startApp, type RunningApp } from '../app.ts'
import { inEveryLook } from '../looks.ts'
import { openPage } from '../page.ts'

let app: RunningApp
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => app?.dispose())

const secret = 'canary-console-account-token'
/** One call of each group, in an order in which each can succeed; ROOM stands for the room that was made. */
const calls: Readonly<
  Record<
    string,
    readonly { readonly path: string; readonly values: Readonly<Record<string, string | readonly string[]>> }[]
  >
> = {
  live: [{ path: '/app/channel/create', values: { name: 'Console_show' } }],
  recordings: [{ path: '/app/callback/setSignKey', values: { signKey: 'canary-console-sign-key' } }],
  accounts: [
    { path: '/user/create.action', values: { accid: 'ann', token: secret } },
    { path: '/user/create.action', values: { accid: 'ben' } },
  ],
  friends: [{ path: '/friend/add.action', values: { accid: 'ann', faccid: 'ben', type: '1' } }],
  relations: [{ path: '/user/listBlackAndMuteList.action', values: { accid: 'ann' } }],
  messages: [
    { path: '/msg/sendMsg.action', values: { from: 'ann', ope: '0', to: 'ben', type: '0', body: '{"msg":"晚上好"}' } },
  ],
  teams: [{ path: '/team/create.action', values: { tname: 'Crew', owner: 'ann', members: ['ben'], msg: 'come' } }],
  history: [{ path: '/history/querySessionMsg.action', values: { from: 'ann', to: 'ben', limit: '10' } }],
  chatrooms: [{ path: '/chatroom/create.action', values: { creator: 'ann', name: 'Room' } }],
  queue: [{ path: '/chatroom/queueList.action', values: { roomid: 'ROOM' } }],
  robots: [{ path: '/chatroom/addRobot.action', values: { roomid: 'ROOM', accids: ['bot1'] } }],
  statistics: [{ path: '/stats/chatroom/topn.action', values: {} }],
  local: [{ path: '/local/service/info', values: {} }],
}

/** Groups that the console shows for this computer: all with an operation that is served and ends. */
const groups = [
  ...new Set(
    operations
      .filter(({ pending, stream, startFlag }) => !pending && !stream && !startFlag)
      .map(({ document, group }) => (document === 'local' ? 'local' : group)),
  ),
]
const answer = (page: Page) => page.getByRole('complementary', { name: 'Answer' })

async function fill(page: Page, name: string, value: string | readonly string[]): Promise<void> {
  if (typeof value !== 'string') {
    const rows = page.getByRole('listitem').filter({ has: page.getByLabel(new RegExp(`^${name}, row`)) })
    for (const [index, each] of value.entries()) {
      if ((await rows.count()) <= index)
        await page.locator('.fields > *', { hasText: name }).getByRole('button', { name: 'Add a row' }).first().click()
      await page.getByLabel(`${name}, row ${index + 1}`, { exact: true }).fill(each)
    }
    return
  }
  const field = page.getByLabel(name, { exact: true })
  if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value)
  else await field.fill(value)
}

test('an operation of every group is called; codes, sentences, and no secret on the page', async ({ page }) => {
  expect(Object.keys(calls).sort()).toEqual([...groups].sort())
  await openPage(page, app)
  const origin = page.url().replace(/#.*/, '')
  let room = ''
  for (const group of groups) {
    for (const { path, values } of calls[group] ?? []) {
      await test.step(path, async () => {
        await page.goto(`${origin}#/console${path}`)
        await expect(page.getByText(`POST ${path}`)).toBeVisible()
        for (const [name, value] of Object.entries(values)) await fill(page, name, value === 'ROOM' ? room : value)
        await page.getByRole('button', { name: /^Send / }).click()
        await expect(answer(page).getByText('Done', { exact: true })).toBeVisible()
        await expect(answer(page).getByText('200', { exact: true }).first()).toBeVisible()
        await expect(answer(page).getByText(/breaks the contract/)).toHaveCount(0)
        room = /"roomid": (\d+)/.exec(await answer(page).innerText())?.[1] ?? room
      })
    }
  }

  // The same account again is refused, with the code's own sentence and what to do next.
  await page.goto(`${origin}#/console/user/create.action`)
  await fill(page, 'accid', 'ann')
  await fill(page, 'token', secret)
  await page.getByRole('button', { name: /^Send / }).click()
  await expect(answer(page).getByText('Refused', { exact: true })).toBeVisible()
  const { sentence, next } = errorTable[414]
  await expect(answer(page).getByText(sentence.en).first()).toBeVisible()
  if (next.en !== '') await expect(answer(page).getByText(next.en).first()).toBeVisible()
  for (const part of ['Headers', 'Body', 'curl']) {
    await page.getByRole('tab', { name: part }).click()
    const seen = await page.locator('body').innerText()
    expect(seen, part).not.toContain(secret)
    // Neither a whole CheckSum nor an AppSecret stands anywhere.
    expect(seen, part).not.toMatch(/\b[0-9a-f]{40}\b/)
  }
  // Only the field into which it was typed has it, as dots, until it is emptied.
  await expect(page.getByLabel('token', { exact: true })).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect.poll(() => page.content()).not.toContain(secret)
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret)
  expect(app.log()).not.toContain(secret)
  await inEveryLook(page, 'console', () => expect(page.getByRole('heading', { level: 1 })).toBeVisible())
})
