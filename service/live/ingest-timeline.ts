import { createArrivalLine } from './ingest-arrival.ts'

/** A step of timestamps larger than this, either way, is no real time: the clock of the encoder was set or its input changed. ms */
export const timelineJumpMax = 3000
/** Tracks whose timestamps are further apart than this do not belong together as they are. ms */
export const timelineApartMax = 1000
/** What is given out is never further behind the other track than this. ms */
export const timelineBehindMax = 500
/** A step back of a track up to this is untidy rounding: the packet has the time of the one before. ms */
const untidyMax = 20
/** Steps back up to this may be the order of B frames, which comes right by itself: borne until the push lost this against its arrivals. ms */
const disorderMax = 100
const disorderLossMax = 250
/** What a step onto the other track's clock may lose against the own last packet. ms */
const joinLossMax = 100
/** Timestamps that have not moved for this long while packets came stand still. ms */
const stillAfter = 250
/** Timestamps that moved by less than a quarter of the time that passed stand still, judged after this long. ms */
const slowAfter = 1000
/** A longer wait between two packets of a track is the network's, and counts as this much. ms */
const waitMax = 80
/** Tracks that arrived at two clocks by accident are put on one when neither was moved for this long, also a track that stays too far behind. ms */
const settledAfter = 1000
/** The last frame before a jump lasts as long as the one before it, at most this. ms */
const gapMax = 100
/** Room given to a track that stayed too far behind, so that it is not at the limit again at once. ms */
const behindSlack = 50

/** Why timestamps were not followed: they jumped, went back, stood still, or were too far from those of the other track. */
export type RetimeReason = 'jump' | 'back' | 'still' | 'apart'

/**
 * Turns a publisher's 32-bit timestamps into times of its publication in ms, from 0. A steady clock of the encoder is followed at any rate, both
 * tracks together; what is not steady is brought back to the clock of arrivals (behaviour.md#time-of-a-push). Times of a track never go backward.
 */
export interface IngestTimeline {
  /** Time of a frame with this timestamp that arrived at `now`, in ms of a clock that only ever passes. */
  frame(kind: 'video' | 'audio', timestamp: number, now: number): number
  /** Time for a configuration of a track or for data, whose own timestamps are often 0. */
  mark(kind: 'video' | 'audio' | 'data'): number
}

/** One track: its clock is `position` at the timestamp `stamp`; `out` is what was given out last. Times of arrival are in bounded ms. */
interface Track {
  begun: boolean
  stamp: number
  position: number
  out: number
  heard: number
  /** Usual step of the timestamps, for how far apart tracks are that have few packets. */
  step: number
  /** The last step that was followed. */
  gap: number
  /** The clock was set at this time of arrival, and at this time of the push. */
  set: number
  setOut: number
  /** Since when it has been too far behind; -1 when it is not. */
  behind: number
  /** Time that passed and timestamps that passed in it, since the last judgement. */
  passed: number
  moved: number
  still: boolean
}

const track = (): Track => ({
  begun: false,
  stamp: 0,
  position: 0,
  out: 0,
  heard: 0,
  step: 1000,
  gap: 0,
  set: -settledAfter,
  setOut: -settledAfter,
  behind: -1,
  passed: 0,
  moved: 0,
  still: false,
})
/** Where a timestamp is on the clock of a track; 2^32 ms wrap (RTMP 1.0, 5.3.1). */
const on = (clock: Track, timestamp: number): number => clock.position + ((timestamp - clock.stamp) | 0)

/** Makes the timeline of one publication; `retimed` is told whenever timestamps were not followed. Nothing is allocated for a packet. */
export function createIngestTimeline(retimed: (reason: RetimeReason) => void = () => undefined): IngestTimeline {
  const arrival = createArrivalLine()
  const video = track()
  const audio = track()

  const head = (): number => Math.max(video.out, audio.out)
  /** Whether the other track says anything of where this one should be: packets of it come. */
  const isLive = (other: Track): boolean => other.begun && arrival.now - other.heard <= settledAfter

  /** Judges how timestamps moved against the time that passed; true when they stand still. */
  const isStill = (own: Track, step: number): boolean => {
    if (step < -joinLossMax || step > timelineJumpMax) {
      own.passed = 0
      own.moved = 0
      return own.still
    }
    own.passed += Math.min(arrival.now - own.heard, waitMax)
    own.moved += step
    if (own.passed < (own.still || own.moved === 0 ? stillAfter : slowAfter)) return own.still
    own.still = own.moved * (own.still ? 2 : 4) < own.passed
    own.passed = 0
    own.moved = 0
    return own.still
  }
  /** How far a track may be while the other one is where it is. */
  const reach = (other: Track): number => other.out + timelineBehindMax + other.step
  /** Why the place that its own clock gives to a packet cannot be; undefined when it can. */
  const fault = (own: Track, other: Track, step: number, place: number): RetimeReason | undefined => {
    const furthest = head()
    if (place < own.out - timelineBehindMax) return step < -timelineJumpMax ? 'jump' : 'back'
    const isBorne =
      step >= -untidyMax || (place >= own.out - disorderMax && arrival.place - furthest <= disorderLossMax)
    if (!isBorne) return step < -timelineJumpMax ? 'jump' : 'back'
    // After a silence the clock may well have gone on as time did.
    if (Math.abs(place - arrival.place) > timelineBehindMax) {
      if (place > furthest + timelineJumpMax) return 'jump'
      if (isLive(other) && !arrival.fast && place > reach(other) && place > arrival.place) return 'apart'
    }
    return other.begun && place < furthest - timelineApartMax ? 'apart' : undefined
  }
  /** Goes on by the clock of the other track, when that gives a place where this one may be. */
  const isJoined = (own: Track, other: Track, timestamp: number): boolean => {
    if (!other.begun || other.still) return false
    const place = on(other, timestamp)
    // The same clock is no way out.
    if (place === on(own, timestamp)) return false
    if (
      place < own.out - joinLossMax ||
      place < head() - timelineBehindMax ||
      place > Math.max(head(), arrival.place) + timelineBehindMax
    )
      return false
    own.position = place
    return true
  }
  /** Goes on by the clock of arrivals: not before the other track, and not far beyond it when packets have been late for long. */
  const set = (own: Track, other: Track, reason: RetimeReason): void => {
    const from = other.begun && isLive(other) ? other.out : head()
    const since = arrival.now - (other.begun ? Math.max(own.heard, other.heard) : own.heard)
    // A frame lasts as long as the one before, unless steps are all that there is.
    const isJoint = (reason === 'jump' || reason === 'back') && own.out - own.setOut >= settledAfter
    const next = isJoint ? own.out + Math.min(own.gap, gapMax) : 0
    own.position = Math.round(
      Math.max(Math.min(Math.max(arrival.place, from), head() + since + timelineBehindMax), next),
    )
    own.set = arrival.now
    own.setOut = Math.max(own.out, own.position)
    own.behind = -1
  }
  const begin = (own: Track, other: Track, timestamp: number): void => {
    own.begun = true
    own.heard = arrival.now
    if (!other.begun) return
    own.position = on(other, timestamp)
    const isFar =
      Math.abs(own.position - head()) > timelineApartMax && Math.abs(own.position - arrival.place) > timelineBehindMax
    if (!isFar && own.position >= head() - timelineApartMax) return
    set(own, other, 'apart')
    retimed('apart')
  }
  const follow = (own: Track, other: Track, timestamp: number): void => {
    const step = (timestamp - own.stamp) | 0
    const wasStill = own.still
    if (isStill(own, step)) {
      set(own, other, 'still')
      if (!wasStill) retimed('still')
      return
    }
    const place = own.position + step
    const reason = wasStill ? 'still' : fault(own, other, step, place)
    if (reason !== undefined) {
      if (isJoined(own, other, timestamp)) return
      set(own, other, reason)
      if (!wasStill) retimed(reason)
      return
    }
    own.position = place
    own.gap = Math.max(step, 0)
    if (step > 0) own.step += (Math.min(step, timelineJumpMax) - own.step) / 8
    if (!other.begun || other.still || arrival.now - Math.max(own.set, other.set) < settledAfter) return
    // Clocks that differ by what an arrival was late are one again.
    const shared = on(other, timestamp)
    if (shared >= own.out && Math.abs(shared - place) <= timelineBehindMax) own.position = shared
  }
  /** Gives out where a packet is, not before the one before and not too far behind the other track. */
  const give = (own: Track, other: Track): number => {
    const floor = other.begun ? other.out - timelineBehindMax : 0
    if (own.position >= floor) own.behind = -1
    else if (own.behind < 0) own.behind = arrival.now
    else if (arrival.now - own.behind >= settledAfter) {
      own.position = floor + behindSlack
      own.behind = -1
      retimed('apart')
    }
    own.out = Math.max(own.out, own.position, floor)
    return own.out
  }

  return {
    frame(kind, timestamp, now) {
      const own = kind === 'video' ? video : audio
      const other = kind === 'video' ? audio : video
      arrival.tick(now)
      if (own.begun) follow(own, other, timestamp)
      else begin(own, other, timestamp)
      own.stamp = timestamp
      own.heard = arrival.now
      const out = give(own, other)
      arrival.put(head(), isLive(other) ? Math.min(out, other.out) : out)
      return out
    },
    mark(kind) {
      if (kind === 'data') return head()
      const own = kind === 'video' ? video : audio
      own.out = Math.max(own.out, head() - timelineBehindMax)
      return own.out
    },
  }
}
