interface Turn {
  readonly kind: string
  readonly remedy: string | null
  readonly from?: string | undefined
}

/** `why` as in the locales; `from` is the source. */
export interface PushRefusal {
  readonly why: string
  readonly from: string
}

const reasons = new Set(['key', 'expired', 'disabled', 'busy', 'hevc', 'aac', 'pace'])
const thisComputer = /^(?:::ffff:)?127\.|^::1$/

/** From another computer, and may need no action. */
const isForeign = ({ remedy, from }: Turn): boolean =>
  remedy === 'key' && from !== undefined && !thisComputer.test(from)

/** `keyFrom`: a wrong key from another computer; `other`: without its own sentence. */
export const refusalOf = (turn: Turn): PushRefusal => ({
  why: isForeign(turn) ? 'keyFrom' : turn.remedy !== null && reasons.has(turn.remedy) ? turn.remedy : 'other',
  from: turn.from?.replace(/^::ffff:/, '') ?? '',
})

/** Events after which an earlier refusal is obsolete. */
const later = new Set(['started', 'ended', 'serviceLost'])
/** Since a push began or ended, preferably from this computer. Lines are newest first. */
export function lastRefusal<T extends Turn>(lines: readonly T[]): T | null {
  const begin = lines.findIndex(({ kind }) => later.has(kind))
  const refused = (begin < 0 ? lines : lines.slice(0, begin)).filter(({ kind }) => kind === 'refused')
  return refused.find((turn) => !isForeign(turn)) ?? refused[0] ?? null
}

/** By channel: strangers cause refusals, which must not displace other lines. */
export const maxRefusals = 50
