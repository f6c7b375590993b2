import type { LinkFailure } from '../../contract/link/client-calls.ts'
import { Failure } from '../failure.ts'

/** The failure of a link refusal: the service's disk, or a code. */
export const refusedByLink = ({ code, message, reason }: LinkFailure): Failure =>
  new Failure(
    reason === 'full' || reason === 'readOnly' || reason === 'broken' ? reason : 'code',
    `link: ${code} ${message}`,
    {
      code,
    },
  )
