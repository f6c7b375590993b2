import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { createChannel, expectAccessible, openPage } from '../page.ts'
import { isInside, openViewer, rename, said, speak } from '../viewer.ts'

/** Chat for viewers by one switch, over restarts of the app, which has no keychain here. */
test.use({ viewport: { width: 1440, height: 900 } })
const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-chat-'))
let app: RunningApp
let cid = ''
test.beforeAll(async () => {
  app = await startApp({ dataDir })
})
test.afterAll(async () => {
  await app?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})
test.describe.configure({ mode: 'serial' })

const card = (page: Page) => page.getByRole('region', { name: 'Chat for viewers' })
const toggle = (page: Page) => card(page).getByRole('switch')
const dock = (page: Page) => page.getByRole('complementary', { name: 'Chat of the channel' })
const answer = async (page: Page, text: string): Promise<void> => {
  const field = dock(page).locator('form.composer input')
  await field.fill(text)
  await field.press('Enter')
}
const openStudio = async (page: Page): Promise<void> => {
  await openPage(page, app)
  await page.evaluate((to) => void (location.hash = `#/studio/${to}`), cid)
}

test('from nothing, one form with a name: a viewer writes a line that the Studio shows and answers', async ({
  page,
  browser,
}) => {
  await openPage(page, app)
  const recorded = page.getByRole('switch', { name: 'Record every push' })
  await expect(recorded).toBeChecked()
  await expect(page.getByRole('switch', { name: 'Chat for viewers' })).toBeChecked()
  await expectAccessible(page)
  cid = await createChannel(page, 'One_form', { record: true, chat: true })
  await expect(toggle(page)).toBeChecked()
  await expect(page.locator('[data-figure="recordingSetting"]')).toContainText('MP4')
  await expect(page.locator('[data-figure="recordingSetting"]')).toContainText('60')
  // Nothing is on air and nobody is there: the chat is folded, and opens when somebody comes.
  await expect(dock(page)).toBeHidden()
  await expectAccessible(page)
  const text = await page.locator('main').innerText()
  for (const word of [/accid/i, /token/i, /callback/i]) expect(text).not.toMatch(word)

  const viewer = await openViewer(browser, app.ready.service.mediaUrl, cid)
  await isInside(viewer)
  await expect(dock(page).getByRole('log')).toBeVisible()
  await expectAccessible(page)
  await rename(viewer, 'mei')
  await speak(viewer, 'is anybody there?')
  await expect(dock(page).getByRole('log')).toContainText('mei is anybody there?')
  await answer(page, 'Good evening, mei')
  await expect(said(viewer)).toContainText('One_form Good evening, mei')

  // Off asks while somebody is in it; Esc leaves it on.
  await toggle(page).click()
  const question = page.getByRole('dialog', { name: 'Turn off chat for viewers?' })
  await expect(question).toContainText('1 person is in it.')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await expect(toggle(page)).toBeChecked()
  await toggle(page).press('Space')
  await question.getByRole('button', { name: 'Turn off chat' }).click()
  await expect(toggle(page)).not.toBeChecked()
  await expect(dock(page).getByRole('button', { name: 'Turn on chat' })).toBeVisible()
  await expectAccessible(page)
  await expect(viewer.getByText('The chat is closed.')).toBeVisible()

  // On again: the same chat with its lines, and the viewer is back by themselves.
  await dock(page).getByRole('button', { name: 'Turn on chat' }).click()
  await expect(toggle(page)).toBeChecked()
  await expect(dock(page).getByRole('log')).toContainText('mei is anybody there?')
  await isInside(viewer)
  await speak(viewer, 'still the same')
  await expect(dock(page).getByRole('log')).toContainText('still the same')
  await viewer.context().close()
})

test('after a restart of the app chat still lives, and off asks nothing while nobody is in it', async ({
  page,
  browser,
}) => {
  await app.stop()
  app = await startApp({ dataDir })
  await openStudio(page)
  await expect(toggle(page)).toBeChecked()
  const viewer = await openViewer(browser, app.ready.service.mediaUrl, cid)
  await speak(viewer, 'back again')
  await expect(dock(page).getByRole('log')).toContainText('still the same')
  await expect(dock(page).getByRole('log')).toContainText('back again')
  await answer(page, 'Welcome back')
  await expect(said(viewer)).toContainText('Welcome back')
  await viewer.context().close()

  // A second window follows.
  const second = await page.context().newPage()
  await openStudio(second)
  await expect(toggle(second)).toBeChecked()
  await expect(dock(page).getByRole('log')).toContainText(/Guest \d+ left/)
  await toggle(page).click()
  await expect(toggle(page)).not.toBeChecked()
  await expect(toggle(second)).not.toBeChecked()
  await toggle(second).click()
  await expect(toggle(page)).toBeChecked()
  await expect(dock(page).getByRole('log')).toContainText('back again')
  await expect(dock(page).getByPlaceholder('Say as One_form')).toBeVisible()
})
