import type { Ground } from './players.ts'
import type { Admission } from './visitor.ts'

/** Why somebody is turned away, as HTTP has it. */
export interface TurnedAway {
  readonly ok: false
  readonly status: 401 | 403 | 429 | 503
  readonly sentence: string
  /** In s. */
  readonly retryAfter?: number
}
/** Somebody who is let in. */
export interface LetIn {
  readonly ok: true
  readonly ground: Ground
}

/** After this many seconds somebody who found no room should ask again. */
const askAgain = 5

/** There is no place. */
export const full: TurnedAway = { ok: false, status: 503, sentence: 'it is full at the moment', retryAfter: askAgain }
/** There is none by the link that somebody has. */
export const linkFull: TurnedAway = { ...full, sentence: 'this link is in use by as many as it lets in' }

/** Too many wrong passphrases came from an address. */
export const slowed = (retryAfter: number): TurnedAway => ({
  ok: false,
  status: 429,
  sentence: 'too many wrong passphrases from this address',
  retryAfter,
})

const gates = {
  link: 'this channel is for those with a link',
  ended: 'this link has ended',
  closed: 'this channel is turned off',
  passphrase: 'this channel asks for a passphrase',
} as const
const linksOver = { ended: 'this link has ended', revoked: 'this link was revoked' } as const

/** What a player reads at a gate; of its link only who has the whole token. */
export function refusal({ gate, linkOver }: Omit<Extract<Admission, { ok: false }>, 'ok'>): TurnedAway {
  const status = gate === 'passphrase' ? 401 : 403
  if (linkOver === undefined) return { ok: false, status, sentence: gates[gate] }
  const over = linksOver[linkOver]
  return { ok: false, status, sentence: gate === 'passphrase' ? `${over}; ${gates.passphrase}` : over }
}
