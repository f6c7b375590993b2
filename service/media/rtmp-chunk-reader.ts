import { RtmpFault, initialChunkSize, rtmpType, type RtmpMessage } from './rtmp-message.ts'

/** Memory limits of a chunk reader. */
export interface ChunkBounds {
  /** Longest message in bytes. */
  readonly message: number
  /** Bytes of unfinished messages over all chunk streams. */
  readonly held: number
  readonly streams: number
}

/** Bounds before a key was verified: commands only. */
export const strangerBounds: ChunkBounds = { message: 64 * 1024, held: 128 * 1024, streams: 32 }
/** Bounds of an admitted publisher: a key frame of 8 MiB is two seconds of 32 Mbit/s. */
export const publisherBounds: ChunkBounds = { message: 8 * 1024 * 1024, held: 12 * 1024 * 1024, streams: 32 }

const chunkStream = () => ({
  timestamp: 0,
  /** Time of the last header: absolute (format 0) or a delta; format 3 repeats it as a delta (5.3.1.2.4). */
  field: 0,
  extended: false,
  length: 0,
  type: 0,
  streamId: 0,
  /** The message in progress and its length so far. */
  body: undefined as Buffer | undefined,
  filled: 0,
})
type ChunkStream = ReturnType<typeof chunkStream>

const headerLengths = [11, 7, 3, 0] as const
const extendedMark = 0xffffff
/** Size of a slab for bodies; the shorter messages of strangers use none. */
const slabSize = 256 * 1024
/** Longest header: 3 basic, 11 message, 4 extended timestamp. */
const maxHeader = 18

/** Assembles messages from chunks; copies each body byte once. Handles Set Chunk Size and Abort itself. */
export class ChunkReader {
  readonly #message: (message: RtmpMessage) => void
  readonly #streams = new Map<number, ChunkStream>()
  readonly #rest = Buffer.alloc(maxHeader)
  #restLength = 0
  #bounds: ChunkBounds
  #chunkSize = initialChunkSize
  #held = 0
  #slab = Buffer.alloc(0)
  #slabUsed = 0
  /** Chunks that the peer may still send: one can be a byte, so a byte limit does not bound the work. */
  allowance = Infinity
  /** The current chunk and its remaining length. */
  #current: ChunkStream | undefined
  #due = 0
  #stopped = false

  /** `message` is called synchronously for every message. */
  constructor(message: (message: RtmpMessage) => void, bounds: ChunkBounds = strangerBounds) {
    this.#message = message
    this.#bounds = bounds
  }

  set bounds(bounds: ChunkBounds) {
    this.#bounds = bounds
  }
  get held(): number {
    return this.#held
  }

  /** Called by the receiver of messages: `push` returns after the current one. */
  stop(): void {
    this.#stopped = true
  }

  /** Returns the bytes consumed: all unless stopped. Throws `RtmpFault` on a protocol error or beyond the bounds. */
  push(bytes: Buffer): number {
    this.#stopped = false
    return this.#push(bytes)
  }

  #push(bytes: Buffer, isWhole = false): number {
    let at = 0
    while (at < bytes.length || (this.#current && this.#due === 0)) {
      if (this.#stopped && !isWhole) return at
      if (this.#current) {
        at += this.#fill(this.#current, bytes, at)
        continue
      }
      if (this.#restLength === 0) {
        const used = this.#header(bytes, at, bytes.length)
        if (used > 0) {
          at += used
          continue
        }
      }
      // A header in two pieces: gathered bytewise, at most 18 bytes.
      this.#rest[this.#restLength++] = bytes[at++]!
      const used = this.#header(this.#rest, 0, this.#restLength)
      if (used > 0) {
        const left = Buffer.from(this.#rest.subarray(used, this.#restLength))
        this.#restLength = 0
        // At most four bytes that were taken for an extended timestamp but are data.
        if (left.length > 0) this.#push(left, true)
      } else if (this.#restLength === maxHeader) throw new RtmpFault('a chunk header without an end')
    }
    return at
  }

  /** Reads a chunk header between `at` and `end`; returns its length, or 0 when incomplete. */
  #header(bytes: Buffer, at: number, end: number): number {
    const first = bytes[at]!
    const format = first >> 6
    let id = first & 0x3f
    let next = at + 1
    if (id < 2) {
      const more = id + 1
      if (next + more > end) return 0
      id = 64 + bytes[next]! + (more === 2 ? bytes[next + 1]! * 256 : 0)
      next += more
    }
    const fields = next
    next += headerLengths[format as 0 | 1 | 2 | 3]
    if (next > end) return 0
    const stream = this.#streams.get(id)
    if (!stream && format !== 0) throw new RtmpFault('a chunk without a predecessor')
    if (stream?.body && format !== 3)
      throw new RtmpFault('a message began before the last one of its chunk stream ended')
    let field = format < 3 ? bytes.readUIntBE(fields, 3) : stream!.field
    const extended = format < 3 ? field === extendedMark : stream!.extended
    if (extended) {
      if (next + 4 > end) return 0
      const value = bytes.readUInt32BE(next)
      // Some encoders omit it in format 3, against 5.3.1.3: the bytes then differ and are data.
      if (format < 3 || value === field) {
        field = value
        next += 4
      }
    }
    this.#begin(stream ?? this.#open(id), format, field, extended, bytes, fields)
    return next - at
  }

  #open(id: number): ChunkStream {
    if (this.#streams.size >= this.#bounds.streams) throw new RtmpFault('too many chunk streams')
    const stream = chunkStream()
    this.#streams.set(id, stream)
    return stream
  }

  #begin(stream: ChunkStream, format: number, field: number, extended: boolean, bytes: Buffer, fields: number): void {
    if (--this.allowance < 0) throw new RtmpFault('too many chunks')
    if (!stream.body) {
      if (format < 2) {
        stream.length = bytes.readUIntBE(fields + 3, 3)
        stream.type = bytes[fields + 6]!
      }
      if (format === 0) stream.streamId = bytes.readUInt32LE(fields + 7)
      stream.field = field
      stream.extended = extended
      stream.timestamp = format === 0 ? field : (stream.timestamp + field) >>> 0
      if (stream.length > this.#bounds.message) throw new RtmpFault('a message over the limit')
      this.#held += stream.length
      if (this.#held > this.#bounds.held) throw new RtmpFault('too much of unfinished messages')
      stream.body = this.#allocate(stream.length, stream.type)
      stream.filled = 0
    }
    this.#current = stream
    this.#due = Math.min(this.#chunkSize, stream.length - stream.filled)
  }

  /** Media bodies share slabs, as they are released in sequence: less work for the garbage collector. */
  #allocate(length: number, type: number): Buffer {
    const isMedia = type === rtmpType.audio || type === rtmpType.video
    if (!isMedia || this.#bounds.message < slabSize || length > slabSize / 4)
      return length > 2048 ? Buffer.allocUnsafeSlow(length) : Buffer.allocUnsafe(length)
    if (this.#slabUsed + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabSize)
      this.#slabUsed = 0
    }
    const part = this.#slab.subarray(this.#slabUsed, this.#slabUsed + length)
    this.#slabUsed += length
    return part
  }

  #fill(stream: ChunkStream, bytes: Buffer, at: number): number {
    const body = stream.body!
    const count = Math.min(this.#due, bytes.length - at)
    bytes.copy(body, stream.filled, at, at + count)
    stream.filled += count
    this.#due -= count
    if (this.#due > 0) return count
    this.#current = undefined
    if (stream.filled < stream.length) return count
    stream.body = undefined
    this.#held -= stream.length
    this.#finish({ type: stream.type, streamId: stream.streamId, timestamp: stream.timestamp, body })
    return count
  }

  #finish(message: RtmpMessage): void {
    if (message.type !== rtmpType.setChunkSize && message.type !== rtmpType.abort) return this.#message(message)
    if (message.body.length < 4) throw new RtmpFault('a control message that is cut short')
    const value = message.body.readUInt32BE(0)
    if (message.type === rtmpType.abort) {
      const stream = this.#streams.get(value)
      if (stream?.body) {
        this.#held -= stream.length
        stream.body = undefined
      }
    } else {
      if (value < 1 || value > 0x7fffffff) throw new RtmpFault('a chunk size out of range')
      this.#chunkSize = value
    }
  }
}
