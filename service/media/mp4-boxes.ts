/** A box (ISO/IEC 14496-12 4.2): 32-bit size, four-character type, contents. */
export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  let size = 8
  for (const part of parts) size += part.length
  const head = Buffer.allocUnsafe(8)
  head.writeUInt32BE(size, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...parts], size)
}

/** A full box (ISO/IEC 14496-12 4.2): begins with version and 24 bits of flags. */
export const fullBox = (type: string, version: number, flags: number, ...parts: readonly Buffer[]): Buffer =>
  box(type, u32(version * 0x100_0000 + flags), ...parts)

/** Bytes. */
export const u8 = (...values: readonly number[]): Buffer => Buffer.from(values)

/** Big-endian 16-bit numbers. */
export function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2)
  values.forEach((value, index) => bytes.writeUInt16BE(value, index * 2))
  return bytes
}

/** Big-endian 32-bit numbers. */
export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4))
  return bytes
}

/** A big-endian 64-bit number. */
export function u64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** Text without terminating zero. */
export const ascii = (text: string): Buffer => Buffer.from(text, 'latin1')
