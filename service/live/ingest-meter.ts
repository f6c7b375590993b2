import type { IngestFigures } from '../../contract/local-events.ts'
import { rateWindow } from '../../contract/on-air.ts'
import type { MediaPacket } from './packet.ts'

/** The grain in which the window of the rates is counted, in ms. */
const grain = 100
const slots = rateWindow / grain

/** Media time beyond what passed, as a part of that, which is a burst of what was held up on the way; less is jitter. */
const burstFrom = 1.5
/** Media time that one packet skips is none that arrived: the encoder stood still, or set its clock; ms. */
const skipLeast = 1000

/** Measures a push by the times at which its packets arrived; what was held up and comes at once counts over the media time that it is. */
export interface IngestMeter {
  /** `now` in ms of a clock that only ever passes, as for `figures`. */
  add(packet: MediaPacket, now: number): void
  /** Rates over the last 2 s (less when the push is younger), absent within its first half second. */
  figures(now: number): Pick<IngestFigures, 'kbps' | 'millifps' | 'keyFrameGap'>
}

/** Makes a meter for one publication. */
export function createIngestMeter(): IngestMeter {
  const bytes = new Float64Array(slots)
  const frames = new Uint32Array(slots)
  const media = new Float64Array(slots)
  const period = new Float64Array(slots).fill(-1)
  let begun: number | undefined
  let newest = -1
  let lastKeyFrame: number | undefined
  let keyFrameGap: number | undefined
  let video = false

  return {
    add({ kind, body, timestamp, keyFrame, configuration }, now) {
      begun ??= now
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
        if (newest >= 0 && timestamp - newest <= skipLeast) media[slot]! += timestamp - newest
        newest = timestamp
      } else if (newest - timestamp > skipLeast) newest = timestamp
      if (kind !== 'video' || configuration) return
      video = true
      frames[slot]! += 1
      if (!keyFrame) return
      if (lastKeyFrame !== undefined) keyFrameGap = timestamp - lastKeyFrame
      lastKeyFrame = timestamp
    },
    figures(now) {
      const gap = keyFrameGap === undefined ? {} : { keyFrameGap }
      // The running slot counts with the part of it that has passed, so a window is exact to the ms at its young end.
      const last = Math.floor(now / grain)
      const from = Math.max(begun ?? now, (last - slots + 1) * grain)
      const passed = now - from
      if (begun === undefined || now - begun < 500 || passed <= 0) return gap
      let sum = 0
      let arrived = 0
      let count = 0
      for (let slot = 0; slot < slots; slot++) {
        if (period[slot]! <= last - slots || period[slot]! > last) continue
        sum += bytes[slot]!
        count += frames[slot]!
        arrived += media[slot]!
      }
      const length = arrived > passed * burstFrom ? arrived : passed
      return {
        kbps: Math.round((sum * 8) / length),
        ...(video && { millifps: Math.round((count * 1_000_000) / length) }),
        ...gap,
      }
    },
  }
}
