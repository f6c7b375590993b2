import { createHash, timingSafeEqual } from 'node:crypto'

/** Digest of a code or session, so that the file contains no credential. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Compares in constant time. */
export const isSame = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}
