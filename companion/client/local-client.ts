import type { FailureData } from '../../contract/rpc/index.ts'
import { Failure, TimedOut } from '../failure.ts'
import type { Client } from './client.ts'

/** Failure to reach this computer's service means that it is down or hangs. */
async function withLocalCause<T>(work: Promise<T>, isRunning: () => boolean): Promise<T> {
  try {
    return await work
  } catch (error) {
    const kind: FailureData['kind'] | undefined = error instanceof Failure ? error.data.kind : undefined
    if (kind !== 'unreachable' && kind !== 'refused') throw error
    // A killed process closes its connections before its exit is known.
    throw new Failure(error instanceof TimedOut && isRunning() ? 'late' : 'down', (error as Failure).message)
  }
}

/** A client of this computer's service, with the failures `down` and `late`. */
export const ofThisComputer = (client: Client, isRunning: () => boolean): Client => ({
  call: (operation, args) => withLocalCause(client.call(operation, args), isRunning),
  exchange: (operation, args) => withLocalCause(client.exchange(operation, args), isRunning),
  stream: (operation, args, signal) => withLocalCause(client.stream(operation, args, signal), isRunning),
})
