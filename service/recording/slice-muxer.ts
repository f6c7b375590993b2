import type { MediaPacket } from '../timeline/packet.ts'
import type { FlvKeyFrame } from '../media/flv-recording.ts'

/** Bytes to append to the file, and to its sample index. */
export interface SlicePart {
  readonly media: readonly Buffer[]
  readonly index?: Buffer
}

/** Muxes the packets of one slice; times are ms since its begin. */
export interface SliceMuxer {
  readonly head: Buffer
  /** Takes a packet; returns about half a second of media when due. */
  packet(packet: MediaPacket, at: number): SlicePart | undefined
  /** The rest. `until`, the begin of the next slice, ends the last picture. */
  end(until?: number): SlicePart | undefined
  readonly duration: number
  /** Key frames for the index of an FLV. */
  readonly keyFrames?: readonly FlvKeyFrame[]
}

/** Media between two writes, in ms (behaviour.md#mp4-files). */
export const flushEvery = 500
/** Retained memory at which media is written early, for pushes whose time hardly advances. */
export const flushBytes = 4 * 1024 * 1024
