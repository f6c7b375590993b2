import { createHash, timingSafeEqual } from 'node:crypto'

/** What is kept of a code or a session, so that the file of seats opens nothing. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Whether two texts are the same, in constant time. */
export const isSame = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}
