import type { FailureData } from '../../contract/rpc/index.ts'
import { Failure, TimedOut } from '../failure.ts'
import type { Client } from './client.ts'

/** A call that cannot reach the service of this computer means that it is not running, or hangs where it is. */
async function withLocalCause<T>(work: Promise<T>, isRunning: () => boolean): Promise<T> {
  try {
    return await work
  } catch (error) {
    const kind: FailureData['kind'] | undefined = error instanceof Failure ? error.data.kind : undefined
    if (kind !== 'unreachable' && kind !== 'refused') throw error
    // A process that was killed leaves its connections at once, and is not known to be gone yet.
    throw new Failure(error instanceof TimedOut && isRunning() ? 'late' : 'down', (error as Failure).message)
  }
}

/** A client of the service of this computer, whose failures say `down` or `late`; `isRunning` tells whether its process is there. */
export const ofThisComputer = (client: Client, isRunning: () => boolean): Client => ({
  call: (operation, args) => withLocalCause(client.call(operation, args), isRunning),
  exchange: (operation, args) => withLocalCause(client.exchange(operation, args), isRunning),
  stream: (operation, signal) => withLocalCause(client.stream(operation, signal), isRunning),
})
