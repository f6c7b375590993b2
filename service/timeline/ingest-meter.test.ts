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
