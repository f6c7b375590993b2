import type { AnswerOf } from '../../contract/field.ts'
import type { recordingProgress } from '../../contract/operations/local.ts'
import { inBackground } from '../background.ts'
import { costPerPiece, HeldMemory } from '../hub/held-memory.ts'
import { maxTimelineBehind } from '../timeline/ingest-timeline.ts'
import type { MediaLoss, MediaPacket, StreamReader } from '../timeline/packet.ts'
import type { Log } from '../log.ts'
import { stopReasonOf, type StopReason } from './disk-guard.ts'
import { PushClock } from './push-clock.ts'
import { configured, isFrame, type SliceTracks } from '../timeline/tracks.ts'
import { announcesPicture } from './announced-picture.ts'
import { Slice, type RecordingChoice, type SliceOptions } from './slice.ts'

/** Recording of a push: not wanted, waiting for a key frame, writing, or blocked. */
export type RecordingState =
  | { readonly state: 'off' | 'asked' }
  | {
      readonly state: 'recording'
      readonly since: number
      /** Recorded media since then, in ms. */
      readonly recorded: number
      readonly bytes: number
      /** Earliest begin of the next slice, in ms; absent when recording is to stop. */
      readonly cut?: number
    }
  | { readonly state: 'stopped'; readonly reason: StopReason }

/** Members of a state in answers and events, named one by one so that nothing else leaves the service. */
export const recordingProgressOf = (state: RecordingState): AnswerOf<typeof recordingProgress> => ({
  ...(state.state === 'stopped' && { reason: state.reason }),
  ...(state.state === 'recording' && { since: state.since, recorded: state.recorded }),
  ...(state.state === 'recording' && state.cut !== undefined && { cut: state.cut }),
})

/** What a session uses of the recorder. */
export interface SessionParts {
  readonly wants: () => RecordingChoice | undefined
  readonly blocked: () => StopReason | undefined
  readonly open: (options: Omit<SliceOptions, 'cid'>) => Slice
  /** A slice failed; resolves when to try again. */
  readonly failed: (error: unknown) => Promise<void>
  /** A slice is ending; resolves when its file is finished. */
  readonly ending: (ended: Promise<void>) => void
  readonly changed: () => void
  readonly log: Pick<Log, 'warn'>
  readonly leftOut: (loss: MediaLoss) => void
  readonly sliceBytes: number
}

/** Longest wait for the second decoder configuration; ms of media. */
const configurationWait = 500
/** The same for a picture that the push announces: as long as its key frames may be apart, which some servers await. */
const pictureWait = 12_000
/** Packets and retained bytes during that wait; beyond either the slice begins. */
const maxHeld = 2000
const maxHeldBytes = 32 * 1024 * 1024
/** Size at which a slice ends at the next key frame: 2 h at 70 Mbit/s. */
export const maxSliceBytes = 64 * 1024 ** 3
/** Excess, as a share of that, at which it ends without a key frame; the next slice waits for one. */
const sliceOverflow = 1 / 16

/** Records one push: slices begin and end at key frames (audio only: at any frame). */
export class RecordingSession implements StreamReader {
  readonly #parts: SessionParts
  readonly #over: () => void
  readonly #clock = new PushClock()
  #tracks: SliceTracks = {}
  #slice: Slice | undefined
  /** The previous slice, which still takes audio up to its end: the tracks are not exactly interleaved. */
  #closing: { readonly slice: Slice; readonly until: number } | undefined
  #since = 0
  /** First and last timestamp of this recording. */
  #from = 0
  #last = 0
  /** Begin of the slice, in ms. */
  #begun = 0
  #slices = 0
  #first: MediaPacket | undefined
  #heldBytes = 0
  readonly #heldMemory = new HeldMemory()
  #settled = false
  /** `onMetaData` announces a picture. */
  #announced = false
  #held: MediaPacket[] = []
  /** The configuration changed: the slice ends at the next key frame; audio of the new configuration waits for it. */
  #stale = false
  #silent = false
  #stopped: StopReason | undefined

  /** `over` is called at the end of the push. */
  constructor(parts: SessionParts, over: () => void) {
    this.#parts = parts
    this.#over = over
  }

  get state(): RecordingState {
    const choice = this.#parts.wants()
    if (this.#slice)
      return {
        state: 'recording',
        since: this.#since,
        recorded: Math.max(0, this.#last - this.#from),
        bytes: this.#slice.bytes,
        ...(choice && { cut: this.#begun + choice.duration }),
      }
    if (!choice) return { state: 'off' }
    const reason = this.#stopped ?? this.#parts.blocked()
    return reason ? { state: 'stopped', reason } : { state: 'asked' }
  }

  packet(packet: MediaPacket): void {
    if (packet.kind === 'data') {
      if (packet.configuration) this.#announced = announcesPicture(packet)
      return
    }
    if (packet.configuration) return this.#configure(packet)
    if (!isFrame(this.#tracks, packet)) return
    this.#first ??= packet
    this.#clock.heard(packet)
    if (this.#closing && this.#isLate(packet, this.#closing)) return
    if (this.#slice && this.#slice.bytes >= this.#parts.sliceBytes * (1 + sliceOverflow)) {
      this.#end(packet.timestamp)
      this.#parts.leftOut('fullSlice')
    }
    if (packet.kind === 'video' ? packet.keyFrame : !this.#tracks.video) this.#boundary(packet)
    if (this.#slice) {
      this.#last = Math.max(this.#last, packet.timestamp)
      if (!(this.#silent && packet.kind === 'audio')) this.#slice.packet(packet)
    } else if (this.#held.length > 0) {
      if (this.#held.at(-1) !== packet) this.#hold(packet)
      this.#settle(packet)
    }
  }

  ended(): void {
    // The picture that was waited for did not come: the sound is recorded.
    if (this.#isWaitingForPicture) this.#beginHeld()
    this.#end()
    this.#over()
  }

  /** Stops at once for the disk; resumes at a key frame. */
  halt(): void {
    if (!this.#slice && !this.#closing && this.#held.length === 0) return
    this.#end()
    this.#rest()
  }

  #configure(packet: MediaPacket): void {
    const tracks = configured(this.#tracks, packet)
    if (tracks === this.#tracks) return
    this.#close()
    this.#tracks = tracks
    if (this.#slice) {
      this.#stale = true
      if (packet.kind === 'audio') this.#silent = true
    } else if (packet.kind === 'video') this.#held = []
  }

  #boundary(packet: MediaPacket): void {
    const choice = this.#parts.wants()
    const blocked = this.#stopped ?? this.#parts.blocked()
    const slice = this.#slice
    if (slice) {
      if (
        choice &&
        !blocked &&
        !this.#stale &&
        choice.format === slice.format &&
        packet.timestamp - slice.start < choice.duration &&
        slice.bytes < this.#parts.sliceBytes
      )
        return
      this.#end(packet.timestamp)
      if (!choice || blocked) this.#rest()
    }
    if (!choice || blocked) this.#held = []
    else if (this.#held.length === 0) {
      if (this.#settled || this.#complete(packet)) this.#begin(choice, packet)
      else this.#hold(packet)
    }
  }

  get #isWaitingForPicture(): boolean {
    return this.#announced && !this.#tracks.video
  }

  #complete(packet: MediaPacket): boolean {
    const { video, audio } = this.#tracks
    const wait = this.#isWaitingForPicture ? pictureWait : configurationWait
    this.#settled =
      (video && audio) !== undefined ||
      packet.timestamp - (this.#first ?? packet).timestamp >= wait ||
      this.#held.length >= maxHeld ||
      this.#heldBytes >= maxHeldBytes
    return this.#settled
  }

  #settle(packet: MediaPacket): void {
    if (this.#complete(packet)) this.#beginHeld()
  }

  #beginHeld(): void {
    const choice = this.#parts.wants()
    const held = this.#held
    const [first] = held
    this.#held = []
    if (!choice || !first || this.#parts.blocked()) return
    this.#begin(choice, first)
    for (const each of held) if (isFrame(this.#tracks, each)) this.#slice?.packet(each)
  }

  #begin(choice: RecordingChoice, first: MediaPacket): void {
    this.#begun = this.#clock.at(first.timestamp)
    if (this.#since === 0) {
      this.#since = this.#begun
      this.#from = first.timestamp
      this.#last = first.timestamp
    }
    this.#stale = false
    this.#silent = false
    const slice = this.#parts.open({
      choice,
      tracks: this.#tracks,
      first,
      begin: this.#begun,
      number: this.#slices++,
      failed: (error) => this.#failed(slice, error),
      leftOut: this.#parts.leftOut,
    })
    this.#slice = slice
    this.#parts.changed()
  }

  #hold(packet: MediaPacket): void {
    if (this.#held.length === 0) {
      this.#heldBytes = 0
      this.#heldMemory.clear()
    }
    this.#heldBytes += this.#heldMemory.add(packet.body) + costPerPiece
    this.#held.push(packet)
  }

  /** Ends the slice; if another follows, once audio has reached its end too. */
  #end(until?: number): void {
    const slice = this.#slice
    this.#close()
    this.#slice = undefined
    this.#held = []
    if (!slice) return
    if (until === undefined || this.#stale || !this.#tracks.video || !this.#tracks.audio)
      this.#parts.ending(slice.end(until))
    else this.#closing = { slice, until }
  }

  /** Passes audio that belongs to the previous slice to it and ends it when complete; true if the packet was taken. */
  #isLate(packet: MediaPacket, { slice, until }: { readonly slice: Slice; readonly until: number }): boolean {
    if (packet.kind === 'audio' && packet.timestamp < until) {
      slice.packet(packet)
      return true
    }
    if (packet.kind === 'audio' || packet.timestamp - until > maxTimelineBehind) this.#close()
    return false
  }

  #close(): void {
    const closing = this.#closing
    this.#closing = undefined
    if (closing) this.#parts.ending(closing.slice.end(closing.until))
  }

  /** Recording stopped; the next slice starts a new one. */
  #rest(): void {
    this.#since = 0
    this.#parts.changed()
  }

  #failed(slice: Slice, error: unknown): void {
    const passed = this.#parts.failed(error)
    if (this.#slice !== slice) return inBackground(passed, this.#parts.log, 'waiting after a failed recording')
    this.#slice = undefined
    this.#stopped = error === undefined ? 'slow' : stopReasonOf(error)
    const ended = slice.end()
    this.#parts.ending(ended)
    // A slow disk must have caught up first.
    const rested = Promise.all([ended, passed]).finally(() => {
      this.#stopped = undefined
      this.#parts.changed()
    })
    inBackground(rested, this.#parts.log, 'ending a failed recording')
    this.#rest()
  }
}
