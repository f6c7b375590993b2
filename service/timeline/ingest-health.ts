import type { IngestFigures } from '../../contract/local-events.ts'
import { createIngestWindow } from './ingest-window.ts'
import type { MediaPacket } from './packet.ts'

/** Rates between key frames kept for their deviation, the minimum needed, and their least interval in ms. */
const rates = 8
const minRates = 4
const rateLength = 2000
/** A longer step of media time is a pause of the encoder, not rate control, audio gap or key frame interval; ms. */
const minSkip = 1000

/** Steadiness of one push: drift, bitrate between key frames, audio gaps. No allocation per packet. */
export function createIngestHealth() {
  // Lead of media time over the clock. The maximum of each slot counts: late packets are jitter.
  const leadNow = createIngestWindow(20, 100)
  const leadBefore = createIngestWindow(6, 10_000)
  const audioGaps = createIngestWindow(10, 1000)
  const keyFrameGaps = createIngestWindow(6, 10_000)
  const kbps = new Float64Array(rates)
  let counted = 0
  let bytes = 0
  let bytesFrom = -1
  let begun = -1
  let base = 0
  let last = 0
  let lastAudio = -1
  let lastKeyFrame = -1
  let lastPicture = -1

  // By media time: network bursts do not change the encoder's rate.
  const rate = (timestamp: number): void => {
    if (bytesFrom >= 0 && timestamp >= bytesFrom && timestamp - bytesFrom < rateLength) return
    if (bytesFrom >= 0 && timestamp > bytesFrom) kbps[counted++ % rates] = (bytes * 8) / (timestamp - bytesFrom)
    bytesFrom = timestamp
    bytes = 0
  }
  const deviation = (): number => {
    const count = Math.min(counted, rates)
    let sum = 0
    for (let at = 0; at < count; at++) sum += kbps[at]!
    let squares = 0
    for (let at = 0; at < count; at++) squares += (kbps[at]! - sum / count) ** 2
    return Math.round(Math.sqrt(squares / count))
  }

  return {
    /** `now` is monotonic, in ms, as for `figures`. */
    add({ kind, body, timestamp, keyFrame, configuration }: MediaPacket, now: number) {
      if (kind === 'data' || configuration) return
      if (begun < 0) {
        begun = now
        base = timestamp
      }
      if (timestamp - last > minSkip) {
        bytesFrom = -1
        if (lastAudio >= 0) lastAudio += timestamp - last
      }
      last = timestamp
      const lead = timestamp - base - (now - begun)
      leadNow.add(lead, now)
      leadBefore.add(lead, now)
      if (kind === 'audio') {
        if (lastAudio >= 0) audioGaps.add(timestamp - lastAudio, now)
        lastAudio = timestamp
      } else {
        if (lastPicture >= 0 && timestamp - lastPicture > minSkip) {
          bytesFrom = -1
          if (lastKeyFrame >= 0) lastKeyFrame += timestamp - lastPicture
        }
        lastPicture = timestamp
        if (keyFrame) {
          rate(timestamp)
          if (lastKeyFrame >= 0) keyFrameGaps.add(timestamp - lastKeyFrame, now)
          lastKeyFrame = timestamp
        }
      }
      bytes += body.length
    },
    figures(now: number): Pick<IngestFigures, 'kbpsDeviation' | 'drift' | 'audioGap' | 'keyFrameGapMax'> {
      if (begun < 0) return {}
      // Without packets only the clock advances.
      const lead = leadNow.largest(now) ?? last - base - (now - begun)
      return {
        drift: Math.round((leadBefore.oldest(now) ?? lead) - lead),
        ...(counted >= minRates && { kbpsDeviation: deviation() }),
        ...(lastAudio >= 0 && { audioGap: Math.max(audioGaps.largest(now) ?? 0, last - lastAudio) }),
        ...(lastKeyFrame >= 0 && { keyFrameGapMax: Math.max(keyFrameGaps.largest(now) ?? 0, last - lastKeyFrame) }),
      }
    },
  }
}
