import type { Clock } from '../../platform/clock.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import { statusOf, type Channel, type ChannelChange, type Channels } from './channels.ts'
import type { Hub } from '../hub/hub.ts'
import type { HubEvent } from '../hub/hub-events.ts'
import type { OwedReason } from '../storage/held-writes.ts'

/** Receives the events of one application. */
export interface EventSink {
  write(event: LocalEvent): void
  end(): void
}

/** The event stream of `/local/service/events`. */
export type LiveEvents = ReturnType<typeof createLiveEvents>

const subscriberLimit = 64
/** Heartbeat of contract/local-events, in ms. */
const heartbeatEvery = 5000
/** How often figures of pushes on air are sent, in ms. */
const figuresEvery = 1000

/** State of a channel beyond 1-live: `channelDetails` of the contract. */
export const detailsOf = (
  channel: Channel,
  viewers: number,
): { cid: string; status: number; since?: number; keyExpires: number; viewers: number } => ({
  cid: channel.row.cid,
  status: statusOf(channel),
  ...(channel.since !== undefined && { since: channel.since }),
  keyExpires: channel.row.keyExpires * 1000,
  viewers,
})

/** Makes the event stream, which listens to the registry and to the hub; its timers run until `close`. */
export function createLiveEvents(options: {
  readonly channels: Pick<Channels, 'get' | 'of' | 'on'>
  readonly hub: Pick<Hub, 'on' | 'figures' | 'viewers'>
  readonly clock: Clock
  /** Why something is in force that is not on the disk. */
  readonly owed: () => OwedReason | undefined
}) {
  const { channels, hub, clock, owed } = options
  const subscribers = new Set<{ readonly uid: number; readonly sink: EventSink }>()
  /** Pushes on air and their owners, so that a tick does not visit every channel. */
  const running = new Map<string, number>()

  const tell = (uid: number, event: LocalEvent): void => {
    for (const subscriber of subscribers) if (subscriber.uid === uid) subscriber.sink.write(event)
  }
  const tally = (channel: Channel): void =>
    tell(channel.row.uid, {
      type: 'tally',
      at: clock.now(),
      ...detailsOf(channel, hub.viewers(channel.row.cid)),
    })

  const changed = (channel: Channel, change: ChannelChange): void => {
    if (change === 'tally') return tally(channel)
    tell(channel.row.uid, { type: 'channel', at: clock.now(), cid: channel.row.cid, change })
    // A new key changes the expiry; a new channel needs its first tally.
    if (change === 'key' || change === 'created') tally(channel)
  }
  const heard = (event: HubEvent): void => {
    const { cid, at, type, detail, remedy, from } = event
    const channel = channels.get(cid)
    // The push of a deleted channel ends after the deletion.
    const uid = channel?.row.uid ?? running.get(cid)
    if (type === 'started' && channel) running.set(cid, channel.row.uid)
    else if (type === 'ended') running.delete(cid)
    const told = {
      ...(detail !== undefined && { detail }),
      ...(remedy !== undefined && { remedy }),
      ...(from !== undefined && { from }),
    }
    if (uid !== undefined) tell(uid, { type: 'push', at, cid, kind: type, ...told })
  }

  const heartbeat = setInterval(() => {
    for (const { sink } of subscribers) sink.write({ type: 'heartbeat', at: clock.now() })
  }, heartbeatEvery)
  const figures = setInterval(() => {
    if (subscribers.size === 0) return
    for (const [cid, uid] of running) {
      const now = hub.figures(cid)
      if (now) tell(uid, { type: 'ingest', at: clock.now(), cid, figures: now })
    }
  }, figuresEvery)
  const leave = [channels.on(changed), hub.on(heard)]

  return {
    /** Writes the snapshot, then events; returns the unsubscribe function. `full` at the limit of subscribers. */
    subscribe(uid: number, sink: EventSink): (() => void) | 'full' {
      if (subscribers.size >= subscriberLimit) return 'full'
      const known = channels.of(uid).map((channel) => detailsOf(channel, hub.viewers(channel.row.cid)))
      const reason = owed()
      sink.write({ type: 'snapshot', at: clock.now(), channels: known, ...(reason && { owed: reason }) })
      const subscriber = { uid, sink }
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    tell,
    /** Tells everybody whether something is in force that is not on the disk. */
    owed() {
      const reason = owed()
      for (const { sink } of subscribers) sink.write({ type: 'owed', at: clock.now(), ...(reason && { reason }) })
    },
    /** Ends all subscriptions; they would keep the listener open. */
    endAll() {
      for (const { sink } of subscribers) sink.end()
      subscribers.clear()
    },
    close() {
      for (const end of leave) end()
      clearInterval(heartbeat)
      clearInterval(figures)
      subscribers.clear()
    },
  }
}
