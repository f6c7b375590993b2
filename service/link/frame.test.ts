import { expect, it } from 'vitest'
import { pingFrame, textFrame } from './frame.ts'

it('a ping has no payload', () => {
  expect([...pingFrame]).toEqual([0x89, 0])
})

it.each([
  ['', [0x81, 0]],
  ['ab', [0x81, 2, 0x61, 0x62]],
  ['é', [0x81, 2, 0xc3, 0xa9]],
])('a text is framed whole, with its length in bytes: %j', (text, bytes) => {
  expect([...textFrame(text)]).toEqual(bytes)
})

it.each([
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [65_535, [0x81, 126, 0xff, 0xff]],
  [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
])('a text of %i bytes has the shortest header that holds its length', (length, head) => {
  const frame = textFrame('x'.repeat(length))
  expect([...frame.subarray(0, head.length)]).toEqual(head)
  expect(frame.subarray(head.length).toString()).toBe('x'.repeat(length))
})
