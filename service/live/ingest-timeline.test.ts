import { expect, test } from 'vitest'
import { createIngestTimeline } from './ingest-timeline.ts'

/** Times given to frames that arrive in real time, 40 ms apart. */
const times = (stamps: readonly number[], apart = 40): number[] => {
  const timeline = createIngestTimeline()
  return stamps.map((stamp, index) => timeline.frame(stamp >>> 0, 5_000_000 + index * apart))
}

test('it begins at 0 wherever the encoder begins', () => {
  expect(times([3_600_000, 3_600_040, 3_600_080])).toEqual([0, 40, 80])
})

test('it goes on across 2^32 and 2^31', () => {
  expect(times([2 ** 32 - 40, 0, 40])).toEqual([0, 40, 80])
  expect(times([2 ** 32 - 1, 2 ** 32])).toEqual([0, 1])
  expect(times([2 ** 31 - 20, 2 ** 31 + 20, 2 ** 31 + 60])).toEqual([0, 40, 80])
})

test('untidy interleaving never goes backward and loses no time', () => {
  expect(times([100, 140, 120, 180, 170, 220])).toEqual([0, 40, 40, 80, 80, 120])
})

test.each([
  ['10 h forward', 36_000_000],
  ['149 h forward', 536_400_000],
  ['half of the range', 2 ** 31],
  ['1 h back', -3_600_000],
  ['just over the limit', 10_041],
])('a jump of %s passes as the time that really passed', (_, jump) => {
  expect(times([1000, 1040, 1080 + jump, 1120 + jump, 1160 + jump])).toEqual([0, 40, 80, 120, 160])
})

test('a real pause of up to 10 s is kept', () => {
  const timeline = createIngestTimeline()
  expect(timeline.frame(0, 0)).toBe(0)
  expect(timeline.frame(9000, 9000)).toBe(9000)
  expect(timeline.frame(9040, 9040)).toBe(9040)
})

test('two tracks that jump one after the other stay together', () => {
  const timeline = createIngestTimeline()
  const jump = 36_000_000
  const given = [0, 20, 40, 60 + jump, 70, 80 + jump, 100 + jump, 120 + jump].map((stamp, index) => timeline.frame(stamp, 1000 + index * 20))
  expect(given).toEqual(given.toSorted((one, other) => one - other))
  expect(given.at(-1)).toBeLessThan(300)
})

test('a hostile stream of wild timestamps never goes backward and never runs far ahead of the clock', () => {
  let seed = 42
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return seed
  }
  const timeline = createIngestTimeline()
  let last = 0
  for (let index = 0; index < 10_000; index++) {
    const time = timeline.frame(random(), index)
    expect(time).toBeGreaterThanOrEqual(last)
    last = time
  }
  expect(last).toBeLessThan(10_000 * 40)
})
