/** A longer silence ends the push; of a wait that ended late no more than this passes. ms */
export const arrivalGapMax = 10_000
/** How far a push may run ahead of its arrivals before its line is moved: a first packet that came late, and jitter. ms */
export const arrivalLeadMax = 500
/** A line that all packets stay behind for this long is moved to them: the encoder's clock is slow, or the way of packets became longer. ms */
const slowAfter = 15_000
/** For how long after having been moved ahead the line counts as faster than real time. ms */
const fastFor = 1000

/** Where a push should be by the clock of arrivals, in ms since it began; packets come late and never early. Nothing is allocated for a packet. */
export interface ArrivalLine {
  /** Takes the time of arrival of the next packet, by a clock that should only ever pass. */
  tick(now: number): void
  /** The same time with waits bounded: the clock in which everything here is measured. */
  readonly now: number
  /** Where the push should be now. */
  readonly place: number
  /** Media come faster than time passes. */
  readonly fast: boolean
  /** Where the packet that arrived just now was put: the track that is furthest, and the one that is behind. */
  put(furthest: number, behind: number): void
}

/** Makes the line; the push is at 0 at the first tick. */
export function createArrivalLine(): ArrivalLine {
  let raw = NaN
  let now = 0
  let offset = 0
  let fastUntil = -1
  let spanFrom = 0
  let maxSpan = -Infinity

  return {
    tick(time) {
      // A clock that goes back all the same says nothing of this step.
      if (!Number.isNaN(raw)) now += Math.min(Math.max(time - raw, 0), arrivalGapMax)
      raw = time
    },
    get now() {
      return now
    },
    get place() {
      return now + offset
    },
    get fast() {
      return now <= fastUntil
    },
    put(furthest, behind) {
      if (behind - now > offset + arrivalLeadMax) {
        offset = behind - now - arrivalLeadMax
        fastUntil = now + fastFor
      }
      maxSpan = Math.max(maxSpan, furthest - now)
      if (now - spanFrom < slowAfter) return
      offset = Math.min(offset, maxSpan)
      spanFrom = now
      maxSpan = -Infinity
    },
  }
}
