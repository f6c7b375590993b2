import { RtmpFault, initialChunkSize, rtmpType, type RtmpMessage } from './rtmp-message.ts'

/** What a peer may make a chunk reader hold. */
export interface ChunkBounds {
  /** Longest message in bytes. */
  readonly message: number
  /** Bytes of unfinished messages over all chunk streams. */
  readonly held: number
  /** Chunk streams in use. */
  readonly streams: number
}

/** Bounds for a peer that has not shown a key: commands only. */
export const strangerBounds: ChunkBounds = { message: 64 * 1024, held: 128 * 1024, streams: 32 }
/** Bounds for an admitted publisher: a key frame of 8 MiB is two seconds of 32 Mbit/s. */
export const publisherBounds: ChunkBounds = { message: 8 * 1024 * 1024, held: 12 * 1024 * 1024, streams: 32 }

interface ChunkStream {
  timestamp: number
  /** What the last header carried: an absolute time (format 0) or a delta; format 3 repeats it as a delta (5.3.1.2.4). */
  field: number
  extended: boolean
  length: number
  type: number
  streamId: number
  /** The message under way and how much of it is here. */
  body: Buffer | undefined
  filled: number
}

const headerLengths = [11, 7, 3, 0] as const
const extendedMark = 0xffffff
/** Bytes of a slab for bodies; strangers, whose messages are shorter, have none. */
const slabSize = 256 * 1024
/** Longest header: 3 of basic, 11 of message, 4 of extended timestamp. */
const headerMax = 18

/** Puts messages together from chunks, in whatever pieces they come; copies every byte of a body once. Set Chunk Size and Abort are obeyed and not passed on. */
export class ChunkReader {
  readonly #message: (message: RtmpMessage) => void
  readonly #streams = new Map<number, ChunkStream>()
  readonly #rest = Buffer.alloc(headerMax)
  #restLength = 0
  #bounds: ChunkBounds
  #chunkSize = initialChunkSize
  #held = 0
  #slab = Buffer.alloc(0)
  #slabUsed = 0
  /** Chunks that the peer may still send. A byte can be a chunk, and a whole message: bytes alone do not bound the work that they make. */
  allowance = Infinity
  /** The chunk whose data are being read, and how much of it is to come. */
  #current: ChunkStream | undefined
  #due = 0
  #stopped = false

  /** `message` is called for every message while `push` runs. */
  constructor(message: (message: RtmpMessage) => void, bounds: ChunkBounds = strangerBounds) {
    this.#message = message
    this.#bounds = bounds
  }

  /** Changes what the peer may make this hold. */
  set bounds(bounds: ChunkBounds) {
    this.#bounds = bounds
  }
  /** Bytes held for unfinished messages. */
  get held(): number {
    return this.#held
  }

  /** For the receiver of messages: `push` ends after the one that it has now. */
  stop(): void {
    this.#stopped = true
  }

  /** Takes bytes, and gives how many: all unless it was stopped. Throws `RtmpFault` when the peer breaks the protocol or a bound. */
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
      // A header in two pieces: gathered byte for byte, at most 18 of them.
      this.#rest[this.#restLength++] = bytes[at++]!
      const used = this.#header(this.#rest, 0, this.#restLength)
      if (used > 0) {
        const left = Buffer.from(this.#rest.subarray(used, this.#restLength))
        this.#restLength = 0
        // Bytes taken for an extended timestamp that were none: they are at most four, and nobody else has them.
        if (left.length > 0) this.#push(left, true)
      } else if (this.#restLength === headerMax) throw new RtmpFault('a chunk header without an end')
    }
    return at
  }

  /** Reads one chunk header of `bytes` between `at` and `end`; its length, or 0 when it is not all there. */
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
      // Some encoders leave it out of format 3 although 5.3.1.3 wants it there: then these bytes are data and differ.
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
    const stream: ChunkStream = {
      timestamp: 0,
      field: 0,
      extended: false,
      length: 0,
      type: 0,
      streamId: 0,
      body: undefined,
      filled: 0,
    }
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
      stream.body = this.#room(stream.length, stream.type)
      stream.filled = 0
    }
    this.#current = stream
    this.#due = Math.min(this.#chunkSize, stream.length - stream.filled)
  }

  /**
   * Bodies of media that come one after the other are let go one after the other, so they share slabs: fewer and larger pieces for the collector
   * and the heap. What is not media is dropped at once or kept by itself, and has memory of its own.
   */
  #room(length: number, type: number): Buffer {
    const isMedia = type === rtmpType.audio || type === rtmpType.video
    if (!isMedia || this.#bounds.message < slabSize || length > slabSize / 4)
      return length > 2048 ? Buffer.allocUnsafeSlow(length) : Buffer.allocUnsafe(length)
    if (this.#slabUsed + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabSize)
      this.#slabUsed = 0
    }
    const room = this.#slab.subarray(this.#slabUsed, this.#slabUsed + length)
    this.#slabUsed += length
    return room
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
