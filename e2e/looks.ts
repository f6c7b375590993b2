import { expect, type Page } from 'playwright/test'
import { expectAccessible } from './page.ts'

/** Each theme and each language once; all four of them with SIDESTAGE_LOOKS=all. */
export const looks = (
  [
    ['dark', 'en'],
    ['light', 'en'],
    ['dark', 'zh'],
    ['light', 'zh'],
  ] as const
).filter(([theme, language]) => process.env['SIDESTAGE_LOOKS'] === 'all' || (theme === 'dark') === (language === 'en'))

/** Shows the screen that is open in both themes and both languages, not in every pair of them: axe on each, and a picture of each in out/screenshots/app. */
export async function inEveryLook(
  page: Page,
  screen: string,
  ready: (language: 'en' | 'zh') => Promise<void>,
): Promise<void> {
  for (const [theme, language] of looks) {
    await setLook(page, theme, language)
    await ready(language)
    await expectAccessible(page)
    await page.screenshot({ path: `out/screenshots/app/${screen}-${theme}-${language}.png` })
  }
  await setLook(page, 'dark', 'en')
}

/** Shows the page that is open in a theme and a language. */
export async function setLook(page: Page, theme: 'dark' | 'light', language: 'en' | 'zh'): Promise<void> {
  const address = page.url()
  await page.goto(address.replace(/#.*/, '#/settings/appearance'))
  await page.getByRole('radio', { name: theme === 'dark' ? /^(Dark|深色)/ : /^(Light|浅色)/ }).click()
  await page.getByRole('radio', { name: language === 'en' ? 'English' : '简体中文' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', language === 'en' ? /^en/ : /^zh/)
  await page.goto(address)
  await expect(page).toHaveURL(address)
}
