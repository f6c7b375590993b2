import type { RefusalReason } from '../contract/catalogue/refusal-reasons.ts'

/** Thrown by a handler: a code of its operation's list, a sentence for `msg` or `desc`, and a reason for programs. */
export class Refused extends Error {
  readonly code: number
  readonly reason: RefusalReason

  constructor(code: number, sentence: string, reason: RefusalReason = 'other') {
    super(sentence)
    this.code = code
    this.reason = reason
  }
}
