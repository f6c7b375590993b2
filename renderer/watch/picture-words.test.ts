import { expect, it } from 'vitest'
import { goesOnIn } from './picture-words.ts'

it.each([
  [{ growsTo: 25_000, length: 0 }, 0, 25],
  [{ growsTo: 25_000, length: 4_500 }, 0, 21],
  [{ growsTo: 25_000, length: 4_500 }, 8, 13],
  [{ growsTo: 25_000, length: 19_000 }, 8, 0],
  [{ growsTo: undefined, length: 19_000 }, 8, undefined],
] as const)('a delay that grows, %o, from %d s on, lasts for so many s more: %s', (held, delay, seconds) => {
  expect(goesOnIn(held, delay)).toBe(seconds)
})
