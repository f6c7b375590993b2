/** What is known of a refused push, or of any other turn of one. */
interface Turn {
  readonly kind: string
  readonly remedy: string | null
  readonly from?: string | undefined
}

/** Why a push was refused, as the locales name it, and where it came from. */
export interface PushRefusal {
  readonly why: string
  readonly from: string
}

const reasons = new Set(['key', 'expired', 'disabled', 'busy', 'hevc', 'aac', 'pace'])
const thisComputer = /^(?:::ffff:)?127\.|^::1$/

/** Whether a push without the right key came from another computer, and so may need nothing. */
const isForeign = ({ remedy, from }: Turn): boolean =>
  remedy === 'key' && from !== undefined && !thisComputer.test(from)

/** Why a push was refused; `keyFrom` for one with a wrong key of another computer, `other` for what has no sentence of its own. */
export const refusalOf = (turn: Turn): PushRefusal => ({
  why: isForeign(turn) ? 'keyFrom' : turn.remedy !== null && reasons.has(turn.remedy) ? turn.remedy : 'other',
  from: turn.from?.replace(/^::ffff:/, '') ?? '',
})

/** What a refusal from before it says nothing about: a push that was let in, the end of one, or of the service. */
const later = new Set(['started', 'ended', 'serviceLost'])
/** The last refusal since a push began or ended; those from another computer come last. Lines are newest first. */
export function lastRefusal<T extends Turn>(lines: readonly T[]): T | null {
  const begin = lines.findIndex(({ kind }) => later.has(kind))
  const refused = (begin < 0 ? lines : lines.slice(0, begin)).filter(({ kind }) => kind === 'refused')
  return refused.find((turn) => !isForeign(turn)) ?? refused[0] ?? null
}

/** Refusals kept of a channel: strangers can cause them, and must not push out other lines. */
export const maxRefusals = 50
