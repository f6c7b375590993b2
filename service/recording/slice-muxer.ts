import type { MediaPacket } from '../live/packet.ts'
import type { FlvKeyFrame } from '../media/flv-recording.ts'

/** Bytes to append: to the file, and to the sample index beside it. */
export interface SlicePart {
  readonly media: readonly Buffer[]
  readonly index?: Buffer
}

/** Turns the packets of one slice into bytes; times are ms since its begin. */
export interface SliceMuxer {
  /** First bytes of the file. */
  readonly head: Buffer
  /** Takes a packet; answers what has become due: everything of about half a second of media. */
  packet(packet: MediaPacket, at: number): SlicePart | undefined
  /** The rest. `until` is when the next slice begins, for the last picture. */
  end(until?: number): SlicePart | undefined
  /** Length of the media so far, in ms. */
  readonly duration: number
  /** Key frames for the index of an FLV. */
  readonly keyFrames?: readonly FlvKeyFrame[]
}

/** Media between two writes, in ms (behaviour.md#mp4-files). */
export const flushEvery = 500
/** Bytes of memory whose media are written at once, however little media time they are: what waits for its half second stays bounded when time hardly passes. */
export const flushBytes = 4 * 1024 * 1024
