import { Amf0Fault, amf0Bounds, amf0Marker as marker, type Amf0Object, type Amf0Value } from './amf0.ts'

const fault = (why: string): never => {
  throw new Amf0Fault(why)
}

/** Reads AMF0 values in sequence, within `amf0Bounds`. */
export class Amf0Reader {
  readonly #bytes: Buffer
  #at = 0
  #values = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get offset(): number {
    return this.#at
  }
  get ended(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The next value; throws `Amf0Fault` when it is truncated, unknown, a reference or AMF3. */
  value(depth = 0): Amf0Value {
    if (depth > amf0Bounds.depth) fault('nested too deeply')
    if (++this.#values > amf0Bounds.values) fault('too many values')
    const kind = this.#take(1)
    switch (this.#bytes[kind]) {
      case marker.number:
        return this.#bytes.readDoubleBE(this.#take(8))
      case marker.boolean:
        return this.#bytes[this.#take(1)] !== 0
      case marker.string:
        return this.#text(this.#bytes.readUInt16BE(this.#take(2)))
      case marker.longString:
      case marker.xmlDocument:
        return this.#text(this.#bytes.readUInt32BE(this.#take(4)))
      case marker.object:
        return this.#members(depth)
      case marker.typedObject:
        this.#text(this.#bytes.readUInt16BE(this.#take(2)))
        return this.#members(depth)
      case marker.ecmaArray:
        return this.#members(depth, this.#bytes.readUInt32BE(this.#take(4)))
      case marker.strictArray: {
        const count = this.#bytes.readUInt32BE(this.#take(4))
        if (count > this.#bytes.length - this.#at) fault('an array is longer than its message')
        const values: Amf0Value[] = []
        for (let index = 0; index < count; index++) values.push(this.value(depth + 1))
        return values
      }
      case marker.date: {
        const at = this.#take(10)
        return new Date(this.#bytes.readDoubleBE(at))
      }
      case marker.null:
        return null
      case marker.undefined:
      case marker.unsupported:
        return undefined
      default:
        return fault(`marker ${this.#bytes[kind]} is not accepted`)
    }
  }

  #take(count: number): number {
    const at = this.#at
    if (at + count > this.#bytes.length) fault('cut short')
    this.#at = at + count
    return at
  }

  #text(length: number): string {
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  /** Members up to the object end marker, which some encoders omit after the `count` members of an array. */
  #members(depth: number, count = Infinity): Amf0Object {
    const members = Object.create(null) as Record<string, Amf0Value>
    for (let read = 0; ; read++) {
      if (read >= count && this.ended) return members
      const name = this.#text(this.#bytes.readUInt16BE(this.#take(2)))
      if (name === '' && this.#bytes[this.#at] === marker.objectEnd) {
        this.#at += 1
        return members
      }
      members[name] = this.value(depth + 1)
    }
  }
}

/** Reads all values of a message; throws `Amf0Fault`. */
export function readAmf0(bytes: Buffer): Amf0Value[] {
  const reader = new Amf0Reader(bytes)
  const values: Amf0Value[] = []
  while (!reader.ended) values.push(reader.value())
  return values
}
