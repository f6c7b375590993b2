import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken, type Language } from '../../format/languages.ts'
import { mounted, withProps } from '../../testing/mounted.ts'
import { sheetAnswers } from '../../testing/share-values.ts'
import ShareSheet from './share-sheet.vue'
import { shareWords } from './words.ts'

const on = { profileId: 'local', cid: 'a'.repeat(32) }
const path = 'operations.access.updateWatchLimits'
const show = (language: Language = 'en') =>
  mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    language,
    answers: { ...sheetAnswers(), [path]: () => ({}) },
  })

it.each<[Language, 'viewers' | 'upload' | 'month', readonly string[]]>([
  ['en', 'viewers', ['0', '00', '-1', '1.5', '1000001']],
  ['zh', 'viewers', ['0']],
  ['en', 'upload', ['0', '0.0', '0.05', '1000000.1']],
  ['zh', 'upload', ['0']],
  ['en', 'month', ['0', '-1', '10000001']],
  ['zh', 'month', ['0']],
])('a limit that is none is refused in its field, and the text stays (%s, %s)', async (language, name, texts) => {
  const { limits } = spoken(shareWords, language).share
  const { client } = await show(language)
  const field = page.getByLabelText(limits[name], { exact: true })
  for (const text of texts) {
    await field.fill(text)
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(limits.fault[name], { exact: true })).toBeVisible()
    await expect.element(field).toHaveValue(text)
  }
  expect(client.inputs(path)).toEqual([])
})

it('the least and the most that the service takes are saved, and no limit where a field is empty', async () => {
  const { limits } = spoken(shareWords, 'en').share
  const { client } = await show()
  const saved: unknown[] = []
  for (const [viewers, upload, month, kbps] of [
    ['1', '0.1', '', 100],
    ['1000000', '1000000', '10000000', 1e9],
  ] as const) {
    await page.getByLabelText(limits.viewers, { exact: true }).fill(viewers)
    await page.getByLabelText(limits.upload, { exact: true }).fill(upload)
    await page.getByLabelText(limits.month, { exact: true }).fill(month)
    await page.getByRole('button', { name: limits.save }).click()
    const call = { maxViewers: Number(viewers), maxKbps: kbps, maxGigabytes: Number(month) }
    saved.push({ profileId: 'local', call })
    await expect.poll(() => client.inputs(path)).toEqual(saved)
  }
})
