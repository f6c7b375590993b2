import { inBackground } from '../background.ts'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { readChannels } from '../channels/channel-list.ts'
import type { Client } from '../client/client.ts'
import { type Clock, pause } from '../../platform/clock.ts'
import { Failure, reasonOf } from '../failure.ts'

/** Interval in ms. */
export const pollEvery = 5_000

/** What was known last, and when, by the companion's clock in ms. */
export type KnownTallies = Pick<AppEvent & { type: 'tallies' }, 'at' | 'tallies'>

/** A running poll. */
export interface Poll {
  pollNow(): void
  end(): void
}

/** Polls the tallies of a hosted profile until ended. */
export function pollHosted(ports: {
  readonly profileId: string
  readonly clock: Clock
  readonly client: () => Promise<Client>
  /** Told until it answers; nothing without it. */
  readonly known?: KnownTallies | undefined
  readonly post: (event: AppEvent) => void
  /** Called when the service answers for the first time, or again after a failure. */
  readonly answered?: () => void
  readonly log: (line: string) => void
}): Poll {
  const end = new AbortController()
  const { profileId, clock } = ports
  let turn = new AbortController()
  const run = async (): Promise<void> => {
    let { at, tallies }: KnownTallies = ports.known ?? { at: null, tallies: [] }
    let known: string | undefined
    let isAnswering = false
    while (!end.signal.aborted) {
      let failed: Failure | undefined
      try {
        const { channels } = await readChannels(await ports.client())
        at = clock.now()
        tallies = channels.map(({ cid, status }) => ({ cid, status, since: null, viewers: null, keyExpires: null }))
        const names = channels.map((one) => `${one.cid} ${one.name}`).join('\n')
        if (known !== undefined && known !== names) ports.post({ type: 'channels', profileId })
        known = names
      } catch (error) {
        failed = error instanceof Failure ? error : new Failure('internal', reasonOf(error))
      }
      if (end.signal.aborted) return
      if (!failed && !isAnswering) ports.answered?.()
      isAnswering = !failed
      ports.post({
        type: 'tallies',
        profileId,
        at,
        source: 'poll',
        fault: failed ? 'poll' : null,
        ...(failed && { failure: failed.data }),
        tallies,
      })
      await pause(clock, pollEvery, AbortSignal.any([end.signal, turn.signal]))
      turn = new AbortController()
    }
  }
  inBackground(run(), ports.log, 'asking a hosted service what is on air')
  return {
    pollNow: () => turn.abort(),
    end: () => end.abort(),
  }
}
