import { costPerPiece } from '../hub/held-memory.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { packedMedia, unpackedMedia, type SegmentFiles, type WaitingPacket } from './segment-file.ts'

/** Media kept in memory by a queue that may use the disk: before it is read and before it is written. */
export const queueMemory = {
  /** A part is written as one file; ms and bytes. Whoever keeps a packet that was read keeps its whole part. */
  part: 1500,
  partBytes: 0.75 * 1024 * 1024,
  /** A part is read when less than this waits before it; ms and bytes. */
  ahead: 1500,
  aheadBytes: 1.5 * 1024 * 1024,
  /** Parts in memory beyond this go to the disk; ms and bytes. */
  kept: 2000,
  keptBytes: 3 * 1024 * 1024,
  /** Bytes in memory beyond which the disk is used for a short delay too. */
  mostBytes: 48 * 1024 * 1024,
  /** Bytes in memory beyond which the disk is too slow. */
  slowBytes: 128 * 1024 * 1024,
} as const

/** Key frames are noted at most this often, in ms. */
const keysApart = 500
/** Configurations remembered for a jump. */
const maxConfigurations = 64

/** Consecutive packets: in memory, or in a file. */
interface Part {
  readonly name: string
  readonly first: number
  readonly last: number
  readonly length: number
  readonly bytes: number
  packets: readonly WaitingPacket[] | undefined
  /** A file was begun. */
  filed: boolean
  /** It was sent or discarded: the file goes. */
  gone: boolean
}

const lengthOf = (packets: readonly WaitingPacket[], from: number): number =>
  from < packets.length ? packets.at(-1)!.at - packets[from]!.at : 0
const sizeOf = ({ packet }: WaitingPacket): number => packet.body.length + costPerPiece
const sizeOfAll = (packets: readonly WaitingPacket[]): number => packets.reduce((sum, one) => sum + sizeOf(one), 0)

/** Media that waits, in order: the next and the newest in memory, what is between them on disk. */
export class MediaQueue {
  readonly #name: string
  readonly #files: SegmentFiles
  readonly #failed: (error: unknown) => void
  #head: readonly WaitingPacket[] = []
  #headAt = 0
  #headBytes = 0
  #parts: Part[] = []
  #tail: WaitingPacket[] = []
  #tailBytes = 0
  #next = 0
  #keys: { readonly at: number; readonly number: number }[] = []
  #configurations: WaitingPacket[] = []
  #loading: Part | undefined
  #space: Buffer | undefined
  #writing: Promise<unknown> = Promise.resolve()
  #faulty = false
  /** Whether more than a short delay is asked for. */
  usesDisk = false

  /** `failed` is called once, when the disk does not take media; from then on it is not used. */
  constructor(name: string, files: SegmentFiles, failed: (error: unknown) => void) {
    this.#name = name
    this.#files = files
    this.#failed = failed
  }

  /** Number of the next packet. */
  get next(): number {
    return this.#next
  }

  get isEmpty(): boolean {
    return this.#headAt >= this.#head.length && this.#parts.length === 0 && this.#tail.length === 0
  }

  get isFaulty(): boolean {
    return this.#faulty
  }

  /** Bytes in memory, about. */
  get memory(): number {
    let sum = this.#tailBytes + this.#headBytes
    for (const part of this.#parts) if (part.packets) sum += part.bytes
    return sum
  }

  push(packet: MediaPacket, at: number): void {
    const waiting = { packet, number: this.#next++, at }
    this.#tail.push(waiting)
    this.#tailBytes += sizeOf(waiting)
    if (packet.keyFrame && at - (this.#keys.at(-1)?.at ?? -Infinity) >= keysApart)
      this.#keys.push({ at, number: waiting.number })
    if (packet.configuration) {
      this.#configurations.push(waiting)
      if (this.#configurations.length > maxConfigurations) this.#configurations.shift()
    }
    if (lengthOf(this.#tail, 0) >= queueMemory.part || this.#tailBytes >= queueMemory.partBytes) this.#close()
  }

  /** The next packet; undefined when there is none, or it is being read. */
  peek(): WaitingPacket | undefined {
    if (this.#headAt >= this.#head.length) this.#refill()
    return this.#head[this.#headAt]
  }

  /** Removes the next packet. */
  take(): void {
    const taken = this.#head[this.#headAt]
    if (!taken) return
    this.#headAt += 1
    this.#headBytes -= sizeOf(taken)
    while (this.#keys[0] && this.#keys[0].number <= taken.number) this.#keys.shift()
    while (this.#configurations[0] && this.#configurations[0].number <= taken.number) this.#configurations.shift()
    const [part] = this.#parts
    if (part && !part.packets && this.#isLow) this.#load(part)
  }

  /** The next packets are so few that a part is read. */
  get #isLow(): boolean {
    const { ahead, aheadBytes } = queueMemory
    return this.#headBytes < aheadBytes && lengthOf(this.#head, this.#headAt) < ahead
  }

  #setHead(packets: readonly WaitingPacket[]): void {
    this.#head = packets
    this.#headAt = 0
    this.#headBytes = sizeOfAll(packets)
  }

  /** When the first was taken with which a picture can begin: the next packet, or a key frame. */
  firstAt(begins: (packet: MediaPacket) => boolean): number | undefined {
    const next = this.peek()
    return next && begins(next.packet) ? next.at : this.#keys[0]?.at
  }

  /** Number of the first key frame taken at this time or later. */
  keyFrom(at: number): number | undefined {
    return this.#keys.find((key) => key.at >= at)?.number
  }

  /** Discards packets before this number; returns configurations among them, the last of each kind. */
  discard(number: number): MediaPacket[] {
    const skipped = new Map<string, MediaPacket>()
    for (const one of this.#configurations) if (one.number < number) skipped.set(one.packet.kind, one.packet)
    this.#configurations = this.#configurations.filter((one) => one.number >= number)
    this.#keys = this.#keys.filter((key) => key.number >= number)
    this.#setHead(this.#head.slice(this.#headAt).filter((one) => one.number >= number))
    const gone = this.#parts.filter((part) => part.last < number)
    this.#parts = this.#parts.filter((part) => part.last >= number)
    for (const part of gone) this.#dispose(part)
    for (const part of this.#parts) part.packets &&= part.packets.filter((one) => one.number >= number)
    this.#tail = this.#tail.filter((one) => one.number >= number)
    this.#tailBytes = sizeOfAll(this.#tail)
    this.#from = number
    return [...skipped.values()]
  }

  /** Discards everything; resolves when no file is left. */
  async close(): Promise<void> {
    this.discard(Infinity)
    await this.#writing
  }

  /** Packets of a file that are older are not wanted any more. */
  #from = 0

  #close(): void {
    const packets = this.#tail
    const part: Part = {
      name: `${this.#name}-${packets[0]!.number}`,
      first: packets[0]!.number,
      last: packets.at(-1)!.number,
      length: lengthOf(packets, 0),
      bytes: this.#tailBytes,
      packets,
      filed: false,
      gone: false,
    }
    const { kept, keptBytes, mostBytes, slowBytes } = queueMemory
    let length = lengthOf(this.#head, this.#headAt)
    for (const each of this.#parts) if (each.packets && !each.filed) length += each.length
    const { memory } = this
    this.#tail = []
    this.#tailBytes = 0
    this.#parts.push(part)
    if (memory > slowBytes) this.#fail(new Error('the disk is too slow'))
    if (this.#faulty || !(this.usesDisk || memory > mostBytes)) return
    if (length + part.length > kept || memory > keptBytes) this.#write(part, packets)
  }

  #write(part: Part, packets: readonly WaitingPacket[]): void {
    part.filed = true
    this.#writing = this.#writing
      .then(async () => {
        if (part.gone || this.#faulty) return
        // Files are written one after the other, so one space is enough, and there is little to collect.
        this.#space ??= Buffer.allocUnsafeSlow(queueMemory.partBytes + queueMemory.partBytes / 4)
        await this.#files.write(part.name, packedMedia(packets, this.#space))
        part.packets = undefined
        if (part.gone) await this.#files.remove(part.name)
      })
      .catch((error: unknown) => {
        this.#fail(error)
        // What was written of it.
        return this.#files.remove(part.name).catch(() => undefined)
      })
  }

  #fail(error: unknown): void {
    const isFirst = !this.#faulty
    this.#faulty = true
    if (isFirst) this.#failed(error)
  }

  #refill(): void {
    const [part] = this.#parts
    if (part?.packets) {
      this.#setHead(part.packets)
      this.#parts.shift()
      this.#dispose(part)
    } else if (part) this.#load(part)
    else if (this.#tail.length > 0) {
      this.#setHead(this.#tail)
      this.#tail = []
      this.#tailBytes = 0
    }
  }

  #load(part: Part): void {
    if (this.#loading) return
    this.#loading = part
    const loaded = async (): Promise<void> => {
      let packets: WaitingPacket[] = []
      try {
        packets = unpackedMedia(await this.#files.read(part.name), part.first)
      } catch (error) {
        this.#fail(error)
      }
      this.#loading = undefined
      if (part.gone || this.#parts[0] !== part) return
      this.#parts.shift()
      this.#setHead([...this.#head.slice(this.#headAt), ...packets.filter(({ number }) => number >= this.#from)])
      this.#dispose(part)
    }
    this.#writing = Promise.all([this.#writing, loaded()])
  }

  #dispose(part: Part): void {
    part.gone = true
    part.packets = undefined
    if (!part.filed) return
    this.#writing = this.#writing.then(() => this.#files.remove(part.name)).catch(() => undefined)
  }
}
