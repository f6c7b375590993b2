import { ascii, box, fullBox, u16, u32, u64, u8 } from './mp4-boxes.ts'

/** Sample entry data of an H.264 track. */
export interface Mp4VideoTrack {
  readonly kind: 'video'
  /** From 1. */
  readonly id: number
  /** Units per second of all its times. */
  readonly timescale: number
  /** In luma samples. */
  readonly width: number
  readonly height: number
  /** AVCDecoderConfigurationRecord as received (ISO/IEC 14496-15 5.3.3.1). */
  readonly configuration: Buffer
}

/** Sample entry data of an AAC track. */
export interface Mp4AudioTrack {
  readonly kind: 'audio'
  /** From 1. */
  readonly id: number
  /** The sample rate, so that frame durations are exact. */
  readonly timescale: number
  readonly channels: number
  /** AudioSpecificConfig as received (ISO/IEC 14496-3 1.6.2.1), at most 64 bytes. */
  readonly configuration: Buffer
}

/** A track of a movie. */
export type Mp4Track = Mp4VideoTrack | Mp4AudioTrack

/** Longest AudioSpecificConfig: descriptor lengths have one byte. */
export const maxAudioConfiguration = 64

/** Identity matrix (ISO/IEC 14496-12 6.2.2). */
export const unityMatrix = u32(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000)
const undetermined = 0x55c4
const movieTimescale = 1000

const ftyp = box('ftyp', ascii('iso6'), u32(0x200), ascii('iso6cmfcavc1mp41'))

// Durations are 0: they come with the fragments (14496-12 8.8.1).
const mvhd = (nextTrack: number): Buffer =>
  fullBox(
    'mvhd',
    0,
    0,
    u32(0, 0, movieTimescale, 0, 0x1_0000),
    u16(0x100, 0),
    u32(0, 0),
    unityMatrix,
    Buffer.alloc(24),
    u32(nextTrack),
  )

const tkhd = (track: Mp4Track): Buffer => {
  const size = track.kind === 'video' ? u32(track.width * 0x1_0000, track.height * 0x1_0000) : u32(0, 0)
  return fullBox(
    'tkhd',
    0,
    7,
    u32(0, 0, track.id, 0, 0, 0, 0),
    u16(0, track.kind === 'video' ? 0 : 1, track.kind === 'video' ? 0 : 0x100, 0),
    unityMatrix,
    size,
  )
}

/** `hdlr`: type of a track, and its name. */
export const hdlr = (handler: string, name: string): Buffer =>
  fullBox('hdlr', 0, 0, u32(0), ascii(handler), u32(0, 0, 0), ascii(`${name}\0`))

const videoEntry = ({ width, height, configuration }: Mp4VideoTrack): Buffer =>
  box(
    'avc1',
    u16(0, 0, 0, 1, 0, 0),
    u32(0, 0, 0),
    u16(width, height),
    u32(0x48_0000, 0x48_0000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(0x18, 0xffff),
    box('avcC', configuration),
  )

/** A descriptor (ISO/IEC 14496-1 8.3.3) with a length of seven bits. */
const descriptor = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u8(tag, body.length), body])
}

const audioEntry = ({ timescale, channels, configuration }: Mp4AudioTrack): Buffer => {
  const specific = descriptor(5, configuration.subarray(0, maxAudioConfiguration))
  const decoder = descriptor(4, u8(0x40, 0x15, 0, 0, 0), u32(0, 0), specific)
  const stream = descriptor(3, u16(0), u8(0), decoder, descriptor(6, u8(2)))
  // The rate is 16.16 fixed point; above 65,535 Hz only the AudioSpecificConfig has it.
  return box(
    'mp4a',
    u16(0, 0, 0, 1),
    u32(0, 0),
    u16(channels, 16, 0, 0, timescale > 0xffff ? 0 : timescale, 0),
    fullBox('esds', 0, 0, stream),
  )
}

const emptyTables = [
  fullBox('stts', 0, 0, u32(0)),
  fullBox('stsc', 0, 0, u32(0)),
  fullBox('stsz', 0, 0, u32(0, 0)),
  fullBox('stco', 0, 0, u32(0)),
] as const

/** `dinf`: the media is in the same file. */
export const dinf = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)))

const trak = (track: Mp4Track): Buffer => {
  const video = track.kind === 'video'
  const head = video ? fullBox('vmhd', 0, 1, u16(0, 0, 0, 0)) : fullBox('smhd', 0, 0, u16(0, 0))
  const entry = fullBox('stsd', 0, 0, u32(1), track.kind === 'video' ? videoEntry(track) : audioEntry(track))
  const mdhd = fullBox('mdhd', 1, 0, u64(0), u64(0), u32(track.timescale), u64(0), u16(undetermined, 0))
  const mdia = box(
    'mdia',
    mdhd,
    hdlr(video ? 'vide' : 'soun', video ? 'Video' : 'Sound'),
    box('minf', head, dinf, box('stbl', entry, ...emptyTables)),
  )
  return box('trak', tkhd(track), mdia)
}

const trex = (track: Mp4Track): Buffer => fullBox('trex', 0, 0, u32(track.id, 1, 0, 0, 0))

/** `moov` of a fragmented movie (ISO/IEC 14496-12 8.8): its tracks and `mvex`, no samples. */
export const movieBox = (tracks: readonly Mp4Track[]): Buffer =>
  box('moov', mvhd(Math.max(...tracks.map(({ id }) => id)) + 1), ...tracks.map(trak), box('mvex', ...tracks.map(trex)))

/** Initialization segment (ISO/IEC 23000-19 7.3.1): `ftyp` and `moov`; start of a file and EXT-X-MAP of HLS. */
export const initSegment = (tracks: readonly Mp4Track[]): Buffer => Buffer.concat([ftyp, movieBox(tracks)])
