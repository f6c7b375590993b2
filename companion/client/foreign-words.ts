import type { RefusalReason } from '../../contract/catalogue/refusal-reasons.ts'

/** Texts of refusals about the signature or its time. */
const aboutClock = /\bcurtime\b|\bclock\b|\bexpired\b/i
const aboutSignature = /\bchecksum\b|\bsignature\b|\bapp ?key\b|\bhttp header\b|\bauthenticat/i
/** Texts of a 414 for what is missing or already there. */
const aboutMissing = /not registered|not exist|no such|unknown|not found/i
const aboutPresent = /already register/i

/** Why a hosted service refused a call: only `desc` tells its 414s apart (behaviour.md#codes-of-messaging). */
export function reasonInWords(code: number, words: string, isLive: boolean): RefusalReason {
  if (isLive ? code !== 409 : code !== 414) return 'other'
  if (aboutClock.test(words)) return 'clock'
  if (aboutSignature.test(words)) return 'signature'
  return isLive ? 'other' : aboutPresent.test(words) ? 'present' : aboutMissing.test(words) ? 'missing' : 'other'
}
