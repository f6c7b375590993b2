/** An AMF0 value; ECMA arrays and typed objects are read as objects without prototype. */
export type Amf0Value =
  | number
  | boolean
  | string
  | null
  | undefined
  | Date
  | Amf0Object
  | readonly Amf0Value[]
  | EcmaArray
/** Named AMF0 values. */
export interface Amf0Object {
  readonly [name: string]: Amf0Value
}

/** Members written as an ECMA array, as `onMetaData` requires (AMF0 2.10). */
export class EcmaArray {
  readonly members: Amf0Object
  constructor(members: Amf0Object) {
    this.members = members
  }
}

/** Invalid AMF0, or beyond the bounds. */
export class Amf0Fault extends Error {}

/** Markers (AMF0 2.1). */
export const amf0Marker = {
  number: 0x00,
  boolean: 0x01,
  string: 0x02,
  object: 0x03,
  null: 0x05,
  undefined: 0x06,
  ecmaArray: 0x08,
  objectEnd: 0x09,
  strictArray: 0x0a,
  date: 0x0b,
  longString: 0x0c,
  unsupported: 0x0d,
  xmlDocument: 0x0f,
  typedObject: 0x10,
} as const

/** Bounds of a message: nesting depth and number of values. Its length bounds the rest. */
export const amf0Bounds = { depth: 16, values: 4096 } as const
