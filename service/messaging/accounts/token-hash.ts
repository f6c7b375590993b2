import { hash, timingSafeEqual } from 'node:crypto'

const saltBytes = 16
const digest = (salt: string, token: string): string => hash('sha256', `${salt}:${token}`, 'hex')

/**
 * What is kept of a token (behaviour.md#tokens): a salt of its own and a SHA-256. It is quick on purpose, for a thousand clients may come back at
 * once; a token is made by the service or kept by the developer's server, and is no pass phrase that somebody has to remember.
 */
export function hashToken(token: string, random: (bytes: number) => Buffer): string {
  const salt = random(saltBytes).toString('hex')
  return `${salt}:${digest(salt, token)}`
}

/** Whether a token is the one that was kept, in constant time. */
export function tokenIs(kept: string, token: string): boolean {
  const [salt = '', expected = ''] = kept.split(':')
  const given = digest(salt, token)
  return (
    expected.length === given.length && timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'))
  )
}
