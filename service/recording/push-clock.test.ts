import { describe, expect, it } from 'vitest'
import { PushClock } from './push-clock.ts'

const begun = 1_700_000_000_000
/** Passes a packet every 100 ms of media time, each delayed by `late`. */
const hear = (clock: PushClock, from: number, to: number, late: (at: number) => number): void => {
  for (let at = from; at < to; at += 100) clock.heard({ timestamp: at, arrived: begun + at + late(at) })
}

describe('the clock of a push', () => {
  it('is that of its arrivals while these are on time', () => {
    const clock = new PushClock()
    hear(clock, 0, 5000, () => 40)
    expect(clock.at(5000)).toBe(begun + 5040)
  })

  it('does not follow packets that are held up, and knows a first one that was', () => {
    const clock = new PushClock()
    hear(clock, 0, 20_000, () => 40)
    hear(clock, 20_000, 24_000, (at) => 24_000 - at)
    expect(clock.at(24_000)).toBe(begun + 24_040)
    const late = new PushClock()
    hear(late, 0, 3000, (at) => 3000 - at)
    hear(late, 3000, 4000, () => 20)
    expect(late.at(0)).toBe(begun + 20)
  })

  it('follows an encoder whose clock is slow, and a clock of the computer that is set', () => {
    const clock = new PushClock()
    hear(clock, 0, 7_200_000, (at) => at / 1000)
    expect(Math.abs(clock.at(7_200_000) - (begun + 7_200_000 + 7200))).toBeLessThan(50)
    const set = new PushClock()
    hear(set, 0, 20_000, () => 0)
    hear(set, 20_000, 60_000, () => 3_600_000)
    expect(set.at(60_000)).toBe(begun + 3_660_000)
    hear(set, 60_000, 60_100, () => -3_600_000)
    expect(set.at(60_100)).toBe(begun + 60_100 - 3_600_000)
  })

  it('is right again at once when the clock of the computer is set right', () => {
    for (const off of [-86_400_000, 86_400_000]) {
      const clock = new PushClock()
      hear(clock, 0, 20_000, () => 40)
      hear(clock, 20_000, 23_000, () => off)
      hear(clock, 23_000, 23_100, () => 40)
      expect(clock.at(23_000)).toBe(begun + 23_040)
    }
  })

  it('remembers the least delay over the begin of the next 15 s, and not longer', () => {
    const clock = new PushClock()
    hear(clock, 0, 15_000, () => 40)
    hear(clock, 15_000, 18_000, () => 3040)
    expect(clock.at(18_000)).toBe(begun + 18_040)
    hear(clock, 18_000, 26_000, () => 3040)
    expect(clock.at(26_000)).toBe(begun + 26_040)
    // Two windows later the delay is that of the network now.
    hear(clock, 26_000, 46_000, () => 3040)
    expect(clock.at(46_000)).toBe(begun + 49_040)
  })
})
