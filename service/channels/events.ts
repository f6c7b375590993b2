import type { Clock } from '../../platform/clock.ts'
import type { AnswerOf } from '../../contract/field.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { holdFacts } from '../../contract/operations/hold.ts'
import type { channelDetails } from '../../contract/operations/local.ts'
import type { Bus } from '../bus/bus.ts'
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

interface Kept {
  readonly uid: number
  readonly place: number
  readonly event: LocalEvent
}

const subscriberLimit = 64
/** Events that are told again after a gap. */
const maxKept = 1000
/** Heartbeat of contract/local-events, in ms. */
const heartbeatEvery = 5000
/** How often figures of pushes on air are sent, in ms. */
const figuresEvery = 1000

/** Events that are told again after a gap; of recordings those of files. */
const isKept: ReadonlySet<string> = new Set<LocalEvent['type']>(['push', 'hold', 'recording', 'broadcast'])

/** State of a channel beyond 1-live: `channelDetails` of the contract. */
export const detailsOf = (channel: Channel, viewers: number): AnswerOf<typeof channelDetails> => ({
  cid: channel.row.cid,
  status: statusOf(channel),
  ...(channel.since !== undefined && { since: channel.since }),
  keyExpires: channel.row.keyExpires * 1000,
  viewers,
  ...(channel.broadcastId !== undefined && {
    broadcastId: channel.broadcastId,
    ...(channel.title !== undefined && { broadcastTitle: channel.title }),
  }),
  ...(channel.nextTitle !== undefined && { nextTitle: channel.nextTitle }),
})

/** Makes the event stream, which listens to the registry and to the hub; its timers run until `close`. */
export function createLiveEvents(options: {
  readonly channels: Pick<Channels, 'get' | 'of' | 'on'>
  /** Of this node, with the viewers at all nodes. */
  readonly hub: Pick<Hub, 'on' | 'figures' | 'viewers'>
  readonly bus: Pick<Bus, 'topic' | 'settled' | 'onBack'>
  readonly clock: Clock
  /** Hold and delay of a channel on air. */
  readonly hold: (cid: string) => AnswerOf<typeof holdFacts> | undefined
  /** Why something is in force that is not on the disk. */
  readonly owed: () => OwedReason | undefined
  /** Name of this node in a cluster: what is told at one is told again at all. */
  readonly node?: string | undefined
}) {
  const { channels, hub, bus, clock, hold, owed, node } = options
  const ofAll = bus.topic<Kept & { readonly node: string }>('live-kept')
  const topic = bus.topic<LocalEvent>('live')
  /** Somebody at a node does not know of the holds of an application's pushes at the others. */
  const asked = bus.topic<{ readonly node: string; readonly uid: number }>('live-asked')
  /** Those of this node, with what ends their part of the topic. */
  const subscribers = new Map<EventSink, { readonly uid: number; readonly leave: () => void }>()
  /** Pushes on air and their owners, so that a tick does not visit every channel. */
  const running = new Map<string, number>()

  /** What happened last, for those who did not hear it; figures and states come again by themselves. */
  const kept: Kept[] = []
  /** Beyond those of a service that ran here before. */
  let place = clock.now()

  const keep = (one: Kept): void => {
    // Another node may have given its place before it heard of the newest one here.
    const at = kept.findLastIndex((other) => other.place <= one.place)
    kept.splice(at + 1, 0, one)
    if (kept.length > maxKept) kept.shift()
  }
  const withPlace = (uid: number, event: LocalEvent): LocalEvent => {
    if (!isKept.has(event.type) || (event.type === 'recording' && event.state !== 'fileReady')) return event
    const placed = { ...event, place: ++place }
    keep({ uid, place, event: placed })
    if (node !== undefined) ofAll.publish('all', { node, uid, place, event: placed })
    return placed
  }
  const listeners = new Set<(event: LocalEvent) => void>()
  const tell = (uid: number, event: LocalEvent): void => {
    topic.publish(uid, withPlace(uid, event))
    for (const listener of listeners) listener(event)
  }
  const forgetAll = (): void => {
    for (const { leave } of subscribers.values()) leave()
    subscribers.clear()
  }
  /** Tells those of this node, of what each node makes in memory by itself. */
  const tellHere = (uid: number, event: LocalEvent): void => {
    for (const [sink, subscriber] of subscribers) if (subscriber.uid === uid) sink.write(event)
  }
  const tally = (channel: Channel): void =>
    tellHere(channel.row.uid, {
      type: 'tally',
      at: clock.now(),
      ...detailsOf(channel, hub.viewers(channel.row.cid)),
    })

  const changed = (channel: Channel, change: ChannelChange): void => {
    if (change === 'tally') return tally(channel)
    tellHere(channel.row.uid, { type: 'channel', at: clock.now(), cid: channel.row.cid, change })
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

  /** Hold and delay of the pushes here, as they are. */
  const holdsOf = (uid: number): LocalEvent[] =>
    [...running].flatMap(([cid, owner]) => {
      const facts = owner === uid ? hold(cid) : undefined
      return facts ? [{ type: 'hold', at: clock.now(), cid, ...facts }] : []
    })
  const ask = (uid: number): void => {
    if (node !== undefined) asked.publish('all', { node, uid })
  }

  const heartbeat = setInterval(() => {
    for (const sink of subscribers.keys()) sink.write({ type: 'heartbeat', at: clock.now() })
  }, heartbeatEvery)
  const figures = setInterval(() => {
    for (const [cid, uid] of running) {
      const now = topic.isHeard(uid) ? hub.figures(cid) : undefined
      if (now) tell(uid, { type: 'ingest', at: clock.now(), cid, figures: now })
    }
  }, figuresEvery)
  const leave = [channels.on(changed), hub.on(heard)]
  if (node !== undefined)
    leave.push(
      ofAll.subscribe('all', ({ node: from, ...one }) => {
        if (from === node) return
        // Whoever heard this one asks for what comes behind it.
        place = Math.max(place, one.place)
        keep(one)
      }),
      asked.subscribe('all', ({ node: from, uid }) => {
        if (from !== node) for (const event of holdsOf(uid)) topic.publish(uid, event)
      }),
      // What changed meanwhile was told to nobody here.
      bus.onBack(() => new Set([...subscribers.values()].map(({ uid }) => uid)).forEach(ask)),
    )

  return {
    /**
     * Writes the snapshot, what was kept after a place, and events; returns the unsubscribe function. `full` at the
     * limit of subscribers.
     */
    subscribe(uid: number, sink: EventSink, after?: number): (() => void) | 'full' {
      if (subscribers.size >= subscriberLimit) return 'full'
      const known = channels.of(uid).map((channel) => detailsOf(channel, hub.viewers(channel.row.cid)))
      const reason = owed()
      sink.write({ type: 'snapshot', at: clock.now(), channels: known, ...(reason && { owed: reason }) })
      if (after !== undefined) for (const one of kept) if (one.uid === uid && one.place > after) sink.write(one.event)
      for (const event of holdsOf(uid)) sink.write(event)
      const leave = topic.subscribe(uid, (event) => sink.write(event))
      subscribers.set(sink, { uid, leave })
      // The answers come over the topic: once that is heard.
      bus.settled().then(
        () => ask(uid),
        () => undefined,
      )
      return () => {
        leave()
        subscribers.delete(sink)
      }
    },
    tell,
    tellHere,
    /** Calls with each event that is told at this node for all, until the returned function is called. */
    onTold(listener: (event: LocalEvent) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Tells the end of a push whose node is gone. */
    lost(cid: string, at: number) {
      const uid = channels.get(cid)?.row.uid
      if (uid !== undefined) tell(uid, { type: 'push', at, cid, kind: 'ended', detail: 'node' })
    },
    /** Tells everybody whether something is in force that is not on the disk. */
    owed() {
      const reason = owed()
      for (const sink of subscribers.keys()) sink.write({ type: 'owed', at: clock.now(), ...(reason && { reason }) })
    },
    /** Ends all subscriptions; they would keep the listener open. */
    endAll() {
      const ended = [...subscribers.keys()]
      forgetAll()
      for (const sink of ended) sink.end()
    },
    close() {
      for (const end of leave) end()
      clearInterval(heartbeat)
      clearInterval(figures)
      forgetAll()
    },
  }
}
