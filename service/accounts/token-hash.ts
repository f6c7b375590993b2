import { hash, timingSafeEqual } from 'node:crypto'

const saltBytes = 16
const digest = (salt: string, token: string): string => hash('sha256', `${salt}:${token}`, 'hex')

/**
 * Hash of a token (behaviour.md#tokens): salted SHA-256. A fast hash, as a thousand clients may reconnect at once, and
 * tokens are random or kept by the developer's server, not chosen by people.
 */
export function hashToken(token: string, random: (bytes: number) => Buffer): string {
  const salt = random(saltBytes).toString('hex')
  return `${salt}:${digest(salt, token)}`
}

/** Compares a token with its hash in constant time. */
export function tokenIs(kept: string, token: string): boolean {
  const [salt = '', expected = ''] = kept.split(':')
  const given = digest(salt, token)
  return (
    expected.length === given.length && timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'))
  )
}
