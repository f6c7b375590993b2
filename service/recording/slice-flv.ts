import type { MediaPacket } from '../live/packet.ts'
import { FlvKeyFrames, flvIndexRoom, flvRecordingHead, type FlvKeyFrame } from '../media/flv-recording.ts'
import { flvTagOverhead, flvTagType, writeFlvTag } from '../media/flv-writer.ts'
import { flushEvery, type SliceMuxer, type SlicePart } from './slice-muxer.ts'
import { frameSamples, type SliceTracks } from './slice-tracks.ts'

/** Writes a slice as FLV: the tags as they came, flushed every half second (decisions, Live). */
export class FlvSlice implements SliceMuxer {
  readonly head: Buffer
  readonly #index: FlvKeyFrames
  readonly #frame: number
  #parts: Buffer[] = []
  #position: number
  #flushed = 0
  #lastPicture = -1
  #pictureStep = 40
  #soundEnd = 0
  #until = 0

  /** `planned` is the length of a slice in ms. */
  constructor({ video, audio }: SliceTracks, planned: number) {
    const room = flvIndexRoom(planned)
    const described = flvRecordingHead(
      { ...(video && { video: video.parsed }), ...(audio && { audio: { sampleRate: audio.parsed.sampleRate, channels: audio.parsed.channels ?? 2 } }) },
      room,
    )
    this.#index = new FlvKeyFrames(room)
    if (video) this.#index.add(described.length, 0)
    this.head = Buffer.concat([
      described,
      ...(video ? [writeFlvTag('video', 0, video.packet.body)] : []),
      ...(audio ? [writeFlvTag('audio', 0, audio.packet.body)] : []),
    ])
    this.#position = this.head.length
    this.#frame = audio ? (frameSamples(audio.parsed) * 1000) / audio.parsed.sampleRate : 0
  }

  get duration(): number {
    return Math.round(Math.max(this.#until, this.#lastPicture < 0 ? 0 : this.#lastPicture + this.#pictureStep, this.#soundEnd))
  }

  get keyFrames(): readonly FlvKeyFrame[] {
    return this.#index.list
  }

  packet({ kind, body, keyFrame }: MediaPacket, at: number): SlicePart | undefined {
    const due = at - this.#flushed >= flushEvery ? this.#flush(at) : undefined
    if (kind === 'video') {
      if (keyFrame) this.#index.add(this.#position, at)
      if (this.#lastPicture >= 0 && at > this.#lastPicture) this.#pictureStep = at - this.#lastPicture
      this.#lastPicture = at
    } else this.#soundEnd = at + this.#frame
    const header = Buffer.allocUnsafe(flvTagOverhead.header)
    header[0] = flvTagType[kind]
    header.writeUIntBE(body.length, 1, 3)
    header.writeUIntBE(at & 0xffffff, 4, 3)
    header[7] = (at >>> 24) & 0xff
    header.writeUIntBE(0, 8, 3)
    const trailer = Buffer.allocUnsafe(flvTagOverhead.trailer)
    trailer.writeUInt32BE(flvTagOverhead.header + body.length)
    this.#parts.push(header, body, trailer)
    this.#position += flvTagOverhead.header + body.length + flvTagOverhead.trailer
    return due
  }

  end(until?: number): SlicePart | undefined {
    if (until !== undefined && this.#lastPicture >= 0) this.#until = until
    return this.#flush(this.#flushed)
  }

  #flush(at: number): SlicePart | undefined {
    this.#flushed = at
    const media = this.#parts
    this.#parts = []
    return media.length > 0 ? { media } : undefined
  }
}
