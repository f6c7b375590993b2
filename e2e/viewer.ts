import { expect, type Browser, type Locator, type Page } from 'playwright/test'

/** Opens a channel's viewers' page in a context of its own; a dialog of the browser, a refusal of the policy or a request elsewhere fails the test. */
export async function openViewer(
  browser: Browser,
  mediaUrl: string,
  cid: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', colorScheme: 'dark', ...options })
  const page = await context.newPage()
  page.on('dialog', () => {
    throw new Error('a dialog was opened')
  })
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to|TrustedHTML/.test(message.text())) throw new Error(message.text())
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'blob:' && origin !== mediaUrl) throw new Error(`a request to ${request.url()}`)
  })
  await page.goto(`${mediaUrl}/watch/${cid}`)
  return page
}

/** The lines that a viewer reads. */
export const said = (page: Page): Locator => page.getByRole('log')

/** Waits until a viewer is in the room. */
export const isInside = (page: Page): Promise<void> =>
  expect(page.locator('.chat')).toHaveAttribute('data-state', 'inside')

/** Says a line as a viewer. */
export async function speak(page: Page, text: string): Promise<void> {
  await isInside(page)
  await page.getByLabel('Your line').fill(text)
  await page.getByLabel('Your line').press('Enter')
}

/** Asks for another name for a guest, whatever comes of it. */
export async function askName(page: Page, nick: string): Promise<void> {
  await page.getByRole('button', { name: 'Change name' }).click()
  await page.getByLabel('Your name').fill(nick)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('Your name')).toHaveCount(0)
}

/** Gives a guest another name. */
export async function rename(page: Page, nick: string): Promise<void> {
  await askName(page, nick)
  await expect(page.getByPlaceholder(`Say something as ${nick}`)).toBeVisible()
}
