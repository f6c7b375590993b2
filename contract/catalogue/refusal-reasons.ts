/**
 * Why the embedded service refused a call, in addition to the code of its document: the disk is full (`full`),
 * read-only (`readOnly`) or has I/O errors (`broken`), and nothing was changed; CurTime too far from its clock
 * (`clock`); wrong AppKey or CheckSum (`signature`); unknown account, team or room (`missing`), or an existing one
 * (`present`); anything else (`other`). Texts beside it are for people.
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
/** Reason of a refusal. */
export type RefusalReason = (typeof refusalReasons)[number]

/** Header with the reason of a refusal; on the client link `reason` of the error, omitted if `other`. */
export const reasonHeader = 'sidestage-reason'
/** Header with what is wrong with the signature in words, as `desc` of the messaging documents has fixed texts. */
export const detailHeader = 'sidestage-detail'

const known: ReadonlySet<unknown> = new Set(refusalReasons)
/** A service's reason; undefined for a service without reasons. One of a later version is `other`. */
export const readRefusalReason = (given: unknown): RefusalReason | undefined =>
  given === undefined ? undefined : known.has(given) ? (given as RefusalReason) : 'other'
