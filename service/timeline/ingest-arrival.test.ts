import { expect, it } from 'vitest'
import { maxArrivalGap, maxArrivalLead, createArrivalTrend } from './ingest-arrival.ts'

it('goes on with the arrivals from 0, a longer gap as the longest one, and a step back as none', () => {
  const line = createArrivalTrend()
  expect([line.now, line.place]).toEqual([0, 0])
  const seen = [5_000, 5_040, 5_040 + maxArrivalGap, 90_000, 80_000, 80_020].map((time) => {
    line.tick(time)
    return line.now
  })
  expect(seen).toEqual([
    0,
    40,
    40 + maxArrivalGap,
    40 + 2 * maxArrivalGap,
    40 + 2 * maxArrivalGap,
    60 + 2 * maxArrivalGap,
  ])
  expect(line.place).toBe(line.now)
})

it('is moved ahead where both tracks are further ahead than that, and counts as fast for a second', () => {
  const line = createArrivalTrend()
  line.tick(0)
  line.put(maxArrivalLead, maxArrivalLead)
  expect([line.place, line.fast]).toEqual([0, false])
  // The track behind decides.
  line.put(5_000, maxArrivalLead)
  expect([line.place, line.fast]).toEqual([0, false])
  line.put(5_000, maxArrivalLead + 1)
  expect([line.place, line.fast]).toEqual([1, true])
  line.put(5_000, 3_000)
  expect(line.place).toBe(3_000 - maxArrivalLead)
  line.tick(1_000)
  expect([line.fast, line.place]).toEqual([true, 1_000 + 3_000 - maxArrivalLead])
  line.tick(1_001)
  expect(line.fast).toBe(false)
})

it('is moved back where everything was behind it for 15 s, to the furthest of that time', () => {
  const line = createArrivalTrend()
  for (let at = 0; at < 15_000; at += 1_000) {
    line.tick(at)
    line.put(at - (at === 5_000 ? 300 : 900), at - 1_000)
  }
  expect(line.place).toBe(14_000)
  line.tick(15_000)
  line.put(14_100, 14_000)
  expect(line.place).toBe(15_000 - 300)
  // The next 15 s count for themselves.
  for (let at = 16_000; at < 30_000; at += 1_000) {
    line.tick(at)
    line.put(at - 900, at - 1_000)
  }
  expect(line.place).toBe(29_000 - 300)
  line.tick(30_000)
  line.put(29_100, 29_000)
  expect(line.place).toBe(30_000 - 900)
})

it('has a longest gap of 10 s and a lead of 500 ms', () => {
  expect([maxArrivalGap, maxArrivalLead]).toEqual([10_000, 500])
})

it('is not moved back before 15 s, nor ahead by what comes late', () => {
  const line = createArrivalTrend()
  line.tick(0)
  line.tick(9_000)
  line.put(1_000, 1_000)
  line.tick(14_999)
  line.put(2_000, 2_000)
  expect([line.now, line.place, line.fast]).toEqual([14_999, 14_999, false])
  line.tick(15_000)
  line.put(2_000, 2_000)
  // The one that was least behind counts: by 8 s.
  expect(line.place).toBe(7_000)
  line.put(7_500, 7_500)
  expect([line.place, line.fast]).toEqual([7_000, false])
  line.put(7_501, 7_501)
  expect([line.place, line.fast]).toEqual([7_001, true])
})
