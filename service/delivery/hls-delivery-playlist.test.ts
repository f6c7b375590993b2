import { beforeEach, expect, it } from 'vitest'
import { readMediaPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { HlsPlaylist } from './hls-delivery-playlist.ts'

let playlist: HlsPlaylist
let made: number
beforeEach(() => {
  playlist = new HlsPlaylist('t')
  made = 0
})

const map = (codecs = 'avc1.64001f'): void => playlist.map({ data: Buffer.from(codecs), codecs })
/** Adds segments of 2 s each. */
const add = (count: number, { bytes = 10, target = 2, duration = 2000 } = {}): void => {
  for (let each = 0; each < count; each++) {
    const content = Buffer.from(String(made))
    playlist.segment(
      { data: () => content, bytes, duration, programDateTime: made++ * duration, independent: true },
      target,
    )
  }
}
const read = () => readMediaPlaylist(playlist.text!)
const has = (name: string): boolean => playlist.file(name) !== undefined

it('has no text before its first segment, and takes none before a map', () => {
  add(1)
  expect(playlist.text).toBeUndefined()
  map()
  expect(playlist.text).toBeUndefined()
  add(1)
  expect(read().segments).toMatchObject([{ uri: 't-0.m4s', map: 't-0.mp4', discontinuity: false }])
  expect(playlist.targetDuration).toBe(2)
})

it('has its files with their types under names that no other playlist has', () => {
  map('avc1.64001f,mp4a.40.2')
  add(1)
  expect(playlist.file('t-0.mp4')).toEqual({
    data: Buffer.from('avc1.64001f,mp4a.40.2'),
    type: 'video/mp4; codecs="avc1.64001f,mp4a.40.2"',
    duration: 0,
  })
  expect(playlist.file('t-0.m4s')).toEqual({ data: Buffer.from('0'), type: 'video/iso.segment', duration: 2000 })
  for (const name of ['t-1.m4s', 'u-0.m4s', 't-0', '', '__proto__']) expect(has(name), name).toBe(false)
})

it('lists at least 12 s and more than four segments once there are so many', () => {
  map()
  add(6)
  expect(read()).toMatchObject({ mediaSequence: 0 })
  expect(read().segments).toHaveLength(6)
  add(1)
  expect(read()).toMatchObject({ mediaSequence: 1 })
  expect(read().segments.map(({ uri }) => uri)).toEqual([1, 2, 3, 4, 5, 6].map((number) => `t-${number}.m4s`))
})

it('lists four long segments at least', () => {
  map()
  add(5, { target: 4, duration: 4000 })
  expect(read().segments).toHaveLength(4)
  const other = new HlsPlaylist('t')
  playlist = other
  map()
  add(4, { target: 4, duration: 4000 })
  expect(read().segments).toHaveLength(4)
})

it('keeps a segment that is listed no more for as long as players may ask for it', () => {
  map()
  add(7)
  expect(has('t-0.m4s')).toBe(true)
  add(6)
  expect(read().mediaSequence).toBe(7)
  expect(has('t-0.m4s')).toBe(true)
  add(2)
  expect([has('t-0.m4s'), has('t-8.m4s')]).toEqual([false, true])
})

it('marks a new map as a discontinuity, once, and counts it when it is listed no more', () => {
  map()
  add(3)
  map('other')
  add(3)
  expect(read().segments.map(({ discontinuity, map: of }) => [discontinuity, of])).toEqual([
    ...Array.from({ length: 3 }, () => [false, 't-0.mp4']),
    [true, 't-1.mp4'],
    ...Array.from({ length: 2 }, () => [false, 't-1.mp4']),
  ])
  expect(read().discontinuitySequence).toBe(0)
  add(4)
  expect(read()).toMatchObject({ mediaSequence: 4, discontinuitySequence: 1 })
  // Its segments may still be asked for, and need it.
  expect(has('t-0.mp4')).toBe(true)
  add(20)
  expect([has('t-0.mp4'), has('t-1.mp4')]).toEqual([false, true])
})

it('holds 128 MiB at most, and three target durations whatever they take', () => {
  map()
  const bytes = 40 * 1024 * 1024
  add(3, { bytes })
  expect(read().segments).toHaveLength(3)
  add(1, { bytes })
  expect(read().segments.map(({ uri }) => uri)).toEqual(['t-1.m4s', 't-2.m4s', 't-3.m4s'])
  expect([has('t-0.m4s'), has('t-1.m4s')]).toEqual([false, true])
})

it('lists nothing of the show before once another begins, counts on, and has its files for a while', () => {
  map()
  add(3)
  map('other')
  add(3)
  playlist.renew()
  expect(playlist.text).toBeUndefined()
  map('third')
  add(1)
  expect(read()).toMatchObject({ mediaSequence: 6, discontinuitySequence: 1 })
  expect(read().segments).toMatchObject([{ uri: 't-6.m4s', map: 't-2.mp4', discontinuity: true }])
  expect(['t-0.mp4', 't-2.m4s', 't-3.m4s', 't-5.m4s'].map(has)).toEqual([true, true, true, true])
  add(13)
  expect(['t-0.mp4', 't-5.m4s', 't-6.m4s'].map(has)).toEqual([false, false, true])
})

it('takes no segment after its end', () => {
  map()
  add(2)
  expect([playlist.ended, read().ended]).toEqual([false, false])
  playlist.end()
  add(1)
  expect([playlist.ended, read().ended, read().segments.length, has('t-2.m4s')]).toEqual([true, true, 2, false])
})
