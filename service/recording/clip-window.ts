import { costPerPiece } from '../hub/held-memory.ts'
import { packedMedia, type SegmentFiles, type WaitingPacket } from '../delay/segment-file.ts'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'
import { configured, isFrame, type SliceTracks } from '../timeline/tracks.ts'

/** What a window keeps. */
export const windowBounds = {
  /** Media, in ms: the longest clip. */
  media: 600_000,
  /** Bytes on the disk; the oldest go. */
  bytes: 1024 ** 3,
  /** A file begins with the first key frame after so much; ms and bytes, the latter without a key frame too. */
  part: 1000,
  partBytes: 4 * 1024 * 1024,
  /** Bytes that wait for the disk; beyond, it is too slow, and the window begins again. */
  waitingBytes: 32 * 1024 * 1024,
} as const

interface Part {
  readonly name: string
  /** Begins with a key frame. */
  readonly isBegin: boolean
  readonly start: number
  readonly arrived: number
  readonly bytes: number
  /** Until they are in the file. */
  packets: readonly WaitingPacket[] | undefined
  isGone: boolean
  pins: number
}

/** Media of a window from a key frame on; `release` when it was read. */
export interface WindowMedia {
  readonly tracks: SliceTracks
  /** Timestamp of the first packet, and when that arrived in ms. */
  readonly start: number
  readonly begin: number
  /** When the newest packet arrived, in ms. */
  readonly newest: number
  /** Names of files with packets in order, which may begin earlier than `start`, and packets after them. */
  readonly files: readonly string[]
  readonly rest: Buffer
  release(): void
}

/**
 * The last minutes of a push, on the disk, for clips: the recorder is not asked, and what is not recorded can be
 * clipped too. A file per second or so; the newest media is in memory. A change of the configuration begins it again.
 */
export class ClipWindow implements StreamReader {
  readonly #name: string
  readonly #files: SegmentFiles
  readonly #over: () => void
  readonly #failed: (error: unknown) => void
  #tracks: SliceTracks = {}
  #parts: Part[] = []
  #tail: WaitingPacket[] = []
  #tailBytes = 0
  #isBegin = false
  #bytes = 0
  #waiting = 0
  #made = 0
  #writing: Promise<void> = Promise.resolve()

  /** `failed` when the disk does not take media: the window begins again. */
  constructor(options: {
    readonly name: string
    readonly files: SegmentFiles
    readonly over: () => void
    readonly failed: (error: unknown) => void
  }) {
    this.#name = options.name
    this.#files = options.files
    this.#over = options.over
    this.#failed = options.failed
  }

  packet(packet: MediaPacket): void {
    if (packet.kind === 'data') return
    if (packet.configuration) {
      const tracks = configured(this.#tracks, packet)
      if (tracks === this.#tracks) return
      this.#clear()
      this.#tracks = tracks
      return
    }
    if (!isFrame(this.#tracks, packet)) return
    const begins = this.#tracks.video ? packet.kind === 'video' && packet.keyFrame : true
    const [first] = this.#tail
    if (!first) {
      if (!begins && this.#parts.length === 0) return
    } else if (
      (begins && packet.timestamp - first.packet.timestamp >= windowBounds.part) ||
      this.#tailBytes >= windowBounds.partBytes
    )
      this.#close()
    if (this.#tail.length === 0) this.#isBegin = begins
    this.#tail.push({ packet, number: 0, at: 0 })
    this.#tailBytes += packet.body.length + costPerPiece
  }

  ended(): void {
    this.#clear()
    this.#over()
  }

  /** Resolves when no file is left. */
  async close(): Promise<void> {
    this.#clear()
    await this.#writing
  }

  /** The last `ms` from the key frame before; less where there is less. Undefined without a key frame. */
  async take(ms: number): Promise<WindowMedia | undefined> {
    const newest = this.#tail.at(-1)?.packet
    if (!newest) return undefined
    const from = newest.timestamp - ms
    const [first] = this.#tail
    const places = [
      ...this.#parts,
      { isBegin: this.#isBegin, start: first!.packet.timestamp, arrived: first!.packet.arrived },
    ]
    const found = places.findLastIndex(({ isBegin, start }) => isBegin && start <= from)
    const at = found < 0 ? places.findIndex(({ isBegin }) => isBegin) : found
    const place = places[at]
    if (!place) return undefined
    // Sound of the same time may be in the part before.
    const parts = this.#parts.slice(Math.max(0, at - 1))
    const rest = packedMedia(this.#tail)
    const tracks = this.#tracks
    for (const part of parts) part.pins++
    const release = (): void => {
      for (const part of parts) {
        part.pins--
        this.#dispose(part)
      }
    }
    await this.#writing
    if (parts.some(({ packets }) => packets)) {
      release()
      return undefined
    }
    const files = parts.map(({ name }) => name)
    return { tracks, start: place.start, begin: place.arrived, newest: newest.arrived, files, rest, release }
  }

  #close(): void {
    const packets = this.#tail
    const [first] = packets
    const part: Part = {
      name: `${this.#name}-${this.#made++}`,
      isBegin: this.#isBegin,
      start: first!.packet.timestamp,
      arrived: first!.packet.arrived,
      bytes: this.#tailBytes,
      packets,
      isGone: false,
      pins: 0,
    }
    this.#tail = []
    this.#tailBytes = 0
    if (this.#waiting + part.bytes > windowBounds.waitingBytes)
      return this.#fail(new Error('the disk is too slow for clips'))
    this.#parts.push(part)
    this.#bytes += part.bytes
    this.#waiting += part.bytes
    this.#write(part, packets)
    const newest = packets.at(-1)!.packet.timestamp
    while (
      this.#parts.length > 2 &&
      (newest - this.#parts[1]!.start > windowBounds.media || this.#bytes > windowBounds.bytes)
    )
      this.#drop(this.#parts.shift()!)
  }

  #write(part: Part, packets: readonly WaitingPacket[]): void {
    this.#writing = this.#writing.then(async () => {
      try {
        if (!part.isGone) await this.#files.write(part.name, packedMedia(packets))
        part.packets = undefined
        this.#waiting -= part.bytes
        this.#dispose(part)
      } catch (error) {
        this.#waiting -= part.bytes
        if (!part.isGone) this.#fail(error)
        await this.#files.remove(part.name).catch(() => undefined)
      }
    })
  }

  #fail(error: unknown): void {
    this.#clear()
    this.#failed(error)
  }

  #clear(): void {
    const parts = this.#parts
    this.#parts = []
    this.#tail = []
    this.#tailBytes = 0
    for (const part of parts) this.#drop(part)
  }

  #drop(part: Part): void {
    this.#bytes -= part.bytes
    part.isGone = true
    this.#dispose(part)
  }

  /** Removes the file of a part that is gone and not being read. */
  #dispose(part: Part): void {
    if (!part.isGone || part.pins > 0 || part.packets) return
    this.#writing = this.#writing.then(() => this.#files.remove(part.name)).catch(() => undefined)
  }
}
