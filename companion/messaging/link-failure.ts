import { reasonOf, receivedReason, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { LinkState } from '../../contract/link/client.ts'
import { type LinkFailure, wrongAnswer } from '../../contract/link/client-calls.ts'
import { Failure } from '../failure.ts'

/** The failure of a link refusal: the service's disk, a code, or an answer that the contract has otherwise. */
export const refusedByLink = ({ code, message, reason }: LinkFailure): Failure =>
  code === wrongAnswer
    ? new Failure('notOurs', `link: ${message}`)
    : new Failure(
        reason === 'full' || reason === 'readOnly' || reason === 'broken' ? reason : 'code',
        `link: ${code} ${message}`,
        { code },
      )

/** Why the service keeps an account out, by its result code. */
export const answeredReason = (code: number, answer: string): ReasonOf<'link'> =>
  reasonOf('link', 'answered', { code: String(code), answer })

/** Why a link is not opened again. */
export function linkReason({ reason, refusal }: LinkState & { at: 'out' }): ReasonOf<'link'> {
  if (refusal === undefined) return receivedReason('link', { code: reason, params: {} })
  return refusal === 414 ? reasonOf('link', 'credentials') : answeredReason(refusal, reason)
}
