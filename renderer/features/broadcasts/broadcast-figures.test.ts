import { describe, expect, it } from 'vitest'
import { makeBroadcast, sampleAt } from '../../testing/broadcast-values.ts'
import { bandsOf, causesOf, figuresOf, holdsOf, pausesOf, runsOf } from './broadcast-figures.ts'

const began = Date.UTC(2026, 10, 26, 5, 30)
const minute = 60_000
const made = makeBroadcast(began, 'c')

describe('a sample is out of range', () => {
  it.each([
    [{ kbps: 299 }, ['bitrate']],
    [{ kbps: 0 }, ['silent']],
    [{ kbps: undefined }, ['silent']],
    [{ millifps: 14_499 }, ['frames']],
    [{ keyFrameGap: 4201 }, ['keyFrames']],
    [{ kbps: 299, keyFrameGap: 4201 }, ['bitrate', 'keyFrames']],
    // Sound alone, and the limits themselves.
    [{ millifps: 0 }, []],
    [{ kbps: 300, millifps: 14_500, keyFrameGap: 4200 }, []],
  ])('as the Studio judges it: %s', (change, causes) => {
    expect(causesOf(sampleAt(began, change as object))).toEqual(causes)
  })
})

describe('samples', () => {
  const at = (seconds: number, change: object = {}) => sampleAt(began + seconds * 1_000, { seconds: 10, ...change })

  it('are of one run while nothing is missing between them', () => {
    expect(runsOf([at(0), at(10), at(20)])).toHaveLength(1)
    expect(runsOf([at(0), at(10), at(25.5)])).toHaveLength(2)
    // A long one may lack some seconds.
    expect(runsOf([sampleAt(began, { seconds: 560 }), at(600)])).toHaveLength(1)
  })

  it('out of range for the same reason are one band, which ends with a pause', () => {
    const bad = { kbps: 100 }
    expect(bandsOf([at(0), at(10, bad), at(20, bad), at(30), at(100, bad)])).toEqual([
      { from: began + 10_000, to: began + 30_000, causes: ['bitrate'] },
      { from: began + 100_000, to: began + 110_000, causes: ['bitrate'] },
    ])
    expect(bandsOf([at(0, bad), at(10, { kbps: undefined })])).toHaveLength(2)
  })
})

describe('figures of a broadcast', () => {
  it('count its pauses and holds, and weigh samples by their seconds', () => {
    const figures = figuresOf(made, 0)
    expect(figures).toMatchObject({ length: 113 * minute, paused: minute, held: 9_000 })
    expect(figures.peakAt).toBe(began + 70 * minute)
    const samples = [sampleAt(began, { seconds: 10, kbps: 1000, kbpsLow: 900 }), sampleAt(began, { seconds: 30 })]
    expect(figuresOf({ ...made, samples }, 0).kbps).toEqual({ average: 4750, low: 900 })
    expect(figures.inRange).toBeCloseTo(107 / 112, 6)
  })

  it('are not told where they are not known', () => {
    const nothing = figuresOf({ ...made, samples: [], peak: 0, eventsLeftOut: 1 }, 0)
    expect(nothing).toMatchObject({ kbps: null, fps: null, inRange: null, peakAt: null, held: null })
    const sound = made.samples.map((sample) => ({ ...sample, millifps: 0, millifpsLow: 0 }))
    expect(figuresOf({ ...made, samples: sound }, 0).fps).toBeNull()
  })

  it('end now while it is on air, and a hold that lasts has no length yet', () => {
    const { ended: _ended, ...open } = made
    const pushList = [{ began }]
    const on = { ...open, pushList, events: [{ at: began + minute, kind: 'held', detail: 'lost' }] }
    expect(figuresOf(on, began + 5 * minute)).toMatchObject({ length: 5 * minute, held: null })
  })
})

it('a hold ends with its push at the latest', () => {
  const events = [
    { at: began + 59 * minute, kind: 'held', detail: 'lost' },
    { at: began + 62 * minute, kind: 'wentOn' },
  ]
  expect(holdsOf({ ...made, events })).toEqual([{ from: began + 59 * minute, to: began + 60 * minute, byHand: false }])
})

it('no pause is where one encoder took over from another', () => {
  const pushList = [
    { began, ended: began + minute },
    { began: began + minute + 400, ended: began + 2 * minute },
  ]
  expect(pausesOf({ pushList })).toEqual([])
  expect(pausesOf(made)).toEqual([{ from: began + 60 * minute, to: began + 61 * minute }])
})
