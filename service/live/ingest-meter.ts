import type { IngestFigures } from '../../contract/local-events.ts'
import type { MediaPacket } from './packet.ts'

/** Window of the rates, and the grain in which it is counted; ms. */
const windowLength = 2000
const grain = 100
const slots = windowLength / grain

/** Measures a push by the times at which its packets arrived. */
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
  const period = new Float64Array(slots).fill(-1)
  let begun: number | undefined
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
      }
      bytes[slot]! += body.length
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
      const newest = Math.floor(now / grain)
      const from = Math.max(begun ?? now, (newest - slots + 1) * grain)
      const length = now - from
      if (begun === undefined || now - begun < 500 || length <= 0) return gap
      let sum = 0
      let count = 0
      for (let slot = 0; slot < slots; slot++) {
        if (period[slot]! <= newest - slots || period[slot]! > newest) continue
        sum += bytes[slot]!
        count += frames[slot]!
      }
      return { kbps: Math.round((sum * 8) / length), ...(video && { millifps: Math.round((count * 1_000_000) / length) }), ...gap }
    },
  }
}
