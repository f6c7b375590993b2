import { costPerPiece, HeldMemory } from '../hub/held-memory.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { FlvKeyFrames, flvIndexRoom, flvRecordingHead, type FlvKeyFrame } from '../media/flv-recording.ts'
import { flvTagOverhead, flvTagType, writeFlvTag } from '../media/flv-writer.ts'
import { flushBytes, flushEvery, type SliceMuxer, type SlicePart } from './slice-muxer.ts'
import { frameSamples, type SliceTracks } from '../timeline/tracks.ts'

/** Writes a slice as FLV: tags as received, flushed every half second (behaviour.md#flv-files). */
export class FlvSlice implements SliceMuxer {
  readonly head: Buffer
  readonly #index: FlvKeyFrames
  readonly #frame: number
  #parts: Buffer[] = []
  #position: number
  #flushed = 0
  /** Retained memory with overhead, in bytes. */
  #waiting = 0
  readonly #memory = new HeldMemory()
  #lastPicture = -1
  #pictureStep = 40
  #soundEnd = 0
  #until = 0
  #before = 0

  /** `planned` is the length of a slice in ms. */
  constructor({ video, audio }: SliceTracks, planned: number) {
    const room = flvIndexRoom(planned)
    const described = flvRecordingHead(
      {
        ...(video && { video: video.parsed }),
        ...(audio && { audio: { sampleRate: audio.parsed.sampleRate, channels: audio.parsed.channels ?? 2 } }),
      },
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
    return Math.round(
      Math.max(this.#until, this.#lastPicture < 0 ? 0 : this.#lastPicture + this.#pictureStep, this.#soundEnd),
    )
  }

  get keyFrames(): readonly FlvKeyFrame[] {
    return this.#index.list
  }

  packet({ kind, body, keyFrame }: MediaPacket, at: number): SlicePart | undefined {
    const due = at - this.#flushed >= flushEvery || this.#waiting >= flushBytes ? this.#flush(at) : undefined
    if (kind === 'video') {
      if (keyFrame) this.#index.add(this.#position, at)
      if (this.#lastPicture >= 0 && at > this.#lastPicture) this.#pictureStep = at - this.#lastPicture
      this.#lastPicture = at
    } else this.#soundEnd = at + this.#frame
    // The previous tag's size and this header share one Buffer.
    const joint = Buffer.allocUnsafe(flvTagOverhead.trailer + flvTagOverhead.header)
    joint.writeUInt32BE(this.#before, 0)
    joint.writeUInt32BE(((flvTagType[kind] << 24) | body.length) >>> 0, 4)
    joint.writeUIntBE(at & 0xffffff, 8, 3)
    joint.writeUInt32BE(at & 0xff00_0000 ? (at & 0xff00_0000) >>> 0 : 0, 11)
    this.#parts.push(this.#parts.length === 0 ? joint.subarray(flvTagOverhead.trailer) : joint, body)
    this.#waiting += this.#memory.add(body) + costPerPiece
    this.#before = flvTagOverhead.header + body.length
    this.#position += flvTagOverhead.header + body.length + flvTagOverhead.trailer
    return due
  }

  end(until?: number): SlicePart | undefined {
    if (until !== undefined && this.#lastPicture >= 0) this.#until = until
    return this.#flush(this.#flushed)
  }

  #flush(at: number): SlicePart | undefined {
    this.#flushed = at
    this.#waiting = 0
    this.#memory.clear()
    const media = this.#parts
    this.#parts = []
    if (media.length === 0) return undefined
    const trailer = Buffer.allocUnsafe(flvTagOverhead.trailer)
    trailer.writeUInt32BE(this.#before)
    media.push(trailer)
    return { media }
  }
}
