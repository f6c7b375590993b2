import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { mounted, starting, withProps } from '../../testing/mounted.ts'
import { noLimits, sheetAnswers, usualAccess, usualReach } from '../../testing/share-values.ts'
import type { SharePart } from '../channels/dialogs.ts'
import ShareSheet from './share-sheet.vue'
import { shareWords } from './words.ts'

const { share: words } = spoken(shareWords, 'en')
const controls = {
  entry: () => page.getByRole('button', { name: words.entry.everybody }),
  limits: () => page.getByLabelText(words.limits.viewers, { exact: true }),
  off: () => page.getByRole('button', { name: words.off.action }),
  next: () => page.getByLabelText(words.next.at),
  visit: () => page.getByRole('button', { name: words.visit.start }),
} satisfies Partial<Record<SharePart, unknown>>

it.each([
  ['entry', 1440],
  ['limits', 1440],
  ['limits', 1000],
  ['off', 1000],
  ['next', 1440],
  ['next', 1000],
  ['visit', 1440],
  ['visit', 1000],
] as const)('the sheet of who can watch opens at %s where that was asked for, %i px wide', async (part, width) => {
  await page.viewport(width, 700)
  const on = { profileId: 'local', cid: 'a'.repeat(32) }
  await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio', part }), {
    answers: {
      'operations.access.access': () => ({ ret: usualAccess }),
      'operations.access.watchLimits': () => ({ ret: noLimits }),
      'operations.access.schedule': () => ({ ret: {} }),
      'operations.reach.reach': () => ({
        ret: { ...usualReach, reach: 'proxy', url: 'https://radio.example', publicUrl: 'https://radio.example' },
      }),
      'operations.reach.visits': () => ({ ret: { list: [] } }),
    },
  })
  await expect.element(controls[part]()).toHaveFocus()
  await expect.element(controls[part]()).toBeInViewport()
})

it('the sheet opens at the ways that it reaches where a phone would find nothing by the present one', async () => {
  await page.viewport(1440, 700)
  const on = { profileId: 'local', cid: 'a'.repeat(32) }
  await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio', part: 'visit' }), {
    answers: sheetAnswers(),
  })
  await expect.element(page.getByRole('radio', { name: starting(words.reach.computer) })).toHaveFocus()
})
