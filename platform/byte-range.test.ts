import { expect, it } from 'vitest'
import { chooseRange, isByteRange } from './byte-range.ts'

it.each([
  ['bytes=0-4', { from: 0, to: 4 }],
  ['bytes=2-', { from: 2, to: 9 }],
  ['bytes=2-99', { from: 2, to: 9 }],
  [' bytes=9-9 ', { from: 9, to: 9 }],
  ['bytes=-3', { from: 7, to: 9 }],
  ['bytes=-99', { from: 0, to: 9 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=10-', 'unsatisfiable'],
  [undefined, 'all'],
  ['', 'all'],
  ['bytes=-', 'all'],
  ['bytes=5-2', 'all'],
  ['bytes=0-0,2-3', 'all'],
  ['bytes=a-b', 'all'],
  ['items=0-1', 'all'],
  ['bytes=0-9999999999999999', 'all'],
])('of ten bytes, %s means %j', (header, range) => {
  expect(chooseRange(header, 10)).toEqual(range)
})

it('has nothing in an empty file', () => {
  expect(['bytes=0-', 'bytes=-1'].map((header) => chooseRange(header, 0))).toEqual(['unsatisfiable', 'unsatisfiable'])
})

it('is one range in bytes, and no text of any length', () => {
  expect(['bytes=0-4', 'bytes=-4', 'bytes=4-'].every(isByteRange)).toBe(true)
  expect(['bytes=0-1,3-4', 'items=0-1', `bytes=${'1'.repeat(16)}-`, 'bytes=0-1\r\n'].some(isByteRange)).toBe(false)
})
