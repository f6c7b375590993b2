import type { Clock } from '../../platform/clock.ts'
import type { MediaLoss, MediaPacket } from '../timeline/packet.ts'
import type { FileSystem } from './file-system.ts'
import { createFileSink, type FileSink } from './file-sink.ts'
import type { FilesStore } from './files-store.ts'
import type { Finisher, Unfinished } from './finisher.ts'
import type { RecordingFolder } from './recording-folder.ts'
import { clockSet } from './push-clock.ts'
import { FlvSlice } from './slice-flv.ts'
import { Mp4Slice } from './slice-mp4.ts'
import type { SliceMuxer, SlicePart } from './slice-muxer.ts'
import { codecsOf, type SliceTracks } from '../timeline/tracks.ts'

/** Recording settings of a channel (1-live, setAlwaysRecord); `duration` in ms. */
export interface RecordingChoice {
  readonly uid: number
  readonly format: number
  readonly duration: number
  readonly filename: string
}

/** What slices are written with. */
export interface SliceParts {
  readonly store: Pick<FilesStore, 'begin'>
  readonly files: FileSystem
  readonly folder: RecordingFolder
  readonly finisher: Finisher
  /** Takes a file that cannot be finished now. */
  readonly later: (file: Unfinished) => void
  readonly clock: Clock
  /** Bytes that may be queued for the disk. */
  readonly queueBound?: number | undefined
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}

/** A slice: its first packet, its estimated begin in ms, its number within the push from 0. */
export interface SliceOptions {
  readonly cid: string
  readonly choice: RecordingChoice
  readonly tracks: SliceTracks
  readonly first: MediaPacket
  readonly begin: number
  readonly number: number
  /** Called at most once: a system error, or undefined when the disk is too slow. */
  readonly failed: (error: unknown) => void
  readonly leftOut: (loss: MediaLoss) => void
}

/** Media during which a slice's begin is corrected, in ms: a delayed first packet shows only by later ones. */
const beginKnownAfter = 30_000
/** Bytes of the sample index per write. */
const indexBatch = 16 * 1024

/** A file being recorded. Never blocks: bytes go through bounded queues. */
export class Slice {
  readonly format: number
  /** Timestamp of its first packet. */
  readonly start: number
  readonly #options: SliceOptions
  readonly #parts: SliceParts
  readonly #muxer: SliceMuxer
  readonly #media: FileSink
  readonly #index: FileSink | undefined
  readonly #vid: Promise<number>
  #begin: number
  /** By the newest packet alone. */
  #newestBegin: number | undefined
  #records: Buffer[] = []
  #recordBytes = 0
  #broken = false
  #ending: Promise<void> | undefined

  constructor(options: SliceOptions, parts: SliceParts) {
    const { cid, choice, tracks, first, begin, number } = options
    const { store, folder, files, clock } = parts
    this.#options = options
    this.#parts = parts
    this.format = choice.format
    this.start = first.timestamp
    this.#begin = begin
    this.#muxer =
      choice.format === 1 ? new FlvSlice(tracks, choice.duration) : new Mp4Slice(tracks, () => options.leftOut('sound'))
    this.#vid = store.begin({
      cid,
      uid: choice.uid,
      state: 'writing',
      format: choice.format,
      merged: 0,
      slice: number,
      beginTime: begin,
      filename: choice.filename,
      codecs: codecsOf(tracks),
    })
    const failed = (error: unknown): void => this.#fail(error)
    const bound = parts.queueBound === undefined ? {} : { bound: parts.queueBound }
    const open = (path: (vid: number) => string) => async () => files.create(folder.of(cid), path(await this.#vid))
    this.#media = createFileSink({
      open: open((vid) => folder.file({ cid, vid, format: choice.format })),
      clock,
      failed,
      ...bound,
    })
    this.#index =
      choice.format === 1
        ? undefined
        : createFileSink({ open: open((vid) => folder.index({ cid, vid })), clock, failed, syncEvery: Infinity })
    this.#write({ media: [this.#muxer.head] })
  }

  get bytes(): number {
    return this.#media.bytes
  }

  packet(packet: MediaPacket): void {
    const at = packet.timestamp - this.start
    // Audio before the first picture.
    if (at < 0) return
    const begin = packet.arrived - at
    const before = this.#newestBegin ?? begin
    // The computer's clock was set, or set right again: the slice is dated by the one at its end.
    if (Math.abs(begin - before) > clockSet) this.#begin += begin - before
    this.#newestBegin = begin
    if (at < beginKnownAfter) this.#begin = Math.min(this.#begin, begin)
    const part = this.#muxer.packet(packet, at)
    if (part) this.#write(part)
  }

  /** Ends the slice, at the begin of the next one if any; resolves when listed, dropped, or left. */
  end(until?: number): Promise<void> {
    return (this.#ending ??= this.#end(until))
  }

  async #end(until: number | undefined): Promise<void> {
    const rest = this.#muxer.end(until === undefined ? undefined : until - this.start)
    if (rest) this.#write(rest)
    this.#flushIndex()
    const { cid, choice, number } = this.#options
    const { finisher, later, log } = this.#parts
    const closed = await Promise.allSettled([this.#media.close(), this.#index?.close()])
    let vid: number
    try {
      vid = await this.#vid
    } catch (error) {
      log.warn({ err: error, cid }, 'a slice could not be started')
      return
    }
    const whole = !this.#broken && closed.every(({ status }) => status === 'fulfilled')
    const file = {
      vid,
      cid,
      uid: choice.uid,
      format: choice.format,
      slice: number,
      beginTime: this.#begin,
      filename: choice.filename,
    }
    try {
      const { duration, keyFrames = [] } = this.#muxer
      const listed = await finisher.finish(file, whole ? { recover: false, duration, keyFrames } : { recover: true })
      if (listed) return
      log.info({ cid, vid }, 'a slice under 1 s was dropped')
      this.#options.leftOut('shortSlice')
    } catch (error) {
      later(file)
      log.warn({ err: error, cid, vid }, 'a slice could not be finished now')
    }
  }

  #write({ media, index }: SlicePart): void {
    if (this.#broken) return
    if (!this.#media.write(media)) return this.#fail(undefined)
    if (!index) return
    this.#records.push(index)
    this.#recordBytes += index.length
    if (this.#recordBytes >= indexBatch) this.#flushIndex()
  }

  #flushIndex(): void {
    if (this.#recordBytes === 0 || this.#broken) return
    if (!this.#index?.write(this.#records)) this.#fail(undefined)
    this.#records = []
    this.#recordBytes = 0
  }

  #fail(error: unknown): void {
    if (this.#broken) return
    this.#broken = true
    this.#options.failed(error)
  }
}
