import { expect, it } from 'vitest'
import { cutMark, cutText } from './cut-text.ts'

it('leaves a text of the longest length as it is, and ends a longer one with the mark within that length', () => {
  expect(cutText('0123456789', 10)).toBe('0123456789')
  expect(cutText('0123456789a', 10)).toBe(`01234${cutMark}`)
  expect([cutMark, cutText('x'.repeat(100), 10).length]).toEqual(['[cut]', 10])
})
