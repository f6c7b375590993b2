import { maxArrivalGap } from '../../timeline/ingest-arrival.ts'
import {
  createIngestTimeline,
  maxTimelineApart,
  maxTimelineBehind,
  maxTimelineJump,
} from '../../timeline/ingest-timeline.ts'
import { mutate } from './random.ts'
import { promise, type FuzzTarget } from './target.ts'

/** Bytes of a step: track, timestamp change, wait. */
const stepLength = 4
const step = (audio: boolean, does: number, by: number, wait: number): number[] => [
  (audio ? 0x80 : 0) | does,
  by >> 8,
  by & 0xff,
  wait,
]
const repeated = (count: number, ...steps: number[][]): number[] =>
  Array.from({ length: count }, () => steps.flat()).flat()
/** Timestamp changes: advance, back, jump by seconds or by much of the range, restart. */
const passes = 0
const goesBack = 1
const seconds = 2
const leaps = 3
const anew = 4
const both = [step(false, passes, 40, 20), step(true, passes, 40, 20)]
const seeds = [
  repeated(60, ...both),
  [...repeated(40, ...both), ...step(false, anew, 0, 40), ...step(true, anew, 0, 0), ...repeated(40, ...both)],
  [
    ...repeated(40, ...both),
    ...repeated(40, step(false, passes, 0, 20), step(true, passes, 0, 20)),
    ...repeated(40, ...both),
  ],
  [...step(false, passes, 0, 0), ...step(true, seconds, 3, 0), ...repeated(60, ...both)],
  [...repeated(30, ...both), ...step(true, leaps, 0x8000, 20), ...repeated(30, ...both)],
  [...repeated(30, step(false, passes, 80, 20), step(false, goesBack, 40, 20)), ...step(false, seconds, 9, 255)],
  repeated(100, step(false, passes, 40, 0), step(true, passes, 40, 0)),
  repeated(60, step(false, passes, 40, 40)),
].map((bytes) => Buffer.from(bytes))

const moveOf = (does: number, by: number, stamp: number): number => {
  switch (does) {
    case passes:
      return stamp + by
    case goesBack:
      return stamp - by
    case seconds:
      return stamp + (by - 0x8000) * 1000
    case leaps:
      return stamp + by * 0x10000
    case anew:
      return by
    default:
      return stamp + 23
  }
}

/**
 * Timestamp paths: times never go back in a track, tracks stay together, a followed clock keeps its length, and every
 * correction is reported.
 */
export const timelinesTarget: FuzzTarget = {
  name: 'timelines',
  make: (random) => mutate(random.pick(seeds), random),
  check(input) {
    let told = 0
    const timeline = createIngestTimeline(() => (told += 1))
    const stamps = { video: 0, audio: 0 }
    const out = { video: 0, audio: 0 }
    let [now, passed, moved, first] = [1_000_000, 0, 0, Number.NaN]
    for (let at = 0; at + stepLength <= input.length; at += stepLength) {
      const kind = input[at]! & 0x80 ? 'audio' : 'video'
      const other = kind === 'video' ? 'audio' : 'video'
      const stamp = moveOf(input[at]! & 7, input.readUInt16BE(at + 1), stamps[kind]) >>> 0
      // Waits up to a quarter second in ms, beyond it minutes.
      const wait = input[at + 3]! < 250 ? input[at + 3]! : (input[at + 3]! - 249) * 30_000
      now += wait
      if (!Number.isNaN(first)) passed += Math.min(wait, maxArrivalGap)
      const went = Number.isNaN(first) ? 0 : (stamp - stamps[kind]) | 0
      // A change of clock moves time by no more than tracks may be apart.
      moved += went < 0 || went > maxTimelineJump ? maxTimelineBehind : went
      stamps[kind] = stamp
      if (Number.isNaN(first)) {
        first = stamp
        stamps[other] = stamp
      }
      const time = timeline.frame(kind, stamp, now)
      promise(Number.isInteger(time) && time >= out[kind], 'a track never goes backward')
      promise(time >= out[other] - maxTimelineBehind, 'tracks stay together')
      promise(time <= passed + 2 * moved + 2 * maxTimelineBehind, 'time is what passed, or what was followed')
      if (told === 0)
        promise(Math.abs(time - ((stamp - first) | 0)) <= maxTimelineApart, 'a clock that is not followed is told of')
      out[kind] = time
    }
    return told === 0 ? 'taken' : 'refused'
  },
}
