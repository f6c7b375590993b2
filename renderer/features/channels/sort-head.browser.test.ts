import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { spoken } from '../../format/languages.ts'
import { mounted } from '../../testing/mounted.ts'
import type { RowSort, SortColumn } from './rows.ts'
import SortHead from './sort-head.vue'
import { channelsWords } from './words.ts'

const { channels: words } = spoken(channelsWords, 'en')
const show = async (column: SortColumn, first: RowSort) => {
  const sort = ref(first)
  const part = {
    render: () =>
      h(SortHead, { column, end: false, sort: sort.value, 'onUpdate:sort': (now: RowSort) => (sort.value = now) }),
  }
  await mounted(part)
  return sort
}
const head = () => page.getByRole('button')
const label = (column: SortColumn, way?: string): string =>
  [words.sortBy.replace('{column}', words.column[column]), ...(way === undefined ? [] : [way])].join(words.comma)
const elsewhere = (column: SortColumn): RowSort => ({
  column: column === 'name' ? 'tally' : 'name',
  descending: true,
})

describe('the head of a column', () => {
  it.each([
    ['tally', false],
    ['name', false],
    ['since', true],
    ['kbps', true],
    ['viewers', true],
    ['keyExpires', false],
    ['created', true],
  ] as const)('sorts by %s, descending first: %s, then the other way and back', async (column, descending) => {
    const sort = await show(column, elsewhere(column))
    for (const way of [descending, !descending, descending]) {
      await head().click()
      expect(sort.value).toEqual({ column, descending: way })
    }
  })

  it.each(['tally', 'name', 'since', 'kbps', 'viewers', 'keyExpires'] as const)(
    'says which way it sorts by %s',
    async (column) => {
      const sort = await show(column, { column, descending: true })
      await expect.element(head()).toHaveAccessibleName(label(column, words.descending))
      sort.value = { column, descending: false }
      await expect.element(head()).toHaveAccessibleName(label(column, words.ascending))
    },
  )

  it('says of the time of creation what comes first', async () => {
    const sort = await show('created', { column: 'created', descending: true })
    await expect.element(head()).toHaveAccessibleName(label('created', words.newest))
    sort.value = { column: 'created', descending: false }
    await expect.element(head()).toHaveAccessibleName(label('created', words.oldest))
  })

  it('has an arrow, and tells a way, only while the rows are sorted by it', async () => {
    const sort = await show('kbps', { column: 'name', descending: true })
    await expect.element(head()).toHaveAccessibleName(label('kbps'))
    const arrow = () => head().element().querySelector('[aria-hidden]')
    expect(arrow()).toBeNull()
    sort.value = { column: 'kbps', descending: true }
    await expect.poll(arrow).not.toBeNull()
  })
})
