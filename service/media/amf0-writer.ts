import { Amf0Fault, EcmaArray, amf0Bounds, amf0Marker as marker, type Amf0Object, type Amf0Value } from './amf0.ts'

const name = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  if (bytes.length > 0xffff) throw new Amf0Fault('a name is longer than 65,535 bytes')
  const length = Buffer.allocUnsafe(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const counted = (kind: number, count: number): Buffer => {
  const head = Buffer.allocUnsafe(5)
  head[0] = kind
  head.writeUInt32BE(count, 1)
  return head
}

function put(value: Amf0Value, parts: Buffer[], depth: number): void {
  if (depth > amf0Bounds.depth) throw new Amf0Fault('nested too deeply')
  const members = (of: Amf0Object): void => {
    for (const [key, member] of Object.entries(of)) {
      parts.push(name(key))
      put(member, parts, depth + 1)
    }
    parts.push(Buffer.from([0, 0, marker.objectEnd]))
  }
  if (typeof value === 'number' || value instanceof Date) {
    const bytes = Buffer.alloc(value instanceof Date ? 11 : 9)
    bytes[0] = value instanceof Date ? marker.date : marker.number
    bytes.writeDoubleBE(Number(value), 1)
    parts.push(bytes)
  } else if (typeof value === 'boolean') parts.push(Buffer.from([marker.boolean, value ? 1 : 0]))
  else if (typeof value === 'string') {
    const length = Buffer.byteLength(value)
    if (length <= 0xffff) parts.push(Buffer.from([marker.string]), name(value))
    else parts.push(counted(marker.longString, length), Buffer.from(value))
  } else if (value === null) parts.push(Buffer.from([marker.null]))
  else if (value === undefined) parts.push(Buffer.from([marker.undefined]))
  else if (Array.isArray(value)) {
    parts.push(counted(marker.strictArray, value.length))
    for (const element of value as readonly Amf0Value[]) put(element, parts, depth + 1)
  } else if (value instanceof EcmaArray) {
    parts.push(counted(marker.ecmaArray, Object.keys(value.members).length))
    members(value.members)
  } else {
    parts.push(Buffer.from([marker.object]))
    members(value as Amf0Object)
  }
}

/** Writes values in sequence; throws `Amf0Fault` on a name over 65,535 bytes or too deep nesting. */
export function writeAmf0(...values: readonly Amf0Value[]): Buffer {
  const parts: Buffer[] = []
  for (const value of values) put(value, parts, 0)
  return Buffer.concat(parts)
}
