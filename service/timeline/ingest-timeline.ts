import { createArrivalTrend } from './ingest-arrival.ts'

/** A larger step either way is a set clock or a changed input. ms */
export const maxTimelineJump = 3000
/** Largest difference of the tracks' timestamps. ms */
export const maxTimelineApart = 1000
/** Largest lag of one output track behind the other. ms */
export const maxTimelineBehind = 500
/** A step back up to this is rounding: the packet gets the time of the previous one. ms */
const maxUntidy = 20
/** A step back up to this may be B frames out of order, until the push lost as much by arrivals. In ms. */
const maxDisorder = 100
const maxDisorderLoss = 250
/** Largest loss against its own last packet when a track takes the other's clock. ms */
const maxJoinLoss = 100
/** Timestamps unchanged for this long, while packets come, are stuck. ms */
const stillAfter = 250
/** Timestamps that advance by less than a quarter of the elapsed time are stuck; judged after this long. ms */
const slowAfter = 1000
/** A longer gap between packets of a track is network delay and counts as this. ms */
const maxWait = 80
/** Tracks on two clocks are put on one when neither was moved for this long, in ms. */
const settledAfter = 1000
/** Longest duration of the last frame before a jump; otherwise that of the previous frame. ms */
const maxGap = 100
/** Slack for a track that was too far behind, so that it does not reach the limit at once. ms */
const behindSlack = 50

/** Why timestamps were corrected: jump, step back, stuck, or too far from the other track. */
export type RetimeReason = 'jump' | 'back' | 'still' | 'apart'

/** A track: timestamp `stamp` is at `position`; `out` is the last output. Arrival times are in bounded ms. */
const track = () => ({
  begun: false,
  stamp: 0,
  position: 0,
  out: 0,
  heard: 0,
  /** Usual step of the timestamps, for comparing tracks with few packets. */
  step: 1000,
  /** Last step followed. */
  gap: 0,
  /** Arrival time, and time of the push, when the clock was set. */
  set: -settledAfter,
  setOut: -settledAfter,
  /** Since when it is too far behind; -1 if it is not. */
  behind: -1,
  /** Elapsed time and timestamp progress since the last judgement. */
  passed: 0,
  moved: 0,
  still: false,
})
type Track = ReturnType<typeof track>
/** Position of a timestamp on the clock of a track; wraps at 2^32 ms (RTMP 1.0, 5.3.1). */
const on = (clock: Track, timestamp: number): number => clock.position + ((timestamp - clock.stamp) | 0)

/**
 * Converts a publisher's 32-bit timestamps to times of the push in ms, from 0, which never go back. A steady encoder
 * clock is followed at any rate; otherwise arrivals decide (behaviour.md#time-of-a-push). No allocation per packet.
 */
export function createIngestTimeline(retimed: (reason: RetimeReason) => void = () => undefined) {
  const arrival = createArrivalTrend()
  const video = track()
  const audio = track()

  const head = (): number => Math.max(video.out, audio.out)
  /** Whether packets of the other track arrive, so that it is a reference. */
  const isLive = (other: Track): boolean => other.begun && arrival.now - other.heard <= settledAfter

  /** Compares timestamp progress with elapsed time; true when stuck. */
  const isStill = (own: Track, step: number): boolean => {
    if (step < -maxJoinLoss || step > maxTimelineJump) {
      own.passed = 0
      own.moved = 0
      return own.still
    }
    own.passed += Math.min(arrival.now - own.heard, maxWait)
    own.moved += step
    if (own.passed < (own.still || own.moved === 0 ? stillAfter : slowAfter)) return own.still
    own.still = own.moved * (own.still ? 2 : 4) < own.passed
    own.passed = 0
    own.moved = 0
    return own.still
  }
  /** Latest time that a track may have, given the other one. */
  const reach = (other: Track): number => other.out + maxTimelineBehind + other.step
  /** Why the time by its own clock is invalid; undefined if valid. */
  const fault = (own: Track, other: Track, step: number, place: number): RetimeReason | undefined => {
    const furthest = head()
    if (place < own.out - maxTimelineBehind) return step < -maxTimelineJump ? 'jump' : 'back'
    const isBorne =
      step >= -maxUntidy || (place >= own.out - maxDisorder && arrival.place - furthest <= maxDisorderLoss)
    if (!isBorne) return step < -maxTimelineJump ? 'jump' : 'back'
    // After a silence the encoder's clock may have run on.
    if (Math.abs(place - arrival.place) > maxTimelineBehind) {
      if (place > furthest + maxTimelineJump) return 'jump'
      if (isLive(other) && !arrival.fast && place > reach(other) && place > arrival.place) return 'apart'
    }
    return other.begun && place < furthest - maxTimelineApart ? 'apart' : undefined
  }
  /** Takes the other track's clock, if that gives a valid time. */
  const isJoined = (own: Track, other: Track, timestamp: number): boolean => {
    if (!other.begun || other.still) return false
    const place = on(other, timestamp)
    // The same clock would fail again.
    if (place === on(own, timestamp)) return false
    if (
      place < own.out - maxJoinLoss ||
      place < head() - maxTimelineBehind ||
      place > Math.max(head(), arrival.place) + maxTimelineBehind
    )
      return false
    own.position = place
    return true
  }
  /** Takes the arrival clock: not before the other track, nor far beyond it when packets are late. */
  const set = (own: Track, other: Track, reason: RetimeReason): void => {
    const from = other.begun && isLive(other) ? other.out : head()
    const since = arrival.now - (other.begun ? Math.max(own.heard, other.heard) : own.heard)
    // A frame lasts as long as the previous one, unless there are only steps.
    const isJoint = (reason === 'jump' || reason === 'back') && own.out - own.setOut >= settledAfter
    const next = isJoint ? own.out + Math.min(own.gap, maxGap) : 0
    own.position = Math.round(
      Math.max(Math.min(Math.max(arrival.place, from), head() + since + maxTimelineBehind), next),
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
      Math.abs(own.position - head()) > maxTimelineApart && Math.abs(own.position - arrival.place) > maxTimelineBehind
    if (!isFar && own.position >= head() - maxTimelineApart) return
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
    if (step > 0) own.step += (Math.min(step, maxTimelineJump) - own.step) / 8
    if (!other.begun || other.still || arrival.now - Math.max(own.set, other.set) < settledAfter) return
    // Clocks that differ only by the delay of an arrival are merged.
    const shared = on(other, timestamp)
    if (shared >= own.out && Math.abs(shared - place) <= maxTimelineBehind) own.position = shared
  }
  /** Output time: not before the previous one, nor too far behind the other track. */
  const give = (own: Track, other: Track): number => {
    const floor = other.begun ? other.out - maxTimelineBehind : 0
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
    /** Time of a frame that arrived at `now` (monotonic, ms). */
    frame(kind: 'video' | 'audio', timestamp: number, now: number) {
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
    /** Time of a configuration or of data, whose timestamps are often 0. */
    mark(kind: 'video' | 'audio' | 'data') {
      if (kind === 'data') return head()
      const own = kind === 'video' ? video : audio
      own.out = Math.max(own.out, head() - maxTimelineBehind)
      return own.out
    },
  }
}
