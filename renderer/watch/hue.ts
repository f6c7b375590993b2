/** Colours of names; each has one value in either theme. */
export const hues = 8

/** The same person has the same colour on every screen (FNV-1a). */
export function hueOf(accid: string): number {
  let hash = 0x81_1c_9d_c5
  for (const byte of new TextEncoder().encode(accid)) hash = Math.imul(hash ^ byte, 0x01_00_01_93)
  return (hash >>> 0) % hues
}
