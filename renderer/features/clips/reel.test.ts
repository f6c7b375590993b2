import { describe, expect, it } from 'vitest'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { askedOf, earlyBy, nextOf, ordered, partAt, placeOf, recordedAt, reelOf, sizeOf, stepped } from './reel.ts'

const file = (vid: number, change: Partial<RecordedFile> = {}): RecordedFile => ({
  vid,
  cid: 'c',
  name: `file-${vid}`,
  key: `${vid}.mp4`,
  begin: vid * 100_000,
  end: null,
  format: 'mp4',
  bytes: 1000,
  duration: 10_000,
  codecs: 'same',
  merged: false,
  ...change,
})
const two = reelOf([file(1), file(2, { bytes: 3000 })])

describe('a reel', () => {
  it('has its files one after the other', () => {
    expect(two.length).toBe(20_000)
    expect(partAt(two, 9_999)?.file.vid).toBe(1)
    expect(partAt(two, 10_000)?.file.vid).toBe(2)
    expect(partAt(two, 20_000)?.file.vid).toBe(2)
  })

  it('tells when what it shows was recorded, and where a time is', () => {
    expect(recordedAt(two, 4_000)).toBe(104_000)
    expect(recordedAt(two, 12_000)).toBe(202_000)
    expect(placeOf(two, 202_000)).toBe(12_000)
    // Between the files nothing was recorded.
    expect(placeOf(two, 150_000)).toBeUndefined()
  })

  it('takes the time of a clip from what it is of, and has none for other merged files', () => {
    const clip = { vids: [1], from: 0, to: 1, early: 0, begin: 777 }
    expect(recordedAt(reelOf([file(3, { merged: true, clip })]), 1)).toBe(778)
    expect(recordedAt(reelOf([file(3, { merged: true })]), 1)).toBeUndefined()
  })

  it('is asked for by the files that a cut lies in, in ms of the first and the last of them', () => {
    expect(askedOf(two, { from: 2_000.4, to: 13_000.6 })).toEqual({ vids: [1, 2], from: 2000, to: 3001 })
    expect(askedOf(two, { from: 12_000, to: 13_000 })).toEqual({ vids: [2], from: 2000, to: 3000 })
    expect(askedOf(two, { from: 1_000, to: 10_000 })).toEqual({ vids: [1], from: 1000, to: 10_000 })
    expect(askedOf(reelOf([]), { from: 0, to: 1 })).toBeUndefined()
  })

  it('estimates the size of a cut by its share of each file', () => {
    expect(sizeOf(two, { from: 5_000, to: 15_000 })).toBe(500 + 1500)
  })
})

describe('a step', () => {
  const pictures = [0, 40, 80, 120]

  it('goes from picture to picture, and the end is a place after the last', () => {
    expect(stepped(pictures, 40, 1, 160)).toBe(80)
    expect(stepped(pictures, 55, -1, 160)).toBe(0)
    expect(stepped(pictures, 120, 1, 160)).toBe(160)
    expect(stepped(pictures, 160, -1, 160)).toBe(120)
    expect(stepped(pictures, 0, -1, 160)).toBe(0)
  })

  it('of none goes to the begin of the picture that is shown', () => {
    expect(stepped(pictures, 119, 0, 160)).toBe(80)
    expect(stepped(pictures, 200, 0, 160)).toBe(160)
  })

  it('takes 30 pictures a second where they are not known', () => {
    expect(stepped([], 100, 3, 1000)).toBe(200)
    expect(stepped([], 10, -3, 1000)).toBe(0)
  })

  it('to another time takes the nearest in its direction', () => {
    expect(nextOf([500, 100, 900], 100, 1)).toBe(500)
    expect(nextOf([500, 100, 900], 600, -1)).toBe(500)
    expect(nextOf([500, 100, 900], 900, 1)).toBeUndefined()
  })
})

it('begins with the key frame before In in players that ignore edit lists', () => {
  const pictures = [0, 40, 80, 120]
  expect(earlyBy(pictures, [0, 80], 40)).toBe(40)
  expect(earlyBy(pictures, [0, 80], 80)).toBe(0)
  expect(earlyBy(pictures, [0, 80], 130)).toBe(40)
  expect(earlyBy([], [], 130)).toBe(0)
})

it('swaps ends that pass each other', () => {
  expect(ordered(5, 2)).toEqual({ from: 2, to: 5 })
})
