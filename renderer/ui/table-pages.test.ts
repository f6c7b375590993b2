import { expect, it } from 'vitest'
import { pageOf } from './table-pages.ts'

const rows = [1, 2, 3, 4, 5]

it.each([
  [1, { rows: [1, 2], page: 1, pages: 3, first: 1, last: 2 }],
  [3, { rows: [5], page: 3, pages: 3, first: 5, last: 5 }],
  [9, { rows: [5], page: 3, pages: 3, first: 5, last: 5 }],
  [0, { rows: [1, 2], page: 1, pages: 3, first: 1, last: 2 }],
])('shows page %i within the pages that there are', (page, shown) => {
  expect(pageOf(rows, page, 2)).toEqual(shown)
})

it('has one empty page without rows', () => {
  expect(pageOf([], 2, 2)).toEqual({ rows: [], page: 1, pages: 1, first: 0, last: 0 })
})

it('has one page where all rows fit', () => {
  expect(pageOf(rows, 1, 5).pages).toBe(1)
  expect(pageOf(rows, 1, 4).pages).toBe(2)
})
