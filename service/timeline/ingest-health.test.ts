import { expect, test } from 'vitest'
import { createIngestHealth } from './ingest-health.ts'
import { createIngestWindow } from './ingest-window.ts'
import type { MediaPacket } from './packet.ts'

const body = Buffer.alloc(1000)
const video = (timestamp: number, keyFrame = false, bytes = body): MediaPacket => ({
  kind: 'video',
  timestamp,
  body: bytes,
  keyFrame,
  configuration: false,
  arrived: 0,
})
const audio = (timestamp: number): MediaPacket => ({ ...video(timestamp), kind: 'audio' })
/**
 * 25 video and 25 audio frames a second, a key frame every `gop` ms, media time `from` to `to`; `wall` gives the
 * arrival times.
 */
function push(
  health: ReturnType<typeof createIngestHealth>,
  from: number,
  to: number,
  wall: (media: number) => number,
  { gop = 2000, sound = true } = {},
): void {
  for (let media = from; media < to; media += 40) {
    health.add(video(media, media % gop === 0), wall(media))
    if (sound) health.add(audio(media), wall(media))
  }
}

test('an even push has no drift, no gap and no deviation', () => {
  const health = createIngestHealth()
  expect(health.figures(5000)).toEqual({})
  push(health, 0, 30_000, (media) => 7_000 + media)
  expect(health.figures(36_960)).toEqual({ drift: 0, kbpsDeviation: 0, audioGap: 40, keyFrameGapMax: 2000 })
})

test('media time that falls behind is told, also while nothing comes, and forgotten after a minute', () => {
  const health = createIngestHealth()
  push(health, 0, 10_000, (media) => media)
  push(health, 10_000, 15_000, (media) => 10_000 + (media - 10_000) * 2)
  // The largest lead of the last 2 s counts.
  expect(health.figures(19_960).drift).toBeGreaterThan(3_800)
  expect(health.figures(19_960).drift).toBeLessThanOrEqual(5_000)
  expect(health.figures(27_000).drift).toBe(27_000 - 14_960)
  push(health, 15_000, 100_000, (media) => media + 5_000)
  expect(health.figures(104_960).drift).toBe(0)
})

test('a stall after which the encoder catches up is no drift any more; a sender without a clock runs ahead', () => {
  const health = createIngestHealth()
  push(health, 0, 10_000, (media) => media)
  push(health, 10_000, 14_000, () => 14_000)
  push(health, 14_000, 20_000, (media) => media)
  expect(health.figures(19_960).drift).toBe(0)
  push(health, 20_000, 80_000, (media) => 20_000 + (media - 20_000) / 10)
  expect(health.figures(26_000).drift).toBeLessThan(-40_000)
})

test('a missing sound grows until it is back and is remembered for 10 s; a push without sound has no gap', () => {
  const health = createIngestHealth()
  push(health, 0, 5_000, (media) => media, { sound: false })
  expect(health.figures(5_000)).not.toHaveProperty('audioGap')
  push(health, 5_000, 8_000, (media) => media)
  push(health, 8_000, 12_000, (media) => media, { sound: false })
  expect(health.figures(12_000).audioGap).toBe(4_000)
  push(health, 12_000, 20_000, (media) => media)
  expect(health.figures(20_000).audioGap).toBe(4_040)
  push(health, 20_000, 26_000, (media) => media)
  expect(health.figures(26_000).audioGap).toBe(40)
})

test('a pause of the encoder, after which sound goes on with the picture, is no audio gap', () => {
  const health = createIngestHealth()
  push(health, 0, 5_000, (media) => media)
  push(health, 9_000, 12_000, (media) => media)
  expect(health.figures(12_000).audioGap).toBe(40)
})

test('the key frame that does not come counts at once, and its gap for a minute', () => {
  const health = createIngestHealth()
  push(health, 0, 20_000, (media) => media, { gop: 8_000 })
  expect(health.figures(20_000).keyFrameGapMax).toBe(8_000)
  push(health, 20_000, 26_000, (media) => media, { gop: 26_000 })
  expect(health.figures(26_000).keyFrameGapMax).toBe(9_960)
  push(health, 26_000, 120_000, (media) => media, { gop: 1_000 })
  expect(health.figures(120_000).keyFrameGapMax).toBe(1_000)
})

test('the bitrate deviates when it does between key frames, not because key frames are large', () => {
  const even = createIngestHealth()
  const uneven = createIngestHealth()
  for (let media = 0; media < 40_000; media += 40) {
    even.add(video(media, media % 2000 === 0, Buffer.alloc(media % 2000 === 0 ? 100_000 : 100)), media)
    uneven.add(video(media, media % 2000 === 0, Buffer.alloc(media % 4000 < 2000 ? 4000 : 1000)), media)
  }
  expect(even.figures(40_000).kbpsDeviation).toBe(0)
  // 800 and 200 kbit/s in turn.
  expect(uneven.figures(40_000).kbpsDeviation).toBe(300)
})

test('a stall is no uneven bitrate, whether the encoder catches up or leaves out what it missed', () => {
  for (const skipped of [0, 10_000]) {
    const health = createIngestHealth()
    push(health, 0, 20_000, (media) => media)
    // Nothing for 10 s, then the backlog at once.
    push(health, 20_000 + skipped, 30_000 + skipped, (media) =>
      skipped === 0 ? 30_000 + (media - 20_000) / 100 : media,
    )
    push(health, 30_000 + skipped, 36_000 + skipped, (media) => media + (skipped === 0 ? 100 : 0))
    expect(health.figures(36_000 + skipped).kbpsDeviation).toBeLessThan(10)
  }
})

test('a window keeps the largest of each slot and forgets whole slots', () => {
  const window = createIngestWindow(3, 1000)
  expect([window.largest(0), window.oldest(0)]).toEqual([undefined, undefined])
  window.add(-5, 100)
  window.add(-7, 900)
  window.add(3, 1500)
  expect([window.largest(1500), window.oldest(1500)]).toEqual([3, -5])
  expect([window.largest(3200), window.oldest(3200)]).toEqual([3, 3])
  expect([window.largest(9000), window.oldest(9000)]).toEqual([undefined, undefined])
})

test('a pause of the encoder counts neither for its interval of key frames nor for its sound or its rate', () => {
  const health = createIngestHealth()
  push(health, 0, 10_000, (media) => media)
  // Only video stops, as with a paused camera.
  for (let media = 10_000; media < 15_000; media += 40) health.add(audio(media), media)
  push(health, 15_000, 30_000, (media) => media)
  // The pause is no interval of key frames and no rate.
  expect(health.figures(30_000)).toEqual({ drift: 0, kbpsDeviation: 0, audioGap: 40, keyFrameGapMax: 2960 })
  // Both tracks pause.
  push(health, 34_000, 50_000, (media) => media)
  expect(health.figures(50_000)).toMatchObject({ kbpsDeviation: 0, audioGap: 40, keyFrameGapMax: 2960 })
  // An interval of 6 s is reported.
  push(health, 54_000, 80_000, (media) => media, { gop: 6000 })
  expect(health.figures(80_000)).toMatchObject({ audioGap: 40, keyFrameGapMax: 6000 })
})

test('nothing is told before media, nor of configurations and data', () => {
  const health = createIngestHealth()
  health.add({ ...video(0, true), configuration: true }, 0)
  health.add({ ...video(0), kind: 'data' }, 0)
  expect(health.figures(10)).toEqual({})
  health.add(video(5), 1000)
  expect(health.figures(1000)).toEqual({ drift: 0 })
})

test('the deviation is told of four rates at least, and of the last eight', () => {
  const health = createIngestHealth()
  const pair = (index: number, bytes: number): void => {
    const key = video(index * 2000, true, Buffer.alloc(bytes))
    health.add(key, index * 2000)
    for (const after of [500, 1000, 1500])
      health.add(video(index * 2000 + after, false, Buffer.alloc(0)), index * 2000 + after)
  }
  // Rates of 4 and 8 kbit/s in turn; a rate is known with the key frame that ends it.
  for (let index = 0; index < 4; index++) pair(index, index % 2 === 0 ? 1000 : 2000)
  expect(health.figures(8000)).not.toHaveProperty('kbpsDeviation')
  pair(4, 1000)
  expect(health.figures(8000).kbpsDeviation).toBe(2)
  for (let index = 5; index < 12; index++) pair(index, 1000)
  // The last rate of 8 kbit/s is the first of the eight.
  expect(health.figures(24_000).kbpsDeviation).toBe(1)
  pair(12, 1000)
  expect(health.figures(26_000).kbpsDeviation).toBe(0)
})

test('key frames closer than 2 s have one rate together', () => {
  const health = createIngestHealth()
  for (let media = 0; media < 12_000; media += 500)
    health.add(video(media, true, Buffer.alloc(media % 1000 === 0 ? 1000 : 3000)), media)
  expect(health.figures(12_000)).toMatchObject({ kbpsDeviation: 0, keyFrameGapMax: 500 })
})

test('drift is the lead of a minute ago less that of now: positive where media fall behind', () => {
  const behind = createIngestHealth()
  behind.add(audio(0), 0)
  behind.add(audio(1000), 1700)
  expect(behind.figures(1700).drift).toBe(0)
  expect(behind.figures(3700).drift).toBe(2700)
  const ahead = createIngestHealth()
  ahead.add(audio(0), 0)
  for (let media = 1000; media <= 30_000; media += 1000) ahead.add(audio(media), media / 2)
  // The lead is 15 s now, and was 9.5 s at the most in the first 10 s.
  expect(ahead.figures(15_000).drift).toBe(-5500)
})

test('a step of media time of up to 1 s is a gap of the sound, a longer one a pause', () => {
  const gapAfter = (step: number): number | undefined => {
    const health = createIngestHealth()
    for (const at of [0, 40, 40 + step]) health.add(audio(at), at)
    return health.figures(40 + step).audioGap
  }
  expect([gapAfter(1000), gapAfter(1001)]).toEqual([1000, 40])
})

test('a window has so many slots: the oldest counts until its time is over to the ms', () => {
  const window = createIngestWindow(3, 1000)
  window.add(5, 999)
  expect([window.largest(2999), window.oldest(2999)]).toEqual([5, 5])
  expect([window.largest(3000), window.oldest(3000)]).toEqual([undefined, undefined])
  window.add(2, 3000)
  window.add(1, 3000)
  expect([window.largest(3000), window.oldest(3000)]).toEqual([2, 2])
})
