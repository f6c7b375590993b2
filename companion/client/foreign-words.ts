import type { RefusalReason } from '../../contract/refusal-reasons.ts'

/** Words of a refusal that is about the signature or its time; every other 414 is about a parameter, whatever that is called. */
const aboutClock = /\bcurtime\b|\bclock\b|\bexpired\b/i
const aboutSignature = /\bchecksum\b|\bsignature\b|\bapp ?key\b|\bhttp header\b|\bauthenticat/i
/** Words of a 414 for what is not there, and for what is there already. */
const aboutMissing = /not registered|not exist|no such|unknown|not found/i
const aboutPresent = /already register/i

/**
 * Why a service of somebody else refused a call. Its 414 stands for many things, and the documents have nothing but `desc` to tell them
 * apart (behaviour.md#codes-of-messaging). The embedded service names its reasons, and its words are read by nobody.
 */
export function reasonInWords(code: number, words: string, isLive: boolean): RefusalReason {
  if (isLive ? code !== 409 : code !== 414) return 'other'
  if (aboutClock.test(words)) return 'clock'
  if (aboutSignature.test(words)) return 'signature'
  return isLive ? 'other' : aboutPresent.test(words) ? 'present' : aboutMissing.test(words) ? 'missing' : 'other'
}
