import { createHash } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { createLru } from '../platform/lru.ts'

/** The least recently used one is dropped. */
const maxTokens = 16
const maxSessions = 64

/** A look-up by digest leaks no timing. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Sign-in of the browser shell: one-time tokens are exchanged for session cookies. Only digests are stored. */
export function createSessions(ports: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: (bytes: number) => Buffer
}) {
  const tokens = createLru<number>(maxTokens)
  const sessions = createLru<true>(maxSessions)
  return {
    /** Creates a token valid once, for `life` ms. */
    mint: (life: number): string => {
      const token = ports.random(32).toString('base64url')
      tokens.set(digest(token), ports.clock.monotonic() + life)
      return token
    },
    /** Exchanges a token for a session id; undefined when it is wrong, used or expired. */
    trade: (token: string): string | undefined => {
      const name = digest(token)
      const until = tokens.get(name)
      tokens.delete(name)
      if (until === undefined || until < ports.clock.monotonic()) return undefined
      const session = ports.random(32).toString('base64url')
      sessions.set(digest(session), true)
      return session
    },
    knows: (session: string): boolean => sessions.get(digest(session)) === true,
  }
}
