import { expect, it } from 'vitest'
import { createIngestMeter } from './ingest-meter.ts'
import type { MediaPacket } from './packet.ts'

/** A picture of 25,000 bytes, 30 a second: 6,000 kbps. */
const picture = (number: number): MediaPacket => ({
  arrived: 0,
  kind: 'video',
  body: Buffer.alloc(25_000),
  timestamp: Math.round((number * 1_000) / 30),
  keyFrame: number % 60 === 0,
  configuration: false,
})

it('tells the rate at which pictures come', () => {
  const meter = createIngestMeter()
  for (let number = 0; number < 90; number++) meter.add(picture(number), (number * 1_000) / 30)
  const { kbps, millifps, keyFrameGap } = meter.figures(3_000)
  expect([kbps! / 100, millifps! / 1_000]).toEqual([expect.closeTo(60, -0.5), expect.closeTo(30, -0.5)])
  expect(keyFrameGap).toBe(2_000)
})

it('tells the rate of the push where 18 s of it come at once: the encoder never sent faster', () => {
  const meter = createIngestMeter()
  for (let number = 0; number < 90; number++) meter.add(picture(number), (number * 1_000) / 30)
  for (let number = 90; number < 630; number++) meter.add(picture(number), 21_000)
  const { kbps, millifps } = meter.figures(21_050)
  expect([kbps! / 1_000, millifps! / 1_000]).toEqual([expect.closeTo(6, 0), expect.closeTo(30, 0)])
})

it('counts what passes where the time of the push jumps', () => {
  const meter = createIngestMeter()
  for (let number = 0; number < 90; number++)
    meter.add(
      { ...picture(number), timestamp: picture(number).timestamp + (number > 60 ? 3_600_000 : 0) },
      (number * 1_000) / 30,
    )
  expect(meter.figures(3_000).kbps! / 100).toBeCloseTo(60, -0.5)
})

it('tells no rate in the first 0.5 s, nor of a push that has sent nothing', () => {
  const meter = createIngestMeter()
  expect(meter.figures(1_000)).toEqual({})
  for (let number = 0; number < 30; number++) meter.add(picture(number), 1_000 + (number * 1_000) / 30)
  expect(meter.figures(1_499)).toEqual({})
  expect(meter.figures(1_500)).toHaveProperty('kbps')
  expect(meter.figures(1_500)).not.toHaveProperty('keyFrameGap')
})

it('tells the rate of the last 2 s, and 0 when nothing has come in them', () => {
  const meter = createIngestMeter()
  for (let number = 0; number < 90; number++) meter.add(picture(number), (number * 1_000) / 30)
  // Half of the window is silent.
  const { kbps } = meter.figures(4_000)
  expect(kbps! / 100).toBeCloseTo(30, -0.5)
  expect(meter.figures(6_000)).toEqual({ kbps: 0, millifps: 0, keyFrameGap: 2_000 })
})

it('counts pictures only: sound and configurations have bytes, but are no pictures', () => {
  const meter = createIngestMeter()
  for (let number = 0; number < 30; number++) meter.add({ ...picture(number), kind: 'audio' }, (number * 1_000) / 30)
  const sound = meter.figures(1_000)
  expect(sound.kbps).toBe(6_000)
  expect(sound).not.toHaveProperty('millifps')
  const configurations = createIngestMeter()
  for (let number = 0; number < 30; number++)
    configurations.add({ ...picture(number), configuration: true }, (number * 1_000) / 30)
  expect(configurations.figures(1_000)).toEqual({ kbps: 6_000 })
  for (let number = 30; number < 60; number++) configurations.add(picture(number), (number * 1_000) / 30)
  expect(configurations.figures(2_000).millifps).toBeLessThan(20_000)
})

it('tells the interval of the last two key frames', () => {
  const meter = createIngestMeter()
  for (const [timestamp, keyFrame] of [
    [0, true],
    [1_000, false],
    [3_000, true],
    [3_500, true],
  ] as const)
    meter.add({ ...picture(0), timestamp, keyFrame }, timestamp)
  expect(meter.figures(3_500)).toMatchObject({ keyFrameGap: 500 })
})

it('tells kilobits per second and pictures per 1,000 s, to the ms of the age of a push', () => {
  const meter = createIngestMeter()
  meter.add({ ...picture(0), body: Buffer.alloc(1_000), timestamp: 0 }, 1_000)
  meter.add({ ...picture(1), body: Buffer.alloc(1_500), timestamp: 500 }, 1_500)
  expect(meter.figures(1_500)).toEqual({ kbps: 40, millifps: 4_000 })
  expect(meter.figures(1_625)).toEqual({ kbps: 32, millifps: 3_200 })
})

it('forgets what is 2 s old by steps of 100 ms', () => {
  const meter = createIngestMeter()
  meter.add({ ...picture(0), body: Buffer.alloc(1_000), timestamp: 0 }, 1_000)
  meter.add({ ...picture(1), body: Buffer.alloc(1_000), timestamp: 40 }, 1_100)
  // From 1,000 to 2,999: both; from 1,100 on only the second.
  expect(meter.figures(2_999).millifps).toBe(Math.round(2_000_000 / 1_999))
  expect(meter.figures(3_000).millifps).toBe(Math.round(1_000_000 / 1_900))
  expect(meter.figures(3_100)).toEqual({ kbps: 0, millifps: 0 })
})

it('spreads a burst over its media time from one and a half times the time in which it came', () => {
  const rate = (media: number): number => {
    const meter = createIngestMeter()
    for (const [timestamp, now] of [
      [0, 1_000],
      [media / 2, 1_500],
      [media, 2_000],
    ] as const)
      meter.add({ ...picture(1), body: Buffer.alloc(1_000), timestamp }, now)
    return meter.figures(2_000).kbps!
  }
  expect([rate(1_000), rate(1_500), rate(1_502), rate(2_000)]).toEqual([24, 24, 16, 12])
})

it('takes a step of media time of more than 1 s for a pause, either way', () => {
  const meter = createIngestMeter()
  const add = (timestamp: number, now: number): void =>
    meter.add({ ...picture(1), body: Buffer.alloc(1_000), timestamp }, now)
  add(0, 1_000)
  add(1_001, 1_200)
  add(9_000, 1_400)
  // A clock that was set back is followed from there.
  add(0, 1_600)
  add(800, 1_800)
  add(1_600, 2_000)
  // 1.6 s of media in 1 s.
  expect(meter.figures(2_000).kbps).toBe(Math.round(48_000 / 1_600))
})

/** Adds pictures of 6,000 kbps that come from `start` to `end`, in ms. */
const adds = (meter: ReturnType<typeof createIngestMeter>, start: number, end: number): void => {
  for (let number = Math.ceil((start * 30) / 1_000); (number * 1_000) / 30 <= end; number++)
    meter.add(picture(number), (number * 1_000) / 30)
}

it('keeps its last rate while nothing comes, and until 2 s have come again', () => {
  const meter = createIngestMeter()
  adds(meter, 0, 6_000)
  const rate = meter.lastKbps()!
  expect(rate / 100).toBeCloseTo(60, -0.5)
  expect(meter.figures(7_000).kbps).toBeLessThan(4_000)
  expect(meter.lastKbps()).toBe(rate)
  adds(meter, 11_000, 11_500)
  expect(meter.lastKbps()).toBe(rate)
  adds(meter, 11_501, 14_000)
  expect(meter.lastKbps()! / 100).toBeCloseTo(60, -0.5)
})

it('has no last rate in the first 2 s, and then one that what came early does not raise', () => {
  const meter = createIngestMeter()
  // 0.6 s come at once, and the rest that much early.
  const early = (from: number, to: number): void => {
    for (let number = from; number < to; number++) meter.add(picture(number), 1_000 + Math.max(0, number - 17) * 33)
  }
  early(0, 63)
  expect(meter.figures(2_500).kbps).toBeGreaterThan(8_000)
  expect(meter.lastKbps()).toBeUndefined()
  early(63, 79)
  expect(meter.lastKbps()! / 100).toBeCloseTo(60, -0.5)
})
