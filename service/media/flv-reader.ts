import { flvTagOverhead, flvTagType } from './flv-writer.ts'

/** A tag of an FLV stream. */
export interface FlvTag {
  readonly kind: 'audio' | 'video' | 'data'
  /** In ms, 32 bits. */
  readonly timestamp: number
  readonly body: Buffer
}

/** Invalid FLV, or a tag over the limit. */
export class FlvFault extends Error {}

/** Default limit of a body, in bytes. */
const maxTag = 8 * 1024 * 1024
const fileHeaderLength = 9
/** Smaller pieces are joined; bytes. */
const maxPiece = 64 * 1024
const kinds: Readonly<Record<number, FlvTag['kind']>> = {
  [flvTagType.audio]: 'audio',
  [flvTagType.video]: 'video',
  [flvTagType.data]: 'data',
}

/** Reads an FLV stream in pieces of any size; each body is a copy. */
export class FlvReader {
  readonly #tag: (tag: FlvTag) => void
  readonly #max: number
  #parts: Buffer[] = []
  #length = 0
  #skip = 0
  #started = false
  /** Bytes needed before parsing can continue. */
  #need = fileHeaderLength

  /** `tag` is called synchronously for every complete tag; `max` limits a body. */
  constructor(tag: (tag: FlvTag) => void, max = maxTag) {
    this.#tag = tag
    this.#max = max
  }

  get held(): number {
    return this.#length
  }

  /** Takes bytes; throws `FlvFault` on a wrong signature, an unknown tag type or a body over the limit. */
  push(bytes: Buffer): void {
    this.#keep(bytes)
    this.#length += bytes.length
    if (this.#length < this.#need) return
    const all = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts, this.#length)
    let at = 0
    for (;;) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, all.length - at)
        this.#skip -= skipped
        at += skipped
        if (this.#skip > 0) break
      }
      const used = this.#started ? this.#read(all, at) : this.#open(all, at)
      if (used === 0) break
      at += used
    }
    this.#length = all.length - at
    // A copy, so that a few bytes do not retain a large buffer.
    this.#parts = this.#length > 0 ? [Buffer.from(all.subarray(at))] : []
    if (this.#skip > 0) this.#need = 1
  }

  /** Joins small pieces at once, so that neither their number nor the copying grows quadratically. */
  #keep(bytes: Buffer): void {
    this.#parts.push(bytes)
    for (let last = this.#parts.length - 1; last > 0; last--) {
      const [before, after] = [this.#parts[last - 1]!, this.#parts[last]!]
      if (before.length > after.length || before.length > maxPiece) return
      this.#parts.splice(last - 1, 2, Buffer.concat([before, after]))
    }
  }

  #open(all: Buffer, at: number): number {
    if (all.length - at < fileHeaderLength) {
      this.#need = fileHeaderLength
      return 0
    }
    if (all[at] !== 0x46 || all[at + 1] !== 0x4c || all[at + 2] !== 0x56) throw new FlvFault('not an FLV stream')
    const offset = all.readUInt32BE(at + 5)
    if (offset < fileHeaderLength || offset > 1024) throw new FlvFault('an FLV header of a strange length')
    this.#started = true
    this.#skip = offset - fileHeaderLength + flvTagOverhead.trailer
    this.#need = flvTagOverhead.header
    return fileHeaderLength
  }

  #read(all: Buffer, at: number): number {
    const left = all.length - at
    this.#need = flvTagOverhead.header
    if (left < flvTagOverhead.header) return 0
    const type = all[at]!
    const kind = kinds[type & 0x1f]
    const length = all.readUIntBE(at + 1, 3)
    if (!kind || (type & 0xe0) !== 0) throw new FlvFault('a tag of an unknown or encrypted kind')
    if (length > this.#max) throw new FlvFault('a tag over the limit')
    const whole = flvTagOverhead.header + length + flvTagOverhead.trailer
    this.#need = whole
    if (left < whole) return 0
    this.#need = flvTagOverhead.header
    const timestamp = all.readUIntBE(at + 4, 3) + all[at + 7]! * 0x1000000
    this.#tag({
      kind,
      timestamp,
      body: Buffer.from(all.subarray(at + flvTagOverhead.header, at + flvTagOverhead.header + length)),
    })
    return whole
  }
}
