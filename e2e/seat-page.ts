import { expect, type BrowserContext, type Page } from 'playwright/test'
import { expectAccessible } from './page.ts'

/** A moderator's browser, with everything that its page received. */
export interface SeatBrowser {
  readonly page: Page
  /** Frames of its sockets, and answers to its requests with their headers; the media itself is left out. */
  readonly received: () => Promise<string>
}

/** Opens a page in a browser of its own and notes what comes there. A violation of the policy fails the test. */
export async function openSeatBrowser(context: BrowserContext): Promise<SeatBrowser> {
  const page = await context.newPage()
  const texts: string[] = []
  const bodies: Promise<unknown>[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) throw new Error(message.text())
  })
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => texts.push(payload.toString()))
  })
  page.on('response', (response) => {
    texts.push(`${response.url()} ${JSON.stringify(response.headers())}`)
    // A live stream has no end to wait for.
    if (/^(\/joined\/[0-9a-f]+)?\/media\//.test(new URL(response.url()).pathname)) return
    bodies.push(
      response.text().then(
        (text) => texts.push(text),
        () => undefined,
      ),
    )
  })
  return {
    page,
    received: async () => {
      await Promise.all(bodies)
      return texts.join('\n')
    },
  }
}

/** Shows a moderator's page in both themes and both languages: axe on each, and a picture of each in out/screenshots/app. */
export async function seatInEveryLook(page: Page, screen: string, ready: () => Promise<void>): Promise<void> {
  for (const language of ['en', 'zh'] as const)
    for (const theme of ['dark', 'light'] as const) {
      await setLook(page, theme, language)
      await ready()
      await expectAccessible(page)
      await page.screenshot({ path: `out/screenshots/app/${screen}-${theme}-${language}.png` })
    }
  await setLook(page, 'dark', 'en')
}

async function setLook(page: Page, theme: string, language: string): Promise<void> {
  await page.getByRole('combobox', { name: /^(Theme|主题)$/ }).selectOption(theme)
  await page.getByRole('combobox', { name: /^(Language|语言)$/ }).selectOption(language)
  await expect(page.locator('html')).toHaveAttribute('lang', language === 'en' ? 'en' : 'zh-CN')
}
