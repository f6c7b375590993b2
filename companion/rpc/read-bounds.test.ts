import { expect, it } from 'vitest'
import { maxLate } from './late-measure.ts'
import { maxSeatReads, seatReadRate } from './seat-reads.ts'

it('of all moderators eight reads run at once, and four of one', () => {
  expect(maxSeatReads).toEqual({ ofSeat: 4, ofAll: 8 })
})

it('a moderator reads 1,000 times and 32 MiB of characters at once, then 25 times and 2 MiB a second', () => {
  expect(seatReadRate).toEqual({
    calls: { perSecond: 25, atOnce: 1_000 },
    characters: { perSecond: 2_097_152, atOnce: 33_554_432 },
  })
})

it('of a page that was ended eight measures are written down', () => {
  expect(maxLate).toBe(8)
})
