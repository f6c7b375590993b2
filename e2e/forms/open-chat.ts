import type { Page } from 'playwright/test'

/** Opens the chat of the Studio that is open; it is a strip before a broadcast. */
export async function openChat(page: Page): Promise<void> {
  const strip = page.locator('[aria-controls="studio-chat"]')
  await strip.waitFor()
  if ((await strip.getAttribute('aria-expanded')) === 'false') await strip.click()
}
