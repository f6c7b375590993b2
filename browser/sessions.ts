import { createHash } from 'node:crypto'
import type { Clock } from '../companion/clock.ts'

/** Who may use the browser shell: one-time tokens that are traded for session cookies. Only digests are kept. */
export interface Sessions {
  /** A token that signs in once, within `life` ms of the running computer. */
  mint(life: number): string
  /** Trades a token for a session id, or undefined for a wrong, used or expired one. */
  trade(token: string): string | undefined
  /** Whether a session id is one of ours. */
  knows(session: string): boolean
}

/** Tokens and sessions held at most; the oldest goes. */
const maxTokens = 16
const maxSessions = 64

/** Looking a digest up leaks nothing of the secret by its timing: an attacker cannot choose digests. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Creates an empty set of sessions. */
export function createSessions(ports: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: (bytes: number) => Buffer
}): Sessions {
  const tokens = new Map<string, number>()
  const sessions = new Set<string>()
  return {
    mint: (life) => {
      const token = ports.random(32).toString('base64url')
      tokens.set(digest(token), ports.clock.monotonic() + life)
      if (tokens.size > maxTokens) tokens.delete(tokens.keys().next().value ?? '')
      return token
    },
    trade: (token) => {
      const name = digest(token)
      const until = tokens.get(name)
      tokens.delete(name)
      if (until === undefined || until < ports.clock.monotonic()) return undefined
      const session = ports.random(32).toString('base64url')
      sessions.add(digest(session))
      if (sessions.size > maxSessions) sessions.delete(sessions.values().next().value ?? '')
      return session
    },
    knows: (session) => sessions.has(digest(session)),
  }
}
