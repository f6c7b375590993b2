import type { Page } from 'playwright/test'

/** How a test reads the clipboard back. */
export interface ClipboardReader {
  /** Puts something on it that is not what is waited for. */
  clear(): Promise<void>
  read(): Promise<string>
}

/** The clipboard as a page with the permission for it reads it: the browser shell's. */
export const pageClipboard = (page: Page): ClipboardReader => ({
  clear: () => page.evaluate(() => navigator.clipboard.writeText('')),
  read: () => page.evaluate(() => navigator.clipboard.readText()),
})

/**
 * The clipboard as a person reads it, by pasting into a field that is added to the page for that moment: where the page has no
 * permission and the main process cannot be asked. No dialog may be open, as it would take the keys.
 */
export function pastedClipboard(page: Page): ClipboardReader {
  const inField = async (text: string, key: 'V' | 'X'): Promise<string> => {
    await page.evaluate((value) => {
      const field = document.createElement('textarea')
      field.id = 'clipboard-of-a-test'
      field.value = value
      document.body.append(field)
      field.focus()
      field.select()
    }, text)
    const field = page.locator('#clipboard-of-a-test')
    await field.press(`ControlOrMeta+${key}`)
    const value = await field.inputValue()
    await field.evaluate((element) => {
      element.remove()
    })
    return value
  }
  return {
    clear: async () => {
      await inField('nothing', 'X')
    },
    read: () => inField('', 'V'),
  }
}
