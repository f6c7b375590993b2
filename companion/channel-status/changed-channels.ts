import type { Client } from '../client/client.ts'
import { inBackground } from '../background.ts'
import { reasonOf } from '../failure.ts'
import { type Clock, pause } from '../../platform/clock.ts'

/** Ids of one call, as the operation takes them. */
const perCall = 1_000
/** From an answer to the next call, in ms. */
const rest = 50
const restAfterFailure = 1_000

/** Reads channels that changed, one call at a time for all that waited; what changes meanwhile is read again. */
export function createChangedChannels(ports: {
  readonly clock: Clock
  readonly read: (client: Client, cids: readonly string[]) => Promise<void>
  readonly ended: AbortSignal
  readonly log: (line: string) => void
}) {
  const { clock, ended } = ports
  const waiting = new Set<string>()
  let isRunning = false
  let client: Client
  const run = async (): Promise<void> => {
    isRunning = true
    while (waiting.size > 0 && !ended.aborted) {
      const cids = [...waiting].slice(0, perCall)
      for (const cid of cids) waiting.delete(cid)
      let isRead = true
      try {
        await ports.read(client, cids)
      } catch (error) {
        isRead = false
        ports.log(`reading changed channels failed: ${reasonOf(error)}`)
      }
      await pause(clock, isRead ? rest : restAfterFailure, ended)
    }
    isRunning = false
  }
  return {
    /** The caller bounds how many channels there are. */
    add: (from: Client, cid: string) => {
      client = from
      waiting.add(cid)
      if (!isRunning) inBackground(run(), ports.log, 'reading changed channels')
    },
    /** All are read anew in another way. */
    clear: () => waiting.clear(),
  }
}
