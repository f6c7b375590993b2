import type { IngestFigures } from '../../contract/local-events.ts'
import type { Figures } from '../../contract/rpc/index.ts'

/** Figures of a push as pages read them. */
export const figuresOf = (from: IngestFigures): Figures => ({
  kbps: from.kbps ?? null,
  fps: from.millifps === undefined ? null : from.millifps / 1000,
  keyFrameGap: from.keyFrameGap ?? null,
  keyFrameGapMax: from.keyFrameGapMax ?? null,
  kbpsDeviation: from.kbpsDeviation ?? null,
  fpsDeclared: from.millifpsDeclared === undefined ? null : from.millifpsDeclared / 1000,
  drift: from.drift ?? null,
  audioGap: from.audioGap ?? null,
  width: from.width ?? null,
  height: from.height ?? null,
  videoCodec: from.videoCodec ?? null,
  audioCodec: from.audioCodec ?? null,
  sampleRate: from.sampleRate ?? null,
  audioChannels: from.audioChannels ?? null,
  encoder: from.encoder ?? null,
  viewers: from.viewers,
})
