import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { mounted, withProps } from '../../testing/mounted.ts'
import { sheetAnswers } from '../../testing/share-values.ts'
import ShareSheet from './share-sheet.vue'
import { shareWords } from './words.ts'

const { share: words } = spoken(shareWords, 'en')
const on = { profileId: 'local', cid: 'a'.repeat(32) }

it('a wrong port marks its own field, and not a name that is right', async () => {
  await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    answers: sheetAnswers({}, { reach: 'port' }),
  })
  const name = page.getByLabelText(words.port.name, { exact: true })
  await name.fill('other.example')
  await page.getByLabelText(words.port.number, { exact: true }).fill('99999')
  await expect.element(page.getByText(words.port.numberFault)).toBeVisible()
  await expect.element(name).not.toHaveAttribute('aria-invalid', 'true')
  expect(page.getByText(words.port.nameFault).query()).toBeNull()
  await userEvent.click(name)
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByLabelText(words.port.number, { exact: true })).toHaveFocus()
})

it.each([false, true])('tells what named links let in unless it is turned off: %s', async (closed) => {
  await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    answers: sheetAnswers({ mode: 'links', closed }),
  })
  await expect.element(page.getByText(words.named.none)).toBeVisible()
  expect(page.getByText(words.named.note).query() === null).toBe(closed)
})
