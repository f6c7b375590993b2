import type { LinkFailure } from '../../contract/link/client-calls.ts'
import { Failure } from '../failure.ts'

/** What a refusal of the link is to the interface: why the service's disk took nothing, where it says so, else a code of the service. */
export const refusedByLink = ({ code, message, reason }: LinkFailure): Failure =>
  new Failure(
    reason === 'full' || reason === 'readOnly' || reason === 'broken' ? reason : 'code',
    `link: ${code} ${message}`,
    {
      code,
    },
  )
