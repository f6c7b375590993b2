/** A longer silence ends the push; a longer gap counts as this. ms */
export const maxArrivalGap = 10_000
/** How far a push may be ahead of its arrivals before its trend is moved: late first packet and jitter. ms */
export const maxArrivalLead = 500
/** If all packets are behind the trend for this long, it is moved: slow encoder or longer path. In ms. */
const slowAfter = 15_000
/** How long the trend counts as fast after it was moved ahead. ms */
const fastFor = 1000

/** Expected position of a push by arrivals, in ms since its start; packets come late, never early. */
export interface ArrivalTrend {
  /** Arrival time of the next packet, monotonic. */
  tick(now: number): void
  /** That time with gaps bounded; the clock of this module. */
  readonly now: number
  /** Expected position now. */
  readonly place: number
  /** Media arrives faster than real time. */
  readonly fast: boolean
  /** Where the packet just received was put: the track furthest ahead, and the one behind. */
  put(furthest: number, behind: number): void
}

/** Makes the trend; the push is at 0 at the first tick. */
export function createArrivalTrend(): ArrivalTrend {
  let raw = NaN
  let now = 0
  let offset = 0
  let fastUntil = -1
  let spanFrom = 0
  let maxSpan = -Infinity

  return {
    tick(time) {
      // If the clock goes back, the step is ignored.
      if (!Number.isNaN(raw)) now += Math.min(Math.max(time - raw, 0), maxArrivalGap)
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
      if (behind - now > offset + maxArrivalLead) {
        offset = behind - now - maxArrivalLead
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
