import { diskIsBroken, diskIsFull, diskIsReadOnly } from '../contract/full-disk.ts'
import { diskRefusalOf } from '../platform/full-disk.ts'

const sentences = { full: diskIsFull, readOnly: diskIsReadOnly, broken: diskIsBroken } as const

/** What a caller is told where something failed because the disk took nothing; undefined for any other fault. */
export function diskSentenceOf(error: unknown): string | undefined {
  const refusal = diskRefusalOf(error)
  return refusal && sentences[refusal]
}
