import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { diskRefusalOf } from '../../platform/full-disk.ts'
import { Failure, reasonOf as messageOf } from '../failure.ts'

const away: ReadonlySet<string> = new Set(['down', 'late', 'unreachable', 'refused', 'away'])

/** Why a part of a revocation is left: the disk, the service's answer, or no answer. */
export function whyLeft(error: unknown): ReasonOf<'revocation'> {
  const system = messageOf(error)
  const { kind, code } = error instanceof Failure ? error.data : { kind: diskRefusalOf(error), code: null }
  if (kind === 'full' || kind === 'readOnly' || kind === 'broken') return reasonOf('revocation', kind)
  if (code !== null) return reasonOf('revocation', 'answered', { code: String(code), answer: system })
  const isAway = away.has(kind ?? '')
  return reasonOf('revocation', isAway ? 'away' : 'failed', { system })
}
