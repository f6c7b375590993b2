import { audioConfiguration, videoConfiguration, videoFrame } from '../../hub/testing/packets.ts'
import type { ByteSource } from '../../media/mp4-reader.ts'
import type { MediaPacket } from '../../timeline/packet.ts'
import { configured } from '../../timeline/tracks.ts'
import type { SliceMuxer, SlicePart } from '../slice-muxer.ts'

/** Tracks of a picture, of sound, and of both. */
export const pictureTracks = configured({}, videoConfiguration)
/** Tracks of a slice with sound alone. */
export const soundTracks = configured({}, audioConfiguration)
/** Tracks of a slice with picture and sound. */
export const bothTracks = configured(pictureTracks, audioConfiguration)

/** A picture with so many bytes of its own. */
export const pictureAt = (at: number, isKey = false, bytes = 0): MediaPacket => {
  const frame = videoFrame(at, isKey, at)
  return bytes === 0 ? frame : { ...frame, body: Buffer.concat([frame.body, Buffer.alloc(bytes, at & 0xff)]) }
}
/** A frame of sound. */
export const soundAt = (at: number): MediaPacket => ({
  ...audioConfiguration,
  body: Buffer.from([0xaf, 1, 0x21, 0x10, 5]),
  configuration: false,
  timestamp: at,
  arrived: at,
})

/** What a slice wrote: its parts in order, all bytes, and all records of the index. */
export interface WrittenSlice {
  readonly parts: readonly SlicePart[]
  readonly media: Buffer
  readonly index: Buffer
}

/** Passes packets to a muxer, whose time is theirs, and ends it. */
export function writtenSlice(muxer: SliceMuxer, packets: readonly MediaPacket[], until?: number): WrittenSlice {
  const parts: SlicePart[] = []
  const keep = (part: SlicePart | undefined): void => {
    if (part) parts.push(part)
  }
  for (const packet of packets) keep(muxer.packet(packet, packet.timestamp))
  keep(muxer.end(until))
  return {
    parts,
    media: Buffer.concat([muxer.head, ...parts.flatMap(({ media }) => media)]),
    index: Buffer.concat(parts.flatMap(({ index }) => (index ? [index] : []))),
  }
}

/** Bytes in memory as a file. */
export const sourceOf = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: (at, length) => bytes.subarray(at, at + length),
})
