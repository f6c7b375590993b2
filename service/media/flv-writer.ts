/** Tag types of FLV (FLV specification 10.1, E.4.1). */
export const flvTagType = { audio: 8, video: 9, data: 18 } as const

/** Bytes around a tag's body: header before, size after. */
export const flvTagOverhead = { header: 11, trailer: 4 } as const

/** The file header and the first previous-tag size (FLV specification E.2). */
export const flvHeader = (tracks: { readonly video: boolean; readonly audio: boolean }): Buffer =>
  Buffer.from([0x46, 0x4c, 0x56, 1, (tracks.audio ? 4 : 0) | (tracks.video ? 1 : 0), 0, 0, 0, 9, 0, 0, 0, 0])

/** What a tag is made of; `timestamp` in ms, 32 bits. */
export interface FlvTagParts {
  readonly kind: keyof typeof flvTagType
  readonly timestamp: number
  readonly body: Buffer
}

const tagLength = ({ body }: FlvTagParts): number => flvTagOverhead.header + body.length + flvTagOverhead.trailer

/** Writes at an offset; returns the offset behind. */
function writeTagAt(bytes: Buffer, at: number, { kind, timestamp, body }: FlvTagParts): number {
  bytes[at] = flvTagType[kind]
  bytes.writeUIntBE(body.length, at + 1, 3)
  bytes.writeUIntBE(timestamp & 0xffffff, at + 4, 3)
  bytes[at + 7] = (timestamp >>> 24) & 0xff
  bytes.writeUIntBE(0, at + 8, 3)
  const end = at + flvTagOverhead.header + body.copy(bytes, at + flvTagOverhead.header)
  return bytes.writeUInt32BE(flvTagOverhead.header + body.length, end)
}

/** Writes tags, each with its size, to one Buffer. */
export function writeFlvTags(tags: readonly FlvTagParts[]): Buffer {
  const bytes = Buffer.allocUnsafe(tags.reduce((sum, tag) => sum + tagLength(tag), 0))
  let at = 0
  for (const tag of tags) at = writeTagAt(bytes, at, tag)
  return bytes
}

/** Writes a tag and its size; `timestamp` in ms, 32 bits. */
export function writeFlvTag(kind: keyof typeof flvTagType, timestamp: number, body: Buffer): Buffer {
  return writeFlvTags([{ kind, timestamp, body }])
}
