import { copyFaults } from '../../../contract/callbacks/copy-faults.ts'
import { callbackFaults } from '../../../contract/callbacks/faults.ts'
import { deliveryResults } from '../../../contract/callbacks/results.ts'
import { mergeFailures } from '../../../contract/merge-failures.ts'
import { readSentence, type Filling, type Sentences } from '../../../contract/sentences.ts'

/** Sentences that come from elsewhere in English, by what they are about. */
const tables = {
  delivery: deliveryResults,
  merge: mergeFailures,
  fault: callbackFaults,
  copy: copyFaults,
} as const satisfies Record<string, Sentences>

/** What a sentence from elsewhere is about. */
export type ReasonOf = keyof typeof tables

/** The key of the locales for a sentence, with what fills it; undefined for one that is not known, which is shown as it came. */
export function reasonKey(of: ReasonOf, text: string): { readonly key: string; readonly filling: Filling } | undefined {
  const read = readSentence(tables[of] as Sentences, text)
  return read && { key: `reason.${of}.${read.name}`, filling: read.filling }
}

/** Says a sentence from elsewhere in the language of the page. */
export const sayReason = (t: (key: string, filling: Filling) => string, of: ReasonOf, text: string): string => {
  const known = reasonKey(of, text)
  return known ? t(known.key, known.filling) : text
}
