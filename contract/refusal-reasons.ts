/**
 * Why the embedded service refused a call, where the code of its document does not tell: its disk has no room (`full`), can only be read
 * (`readOnly`) or answers with errors (`broken`), and nothing was changed; CurTime is too far from its clock (`clock`); the AppKey or the
 * CheckSum is not right (`signature`); an account, team or room that was named is not there (`missing`), or one of that name is there already
 * (`present`); `other` for everything else. The texts beside it are for people.
 */
export const refusalReasons = [
  'full',
  'readOnly',
  'broken',
  'clock',
  'signature',
  'missing',
  'present',
  'other',
] as const
/** Why the embedded service refused a call. */
export type RefusalReason = (typeof refusalReasons)[number]

/** Header with the reason of a refusal; on the client link `reason` of the error, omitted if `other`. */
export const reasonHeader = 'sidestage-reason'

const known: ReadonlySet<unknown> = new Set(refusalReasons)
/** A service's reason; undefined for a service without reasons. One of a later version is `other`. */
export const readRefusalReason = (given: unknown): RefusalReason | undefined =>
  given === undefined ? undefined : known.has(given) ? (given as RefusalReason) : 'other'
