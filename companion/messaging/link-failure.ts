import { diskRefusalSaid } from '../../contract/full-disk.ts'
import type { LinkFailure } from '../../contract/link/client-calls.ts'
import { Failure } from '../failure.ts'

/** What a refusal of the link is to the interface: a code of the service, or the sentence by which it says why its disk took nothing. */
export const refusedByLink = ({ code, message }: LinkFailure): Failure =>
  new Failure((code === 500 ? diskRefusalSaid(message) : undefined) ?? 'code', `link: ${code} ${message}`, { code })
