import { costPerPiece, HeldMemory } from '../hub/held-memory.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { fragmentParts, type Mp4Sample } from '../media/mp4-fragment.ts'
import { hybridHead, indexRecords } from '../media/mp4-hybrid.ts'
import { createAudioTimeline, createVideoTimeline, videoTimescale, type SampleTimeline } from '../media/mp4-timeline.ts'
import { flushBytes, flushEvery, type SliceMuxer, type SlicePart } from './slice-muxer.ts'
import { frameSamples, mp4Tracks, trackId, type SliceTracks } from '../timeline/tracks.ts'

/** Writes a slice as hybrid MP4: a fragment per half second, regardless of key frames (behaviour.md#mp4-files). */
export class Mp4Slice implements SliceMuxer {
  readonly head: Buffer
  readonly #video: SampleTimeline | undefined
  readonly #audio: SampleTimeline | undefined
  readonly #audioRate: number
  readonly #started = new Set<number>()
  #pictures: Mp4Sample[] = []
  #sounds: Mp4Sample[] = []
  #position: number
  #sequence = 1
  #flushed = 0
  /** Retained memory with overhead, in bytes. */
  #waiting = 0
  readonly #memory = new HeldMemory()
  #videoEnd = 0
  #audioEnd = 0

  /** `surplus` is called for audio that exceeds its time. */
  constructor(tracks: SliceTracks, surplus: () => void = () => undefined) {
    this.head = hybridHead(mp4Tracks(tracks))
    this.#position = this.head.length
    this.#video = tracks.video && createVideoTimeline()
    this.#audioRate = tracks.audio?.parsed.sampleRate ?? 1
    this.#audio = tracks.audio && createAudioTimeline(this.#audioRate, frameSamples(tracks.audio.parsed), surplus)
  }

  get duration(): number {
    return Math.round(Math.max((this.#videoEnd * 1000) / videoTimescale, (this.#audioEnd * 1000) / this.#audioRate))
  }

  packet({ kind, body, keyFrame }: MediaPacket, at: number): SlicePart | undefined {
    const due = at - this.#flushed >= flushEvery || this.#waiting >= flushBytes ? this.#flush(at) : undefined
    this.#waiting += this.#memory.add(body) + costPerPiece
    if (kind === 'video')
      this.#picture(this.#video?.push(body.subarray(5), at, { offset: body.readIntBE(2, 3), sync: keyFrame }))
    else this.#sound(this.#audio?.push(body.subarray(2), at))
    return due
  }

  end(until?: number): SlicePart | undefined {
    this.#picture(this.#video?.flush(until))
    this.#sound(this.#audio?.flush())
    return this.#flush(this.#flushed)
  }

  #picture(sample: Mp4Sample | undefined): void {
    if (!sample) return
    this.#pictures.push(sample)
    this.#videoEnd = sample.decodeTime + sample.duration
  }

  #sound(sample: Mp4Sample | undefined): void {
    if (!sample) return
    this.#sounds.push(sample)
    this.#audioEnd = sample.decodeTime + sample.duration
  }

  #flush(at: number): SlicePart | undefined {
    this.#flushed = at
    this.#waiting = 0
    this.#memory.clear()
    const { head, data, runs } = fragmentParts(this.#sequence, [
      { trackId: trackId.video, samples: this.#pictures },
      { trackId: trackId.audio, samples: this.#sounds },
    ])
    this.#pictures = []
    this.#sounds = []
    if (data.length === 0) return undefined
    this.#sequence++
    let place = this.#position + head.length
    const index = indexRecords(
      runs.map(({ trackId, samples }) => {
        const dataAt = place
        for (const { data: bytes } of samples) place += bytes.length
        const sized = samples.map(({ data: { length: size }, duration, compositionOffset, sync }) => ({
          size,
          duration,
          compositionOffset,
          sync,
        }))
        return { trackId, decodeTime: samples[0]?.decodeTime ?? 0, dataAt, samples: sized }
      }),
      this.#started,
    )
    this.#position = place
    return { media: [head, ...data], index }
  }
}
