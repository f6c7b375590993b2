import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { reaches } from '../../../contract/operations/reach.ts'
import { spoken, type Language } from '../../format/languages.ts'
import { mounted, withProps } from '../../testing/mounted.ts'
import { sheetAnswers } from '../../testing/share-values.ts'
import { reachReasons } from './reach-reasons.ts'
import ShareSheet from './share-sheet.vue'
import type { Reach } from './share.ts'
import { shareWords } from './words.ts'

const on = { profileId: 'local', cid: 'a'.repeat(32) }
/** Windows of the least size that has both parts, of one that has one at a time, and of an old screen. */
const sizes = [
  [1440, 900],
  [1120, 720],
  [1280, 1024],
] as const
/** Elements of which something is cut off. */
const cutIn = (within: Element): string[] =>
  [within, ...within.querySelectorAll('*')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible')
    .map((one) => one.textContent.trim())

it.each(
  (['en', 'zh'] as const satisfies readonly Language[]).flatMap((language) =>
    sizes.map(([width, height]) => [language, width, height] as const),
  ),
)('cuts off no word of what is wrong with a way (%s, %d × %d)', async (language, width, height) => {
  const { share: words } = spoken(shareWords, language)
  await page.viewport(width, height)
  onTestFinished(() => page.viewport(1440, 900))
  const longest = reachReasons.toSorted((a, b) => words.why[b].length - words.why[a].length)[0]!
  const reach: Partial<Reach> = {
    reach: 'proxy',
    url: 'https://radio.example',
    publicUrl: 'https://radio.example',
    results: reaches.map((one) => ({ reach: one, state: 'fault', reason: longest })),
  }
  await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio of the Harbour' }), {
    language,
    answers: sheetAnswers({}, reach),
  })
  if (width < 1200) await page.getByRole('button', { name: words.tab.reach, exact: true }).click()
  const group = page.getByRole('radiogroup', { name: words.reach.title })
  await expect.element(group.getByText(words.why[longest]).first()).toBeVisible()
  expect(group.getByText(words.why[longest]).elements()).toHaveLength(reaches.length)
  expect(cutIn(group.element())).toEqual([])
  for (const row of group.element().querySelectorAll('button')) {
    const { right } = row.getBoundingClientRect()
    for (const part of row.querySelectorAll('span, svg'))
      expect(part.getBoundingClientRect().right, part.textContent).toBeLessThanOrEqual(right)
  }
  const told = page.getByRole('banner').getByRole('status').first().element()
  expect(told.textContent).toContain(words.why[longest])
  expect(cutIn(told)).toEqual([])
})
