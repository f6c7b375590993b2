/** Tag types of FLV (FLV specification 10.1, E.4.1). */
export const flvTagType = { audio: 8, video: 9, data: 18 } as const

/** Bytes around a tag's body: header before, size after. */
export const flvTagOverhead = { header: 11, trailer: 4 } as const

/** The file header and the first previous-tag size (FLV specification E.2). */
export const flvHeader = (tracks: { readonly video: boolean; readonly audio: boolean }): Buffer =>
  Buffer.from([0x46, 0x4c, 0x56, 1, (tracks.audio ? 4 : 0) | (tracks.video ? 1 : 0), 0, 0, 0, 9, 0, 0, 0, 0])

/** Writes a tag and its size; `timestamp` in ms, 32 bits. */
export function writeFlvTag(kind: keyof typeof flvTagType, timestamp: number, body: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(flvTagOverhead.header + body.length + flvTagOverhead.trailer)
  bytes[0] = flvTagType[kind]
  bytes.writeUIntBE(body.length, 1, 3)
  bytes.writeUIntBE(timestamp & 0xffffff, 4, 3)
  bytes[7] = (timestamp >>> 24) & 0xff
  bytes.writeUIntBE(0, 8, 3)
  body.copy(bytes, flvTagOverhead.header)
  bytes.writeUInt32BE(flvTagOverhead.header + body.length, flvTagOverhead.header + body.length)
  return bytes
}
