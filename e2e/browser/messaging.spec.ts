import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { inEveryLook } from '../looks.ts'
import { expectAccessible, openPage } from '../page.ts'

/** Two accounts: one signed in at the app, one at a client of its own. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let mei: LinkPerson | undefined
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  mei?.close()
  await app?.dispose()
})

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of Messaging' }).getByRole('link', { name }).click()
const log = (page: Page) => page.getByRole('log')
const talks = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })
const text = (msg: string): string => JSON.stringify({ msg })

/** Creates an account and reads its token where it is shown, this once. */
async function createAccount(page: Page, accid: string): Promise<string> {
  await page.getByRole('button', { name: 'Create account' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('accid').fill(accid)
  await dialog.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('dialog', { name: `Token of ${accid}` })).toBeVisible()
  await dialog.getByRole('button', { name: 'Copy token' }).click()
  await expect(dialog.getByText('The token is on the clipboard.')).toBeVisible()
  const token = await page.evaluate(() => navigator.clipboard.readText())
  expect(token).not.toBe('')
  await expect(dialog).toContainText(token)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  expect(await page.content()).not.toContain(token)
  return token
}

async function write(page: Page, words: string): Promise<void> {
  const field = page.getByRole('textbox', { name: /^Message to/ })
  await field.fill(words)
  await field.press('Enter')
  await expect(log(page).getByText(words, { exact: true })).toBeVisible()
  await expect(field).toHaveValue('')
}

test('two accounts talk, one at the app and one at a client of its own: messages, unread, recall, a friend, a team', async ({
  page,
}) => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Messaging' }).click()
  await expect(page.getByRole('heading', { name: 'Act as an account' })).toBeVisible()
  await expectAccessible(page)
  await part(page, 'Accounts')
  const tokens = { ana: await createAccount(page, 'ana'), mei: await createAccount(page, 'mei') }
  const client = (mei = signInPerson(app.ready.service, 'mei', tokens.mei))
  await expect.poll(client.online).toBe(true)

  await part(page, 'Conversations')
  await page.getByLabel('Account (accid)').fill('ana')
  await page.getByLabel('Token', { exact: true }).fill('not the token')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText(/^Refused/)).toBeVisible()
  await page.getByRole('button', { name: 'Acting as ana' }).click()
  await page.getByRole('menuitem', { name: 'Sign in ana again…' }).click()
  await page.getByRole('dialog').getByLabel('Token', { exact: true }).fill(tokens.ana)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText('Online', { exact: true }).first()).toBeVisible()

  await page.getByRole('searchbox', { name: 'Name, accid or team number' }).fill('mei')
  await page.getByRole('button', { name: 'Talk to mei' }).click()
  await write(page, 'Tonight at nine <b>sharp</b>')
  await expect.poll(client.texts).toEqual(['Tonight at nine <b>sharp</b>'])
  await client.send({ scene: 'p2p', to: 'ana', type: 0, body: text('好的，九点见') })
  await expect(log(page).getByText('好的，九点见', { exact: true })).toBeVisible()

  await write(page, 'wrong window')
  await page.getByRole('button', { name: /^Recall “wrong window”/ }).click()
  await expect(page.getByRole('dialog')).toContainText('2 minutes')
  await page.getByRole('dialog').getByRole('button', { name: 'Recall', exact: true }).click()
  await expect(log(page).getByText('Recalled', { exact: true })).toBeVisible()
  await expect(log(page).getByText('wrong window', { exact: true })).toHaveCount(0)
  await expect.poll(() => client.of('recall').length).toBe(1)

  await part(page, 'Accounts')
  const unread = await client.send({ scene: 'p2p', to: 'ana', type: 0, body: text('did you see this') })
  await part(page, 'Conversations')
  await expect(talks(page).getByLabel('1 unread message')).toBeVisible()
  await expectAccessible(page)
  await talks(page).getByRole('button', { name: /mei/ }).click()
  await expect(log(page).getByText('did you see this', { exact: true })).toBeVisible()
  await expect(talks(page).getByLabel(/unread/)).toHaveCount(0)
  await client.request('recall', { scene: 'p2p', to: 'ana', msgid: unread.msgid, timetag: unread.timetag })
  await expect(log(page).getByText('did you see this', { exact: true })).toHaveCount(0)

  await client.request('friend', { accid: 'ana', type: 2, msg: 'from the studio' })
  const asks = page.getByRole('region', { name: 'Requests and news' })
  await expect(asks).toContainText('mei asks to be your friend.')
  await asks.getByRole('button', { name: 'Accept' }).click()
  await expect.poll(() => client.of('friend').map(({ type }) => type)).toContain(3)
  await expect(asks).toHaveCount(0)
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'songs.txt', mimeType: 'text/plain', buffer: Buffer.from('one\ntwo\n') })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(log(page).getByText('songs.txt', { exact: true })).toBeVisible()
  await expect
    .poll(() => client.of('message').some(({ type, body }) => type === 6 && body.includes('songs.txt')))
    .toBe(true)
  // One red pixel, shown through the relay at its own size.
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'stage.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const picture = log(page).getByRole('img', { name: 'stage.png' })
  await expect(picture).toHaveAttribute('src', /^\/media\//)
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1)
  await inEveryLook(page, 'messaging', () => expect(log(page).getByText('好的，九点见', { exact: true })).toBeVisible())

  await part(page, 'Teams')
  await page.getByRole('button', { name: 'Create team' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Night crew')
  await dialog.getByLabel('Accounts').fill('mei')
  await dialog.getByRole('button', { name: 'Create team' }).click()
  const team = page.getByRole('region', { name: 'Team Night crew' })
  await expect(team).toContainText('2 of 200 members')
  const tid = /teams\/(\d+)/.exec(page.url())?.[1] ?? ''
  await page
    .getByRole('button', { name: 'Actions for mei' })
    .or(team.getByRole('button', { name: /mei/ }))
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Make admin' }).click()
  await expect(team).toContainText('mei is an admin.')
  await inEveryLook(page, 'messaging-team', () =>
    expect(page.getByRole('region', { name: /Night crew/ })).toContainText('mei'),
  )
  await team.getByRole('link', { name: 'Conversation' }).click()
  await write(page, 'Welcome to the crew')
  await expect.poll(client.texts).toContain('Welcome to the crew')
  await client.send({ scene: 'team', to: tid, type: 0, body: text('hello everyone') })
  await expect(log(page).getByText('hello everyone', { exact: true })).toBeVisible()
  await talks(page).getByRole('button', { name: /mei/ }).first().click()
  await expect(page.getByRole('region', { name: 'Conversation with mei' })).toBeVisible()
  await client.send({ scene: 'team', to: tid, type: 0, body: text('one more') })
  await expect(
    talks(page)
      .getByRole('button', { name: /Night crew/ })
      .getByLabel('1 unread message'),
  ).toBeVisible()

  await page.goto(page.url().replace(/#.*/, `#/messaging/teams/${tid}`))
  await team.getByRole('button', { name: 'Dissolve…' }).click()
  await expect(dialog).toContainText('All 2 members lose the team Night crew')
  await dialog.getByRole('button', { name: 'Dissolve the team' }).click()
  await expect(page.getByText('Choose a team, or create one.')).toBeVisible()

  await page.goto(page.url().replace(/#.*/, '#/messaging/accounts/mei'))
  const details = page.getByRole('region', { name: 'Account mei' })
  await details.getByRole('button', { name: 'Block…' }).click()
  await dialog.getByRole('button', { name: 'Block', exact: true }).click()
  await expect(details).toContainText('Blocked')
  await expect.poll(() => client.of('kicked').length).toBe(1)
  await details.getByRole('button', { name: 'Unblock' }).click()
  await expect(details).toContainText('Unblocked')
  await details.getByRole('tab', { name: 'Sign-ins' }).click()
  await expect(details.getByText('Signed in').first()).toBeVisible()
  await inEveryLook(page, 'messaging-accounts', () => expect(page.getByRole('heading', { name: 'mei' })).toBeVisible())
  await part(page, 'Words')
  await page.getByRole('textbox', { name: 'Words, one a line' }).fill('jackpot\n代开')
  await page.getByRole('button', { name: 'Save the list' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expectAccessible(page)

  const stored = await page.evaluate(() => JSON.stringify(localStorage))
  for (const token of Object.values(tokens)) {
    expect(await page.content()).not.toContain(token)
    expect(stored).not.toContain(token)
    expect(app.log()).not.toContain(token)
  }
})
