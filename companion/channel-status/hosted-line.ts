import type { AppEvent } from '../../contract/rpc/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Waits } from '../../platform/backoff.ts'
import type { Client } from '../client/client.ts'
import { followLocal, type HeardPlace } from './local-tallies.ts'
import { type KnownTallies, type Poll, pollHosted } from './polled-tallies.ts'

/** Delays in ms before an event stream that was lost is opened again; it is polled meanwhile. */
const waits: Waits = { first: 250, longest: 15_000 }

/** Follows the events of an extended hosted service; polls its channels while there are none. */
export function followHosted(ports: {
  readonly profileId: string
  readonly clock: Clock
  readonly client: () => Promise<Client>
  readonly post: (event: AppEvent) => void
  readonly changed: (cid: string) => void
  readonly gone: (cid: string) => void
  /** Called when the service answers for the first time, or again. */
  readonly answered: () => void
  /** Called when the event stream begins, again too. */
  readonly began: () => void
  readonly heard: HeardPlace
  readonly log: (line: string) => void
}): Poll {
  let poll: Poll | undefined
  /** A service that is away has not ended its pushes: polls that fail tell what was known. */
  let known: KnownTallies | undefined
  const post = (event: AppEvent): void => {
    // After a sleep they are of the time before it.
    if (event.type === 'tallies' && event.fault !== 'slept') known = event
    ports.post(event)
  }
  const startPolling = (): void => {
    poll ??= pollHosted({ ...ports, post, known })
  }
  startPolling()
  const line = followLocal({
    ...ports,
    post,
    waits,
    began: () => {
      poll?.end()
      poll = undefined
      ports.began()
    },
    lost: startPolling,
  })
  return {
    pollNow: () => poll?.pollNow(),
    end: () => {
      poll?.end()
      line.leave()
    },
  }
}
