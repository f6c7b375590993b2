import { fragment, type Mp4Run, type Mp4Sample } from '../media/mp4-fragment.ts'
import { createAudioTimeline, createVideoTimeline, videoTimescale, type SampleTimeline } from '../media/mp4-timeline.ts'
import { costPerPiece, heldBytes, HeldMemory } from '../hub/held-memory.ts'
import { initSegment } from '../media/mp4-init.ts'
import type { MediaLoss, MediaPacket } from '../timeline/packet.ts'
import { frameSamples, mp4Tracks, trackId, type SliceTracks } from '../timeline/tracks.ts'

/** Contents of a MAP: the start of a run of segments with the same tracks and time line. */
export interface HlsMap {
  readonly data: Buffer
  /** RFC 6381 codecs, separated by commas. */
  readonly codecs: string
}

/** A finished segment. */
export interface HlsSegment {
  /** Built on first use, then kept. */
  readonly data: () => Buffer
  /** Approximate memory. */
  readonly bytes: number
  /** Duration, and wall clock of the start; ms. */
  readonly duration: number
  readonly programDateTime: number
  /** Begins with a key frame, or has no video. */
  readonly independent: boolean
}

/** State of a playlist, shared by its runs. */
export interface HlsClock {
  /** Set by the first segment (behaviour.md#hls-playlists); s. */
  targetDuration: number | undefined
  /** Start of the next run on the playlist's time line, in ms. */
  position: number
  /** Wall clock of the end of the last segment, in ms. */
  date: number
  fragment: number
}

/** Receives segments and reports of omitted media. */
export interface HlsOutput {
  segment(segment: HlsSegment): void
  leftOut(loss: MediaLoss): void
}

/** Shortest target duration, and longest first GOP waited for (the length of the hub's cache); s. */
const minTarget = 2
const maxTarget = 20
/** A GOP may exceed the target by this: millisecond rounding or 1000/1001 frame rates; ms. */
const rounding = 20
/** Longest excess with which EXTINF still rounds to the target; ms. */
const overshoot = 490
/** Joined short GOPs may exceed the target by this; ms. */
const joinSlack = 250
/** Lead of audio after which video counts as stalled; ms. */
const maxInterleave = 2000
/** Memory of a segment with its overhead, in bytes; cut beyond, omitting samples of the same millisecond. */
export const maxSegmentBytes = 32 * 1024 * 1024
const soundSlack = 1024 * 1024
/** Largest correction of the wall clock per segment, and the difference that is not drift; ms. */
const dateSlew = 10
const dateJump = 1000
/** Built lazily: without HLS viewers most segments are never requested. */
function onFirstUse(sequence: number, runs: readonly Mp4Run[]): () => Buffer {
  let open: readonly Mp4Run[] | undefined = runs
  let data: Buffer | undefined
  return () => {
    if (open) data = fragment(sequence, open, { styp: true })
    open = undefined
    return data!
  }
}

/** Segments with the same tracks and time line, from a key frame if there is video. */
export class HlsRun {
  readonly map: HlsMap
  readonly #clock: HlsClock
  readonly #out: HlsOutput
  readonly #origin: number
  readonly #begun: number
  readonly #video: SampleTimeline | undefined
  readonly #audio: SampleTimeline | undefined
  readonly #audioRate: number
  readonly #audioFrame: number
  #pictures: Mp4Sample[] = []
  #sounds: Mp4Sample[] = []
  #bytes = 0
  readonly #memory = new HeldMemory()
  #start: number
  #independent = true
  #lastKey: number
  #lastGop = 0
  #firstGop: number | undefined
  /** Wall clock minus time line, and its minimum during this segment; ms. */
  #dateOffset: number
  #leastOffset: number
  #arrived: number

  constructor(tracks: SliceTracks, first: MediaPacket, clock: HlsClock, out: HlsOutput) {
    const { video, audio } = tracks
    const codecs = [video, audio].flatMap((track) => (track ? [track.parsed.codec] : [])).join(',')
    this.map = { data: initSegment(mp4Tracks(tracks)), codecs }
    this.#clock = clock
    this.#out = out
    this.#origin = first.timestamp - clock.position
    this.#begun = clock.position
    this.#start = clock.position
    this.#lastKey = clock.position
    this.#dateOffset = first.arrived - clock.position
    this.#leastOffset = Infinity
    this.#arrived = first.arrived
    this.#video = video && createVideoTimeline()
    this.#audioRate = audio?.parsed.sampleRate ?? 0
    const samples = audio ? frameSamples(audio.parsed) : 0
    this.#audio = audio && createAudioTimeline(this.#audioRate, samples, () => out.leftOut('sound'))
    this.#audioFrame = audio ? (samples * 1000) / this.#audioRate : 0
  }

  /** Longest allowed duration of the current segment, in ms. */
  get #limit(): number {
    return (this.#clock.targetDuration ?? maxTarget) * 1000 + overshoot
  }

  /** Takes a coded packet. False if a gap in the timestamps ends the run: it is closed, the packet not taken. */
  packet(packet: MediaPacket): boolean {
    const at = packet.timestamp - this.#origin
    this.#arrived = packet.arrived
    this.#leastOffset = Math.min(this.#leastOffset, packet.arrived - at)
    if (packet.kind === 'video') return !this.#video || this.#picture(this.#video, packet, at)
    return !this.#audio || this.#sound(this.#audio, packet, at)
  }

  /** Ends the run: the rest becomes a segment, and the clock is set to its end. */
  close(): void {
    const { decodeTime = 0, duration = 0 } = this.#take(this.#pictures, this.#video?.flush()) ?? {}
    const sound = this.#take(this.#sounds, this.#audio?.flush())
    const soundEnd = sound ? ((sound.decodeTime + sound.duration) * 1000) / this.#audioRate : 0
    const end = Math.max(((decodeTime + duration) * 1000) / videoTimescale, soundEnd)
    // Audio ahead of stalled video may fill several segments.
    while (end - this.#start > this.#limit) {
      const before = this.#start
      this.#cut(before + this.#target(maxTarget * 1000) * 1000)
      if (this.#start === before) break
    }
    this.#cut(Math.min(Math.round(end), this.#start + this.#limit))
    this.#clock.position = this.#start
  }

  #picture(timeline: SampleTimeline, { body, keyFrame }: MediaPacket, at: number): boolean {
    const { held } = timeline
    // The held frame would exceed the limit: it goes into the next segment. If it alone is too long, the time line has
    // a gap.
    if (at - this.#start > this.#limit && held && held.at > this.#start) this.#cut(held.at)
    if (at - this.#start > this.#limit) {
      this.close()
      return false
    }
    if (at <= this.#start && this.#bytes > maxSegmentBytes) return this.#leaveOut()
    this.#take(this.#pictures, timeline.push(body.subarray(5), at, { offset: body.readIntBE(2, 3), sync: keyFrame }))
    if (at === this.#start) return true
    if (keyFrame) {
      this.#lastGop = at - this.#lastKey
      this.#firstGop ??= this.#lastGop
      this.#lastKey = at
    }
    const target = this.#target(maxTarget * 1000) * 1000
    const length = at - this.#start
    const due = this.#lastKey + this.#lastGop - this.#start
    const full =
      length >=
      Math.max(
        target,
        this.#firstGop !== undefined && this.#firstGop <= target + rounding ? this.#firstGop : 0,
        due <= target + joinSlack ? due : 0,
      )
    if (
      full ||
      (keyFrame && (length >= target || length + this.#lastGop > target + joinSlack)) ||
      this.#bytes > maxSegmentBytes
    )
      this.#cut(at)
    return true
  }

  #sound(timeline: SampleTimeline, { body }: MediaPacket, at: number): boolean {
    // Audio before the first picture.
    if (at < this.#begun) return true
    if (!this.#video && at - this.#start > this.#limit) {
      this.close()
      return false
    }
    // With video, only video cuts; `soundSlack` is allowed until then.
    if (this.#video ? this.#bytes > maxSegmentBytes + soundSlack : at <= this.#start && this.#bytes > maxSegmentBytes)
      return this.#leaveOut()
    this.#take(this.#sounds, timeline.push(body.subarray(2), at))
    if (!this.#video) {
      if (at - this.#start + this.#audioFrame > minTarget * 1000 || this.#bytes > maxSegmentBytes) this.#cut(at)
    } else if (at - this.#start > this.#limit + maxInterleave) {
      this.#take(this.#pictures, this.#video.flush())
      this.#cut(this.#start + this.#target(maxTarget * 1000) * 1000)
    }
    return true
  }

  #take(samples: Mp4Sample[], sample: Mp4Sample | undefined): Mp4Sample | undefined {
    if (!sample) return samples.at(-1)
    samples.push(sample)
    this.#bytes += this.#memory.add(sample.data) + costPerPiece
    return sample
  }

  #leaveOut(): true {
    this.#out.leftOut('segment')
    return true
  }

  /** Target duration in s. While undecided: that of the first GOP, or of a GOP of `otherwise` ms. */
  #target(otherwise: number): number {
    return (
      this.#clock.targetDuration ??
      Math.min(maxTarget, Math.max(minTarget, Math.ceil(((this.#firstGop ?? otherwise) - rounding) / 1000)))
    )
  }

  #cut(at: number): void {
    const border = (at / 1000) * this.#audioRate
    const later = this.#sounds.findIndex(({ decodeTime }) => decodeTime >= border)
    const sounds = later < 0 ? this.#sounds : this.#sounds.slice(0, later)
    const pictures = this.#pictures
    const duration = at - this.#start
    if (duration <= 0 || (pictures.length === 0 && sounds.length === 0)) return
    const clock = this.#clock
    clock.targetDuration ??= this.#target(duration)
    const runs = [
      { trackId: trackId.video, samples: pictures },
      { trackId: trackId.audio, samples: sounds },
    ]
    const samples = [...pictures, ...sounds].map(({ data }) => data)
    const length = samples.reduce((sum, { length }) => sum + length, 0)
    const held = heldBytes(samples)
    const data = onFirstUse(clock.fragment++, runs)
    // Samples that are small parts of their memory are copied at once, to release it.
    const isSparse = held > 2 * length
    if (isSparse) data()
    const bytes = isSparse ? length : held
    // Media faster than real time, or a clock set back, must not get a date in the future.
    const programDateTime = Math.min(
      Math.max(clock.date, Math.round(this.#start + this.#dateOffset)),
      Math.floor(this.#arrived - duration),
    )
    const { independent } = this.#next(at, later < 0 ? [] : this.#sounds.slice(later))
    clock.date = programDateTime + duration
    const drift = this.#leastOffset - this.#dateOffset
    if (Number.isFinite(drift))
      this.#dateOffset += Math.abs(drift) > dateJump ? drift : Math.max(-dateSlew, Math.min(dateSlew, drift))
    this.#leastOffset = Infinity
    this.#out.segment({ data, bytes, duration, programDateTime, independent })
  }

  #next(at: number, sounds: Mp4Sample[]): { readonly independent: boolean } {
    const independent = this.#independent
    this.#start = at
    this.#pictures = []
    this.#sounds = sounds
    this.#memory.clear()
    this.#bytes = sounds.reduce((sum, { data }) => sum + this.#memory.add(data) + costPerPiece, 0)
    this.#independent = !this.#video || (this.#video.held?.sync ?? false)
    return { independent }
  }
}
