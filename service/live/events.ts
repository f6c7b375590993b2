import type { IngestFigures, LocalEvent } from '../../contract/local-events.ts'
import { statusOf, type Channel, type ChannelChange } from './channels.ts'
import type { HubEvent } from './hub.ts'

/** What the events read of the channels. */
export interface EventChannels {
  get(cid: string): Channel | undefined
  of(uid: number): Channel[]
  onAir(cid: string, since: number | undefined): void
}

/** What the events read of the hub. */
export interface EventHub {
  on(listener: (event: HubEvent) => void): () => void
  figures(cid: string): IngestFigures | undefined
  viewers(cid: string): number
}

/** Receives the events of one application. */
export interface EventSink {
  write(event: LocalEvent): void
  end(): void
}

/** The event stream of `/local/service/events`. */
export interface LiveEvents {
  /** Writes the snapshot, then events; returns the unsubscribe function. `full` at the limit of subscribers. */
  subscribe(uid: number, sink: EventSink): (() => void) | 'full'
  /** Called by the registry. */
  changed(channel: Channel, change: ChannelChange): void
  /** Sends an event to the subscribers of an application. */
  tell(uid: number, event: LocalEvent): void
  /** Subscribes to the hub. */
  attach(channels: EventChannels, hub: EventHub): void
  /** Ends all subscriptions; they would keep the listener open. */
  endAll(): void
  close(): void
}

/** Subscribers at most. */
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

/** Makes the event stream; its timers run until `close`. */
export function createLiveEvents(clock: () => number): LiveEvents {
  const subscribers = new Set<{ readonly uid: number; readonly sink: EventSink }>()
  /** Pushes on air and their owners, so that a tick does not visit every channel. */
  const running = new Map<string, number>()
  let sources: { readonly channels: EventChannels; readonly hub: EventHub } | undefined
  let detach = (): void => {}

  const tell = (uid: number, event: LocalEvent): void => {
    for (const subscriber of subscribers) if (subscriber.uid === uid) subscriber.sink.write(event)
  }
  const tally = (channel: Channel): void =>
    tell(channel.row.uid, {
      type: 'tally',
      at: clock(),
      ...detailsOf(channel, sources?.hub.viewers(channel.row.cid) ?? 0),
    })

  const heard = (event: HubEvent, { channels }: { readonly channels: EventChannels }): void => {
    const { cid, at, type, detail, remedy, from } = event
    const channel = channels.get(cid)
    // The push of a deleted channel ends after the deletion.
    const uid = channel?.row.uid ?? running.get(cid)
    if (type === 'started') {
      if (channel) running.set(cid, channel.row.uid)
      channels.onAir(cid, at)
    } else if (type === 'ended') {
      running.delete(cid)
      channels.onAir(cid, undefined)
    }
    const told = {
      ...(detail !== undefined && { detail }),
      ...(remedy !== undefined && { remedy }),
      ...(from !== undefined && { from }),
    }
    if (uid !== undefined) tell(uid, { type: 'push', at, cid, kind: type, ...told })
  }

  const heartbeat = setInterval(() => {
    for (const { sink } of subscribers) sink.write({ type: 'heartbeat', at: clock() })
  }, heartbeatEvery)
  const figures = setInterval(() => {
    if (subscribers.size === 0 || !sources) return
    for (const [cid, uid] of running) {
      const now = sources.hub.figures(cid)
      if (now) tell(uid, { type: 'ingest', at: clock(), cid, figures: now })
    }
  }, figuresEvery)

  return {
    subscribe(uid, sink) {
      if (subscribers.size >= subscriberLimit) return 'full'
      const channels = (sources?.channels.of(uid) ?? []).map((channel) =>
        detailsOf(channel, sources?.hub.viewers(channel.row.cid) ?? 0),
      )
      sink.write({ type: 'snapshot', at: clock(), channels })
      const subscriber = { uid, sink }
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    changed(channel, change) {
      if (change === 'tally') tally(channel)
      else {
        tell(channel.row.uid, { type: 'channel', at: clock(), cid: channel.row.cid, change })
        // A new key changes the expiry; a new channel needs its first tally.
        if (change === 'key' || change === 'created') tally(channel)
      }
    },
    tell,
    attach(channels, hub) {
      sources = { channels, hub }
      detach = hub.on((event) => heard(event, { channels }))
    },
    endAll() {
      for (const { sink } of subscribers) sink.end()
      subscribers.clear()
    },
    close() {
      detach()
      clearInterval(heartbeat)
      clearInterval(figures)
      subscribers.clear()
    },
  }
}
