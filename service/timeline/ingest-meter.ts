import type { IngestFigures } from '../../contract/local-events.ts'
import { rateWindow } from '../../contract/on-air.ts'
import type { MediaPacket } from './packet.ts'

/** Slot of the rate window, in ms. */
const grain = 100
const slots = rateWindow / grain

/** Ratio of media time to elapsed time from which arrivals are a network burst, not jitter. */
const burstFrom = 1.5
/** A longer step of media time is a pause of the encoder or a set clock; ms. */
const minSkip = 1000

/** Measures a push by arrival times; a burst is spread over its media time. */
export function createIngestMeter() {
  const bytes = new Float64Array(slots)
  const frames = new Uint32Array(slots)
  const media = new Float64Array(slots)
  const period = new Float64Array(slots).fill(-1)
  let begun: number | undefined
  let newest = -1
  let lastKeyFrame: number | undefined
  let keyFrameGap: number | undefined
  let video = false
  /** Time of the last packet, since when they come without a silence, and the rate before that. */
  let heard = -Infinity
  let steadyFrom = Infinity
  let kbpsBefore: number | undefined

  /** What came in the window that ends with the slot `last`. */
  const arrivedUntil = (last: number): { readonly sum: number; readonly count: number; readonly arrived: number } => {
    let [sum, count, arrived] = [0, 0, 0]
    for (let slot = 0; slot < slots; slot++) {
      if (period[slot]! <= last - slots || period[slot]! > last) continue
      sum += bytes[slot]!
      count += frames[slot]!
      arrived += media[slot]!
    }
    return { sum, count, arrived }
  }
  const lastKbps = (): number | undefined => {
    if (heard - steadyFrom < rateWindow) return kbpsBefore
    const last = Math.floor(heard / grain)
    const { sum, arrived } = arrivedUntil(last)
    return Math.round((sum * 8) / Math.max(arrived, heard - (last - slots + 1) * grain))
  }

  return {
    /** `now` is monotonic, in ms, as for `figures`. */
    add({ kind, body, timestamp, keyFrame, configuration }: MediaPacket, now: number) {
      begun ??= now
      if (now - heard >= rateWindow) {
        kbpsBefore = lastKbps()
        steadyFrom = now
      }
      heard = now
      const at = Math.floor(now / grain)
      const slot = at % slots
      if (period[slot] !== at) {
        period[slot] = at
        bytes[slot] = 0
        frames[slot] = 0
        media[slot] = 0
      }
      bytes[slot]! += body.length
      if (timestamp > newest) {
        if (newest >= 0 && timestamp - newest <= minSkip) media[slot]! += timestamp - newest
        newest = timestamp
      } else if (newest - timestamp > minSkip) newest = timestamp
      if (kind !== 'video' || configuration) return
      video = true
      frames[slot]! += 1
      if (!keyFrame) return
      if (lastKeyFrame !== undefined) keyFrameGap = timestamp - lastKeyFrame
      lastKeyFrame = timestamp
    },
    /** Rates over the last 2 s (or the age of the push); absent in its first 0.5 s. */
    figures(now: number): Pick<IngestFigures, 'kbps' | 'millifps' | 'keyFrameGap'> {
      const gap = keyFrameGap === undefined ? {} : { keyFrameGap }
      // The current slot counts by its elapsed part, so the young end of the window is exact to the ms.
      const last = Math.floor(now / grain)
      const from = Math.max(begun ?? now, (last - slots + 1) * grain)
      const passed = now - from
      if (begun === undefined || now - begun < 500 || passed <= 0) return gap
      const { sum, count, arrived } = arrivedUntil(last)
      const length = arrived > passed * burstFrom ? arrived : passed
      return {
        kbps: Math.round((sum * 8) / length),
        ...(video && { millifps: Math.round((count * 1_000_000) / length) }),
        ...gap,
      }
    },
    /**
     * kbit/s over the 2 s before the last packet: a silence does not lower it, and what came early counts by its media
     * time. Undefined in the first 2 s of a push.
     */
    lastKbps,
  }
}
