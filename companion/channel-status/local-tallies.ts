import { inBackground } from '../background.ts'
import type { AnswerOf } from '../../contract/field.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import type { channelDetails } from '../../contract/operations/local.ts'
import { local } from '../../contract/operations/index.ts'
import type { AppEvent, Tally } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { linesOf } from '../client/lines.ts'
import { doubledWait, type Waits } from '../../platform/backoff.ts'
import { type Clock, pause } from '../../platform/clock.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { createChangedChannels } from './changed-channels.ts'
import { createChannelPlaces } from './channel-places.ts'
import { broadcastOf, broadcastsOf } from './told-broadcasts.ts'
import { owedOf } from './owed-of.ts'
import { figuresOf } from './ingest-figures.ts'
import { createPaced } from './paced.ts'
import { isPushKind } from './push-kinds.ts'
import { readLine } from './read-line.ts'
import { createToldRecordings } from './told-recordings.ts'
import { createToldTargets } from './told-targets.ts'
import { holdStateOf } from '../targets/target-events.ts'

/** Events come at least every 5 s; after this silence, in ms, it reconnects. */
const silence = 12_000
/** Waits before reconnecting, in ms: the embedded service is back soon after it is lost. */
const usualWaits: Waits = { first: 250, longest: 250 }
/** Interval of the check for a system sleep, and the gap that counts as one, in ms. */
const noteEvery = 1_000
const sleptAfter = 5_000
/** Figures come once a second; without new ones they are not known after this time, in ms. */
const figuresFor = 6_000
/** Tallies changed within this time, in ms, are posted together: all are, so that many wait longer. */
const gatherFor = (channels: number): number => Math.max(20, channels / 10)
/** How often pages are told to read the list of channels. */
const listRate = { perSecond: 4, atOnce: 8 }

type TalliesFault = NonNullable<(AppEvent & { type: 'tallies' })['fault']>

/** Place of the last event that is told again after a gap. */
export interface HeardPlace {
  place: number | undefined
}

/** Follows the event stream of the embedded service, or of another one that has it; reconnects until ended. */
export function followLocal(ports: {
  /** The embedded service's when absent. */
  readonly profileId?: string
  readonly clock: Clock
  readonly client: () => Promise<Client> | undefined
  readonly post: (event: AppEvent) => void
  /** Called for each channel created, changed or deleted. */
  readonly changed: (cid: string) => void
  /** Called for each channel that is gone. */
  readonly gone?: (cid: string) => void
  /** Root of the media side as others reach it. */
  readonly reached?: (url: string) => void
  /** Called with each snapshot, before it is told. */
  readonly began?: () => void
  /** Called when a connection ended or could not be made, after that was told. */
  readonly lost?: () => void
  /** Also before this one began. */
  readonly heard?: HeardPlace
  /** Delays before reconnecting. */
  readonly waits?: Waits
  readonly log: (line: string) => void
}) {
  const { clock, profileId = localProfileId, heard = { place: undefined }, waits = usualWaits } = ports
  const end = new AbortController()
  const tallies = new Map<string, Tally>()
  /** When figures came, in monotonic ms. */
  const withFigures = new Map<string, number>()
  const recordings = createToldRecordings(profileId, clock, ports.post)
  const withHold = new Set<string>()
  const targets = createToldTargets(profileId, clock, ports.post)
  const places = createChannelPlaces(
    clock,
    (cid) => tallies.has(cid) || [withFigures, recordings, withHold, targets].some((one) => one.has(cid)),
  )
  let fault: TalliesFault | null = 'down'
  let gathering = false
  let connected: AbortController | undefined
  let ran = clock.now()
  /** Since a connection that lasted. */
  let failures = 0
  /** When the first snapshot of this connection came, in monotonic ms. */
  let began: number | undefined

  const tell = (): void => {
    gathering = false
    if (end.signal.aborted) return
    const at = clock.now()
    ports.post({ type: 'tallies', profileId, at, source: 'event', fault, tallies: [...tallies.values()] })
  }
  const soon = (): void => {
    if (gathering) return
    gathering = true
    clock.after(gatherFor(tallies.size), tell)
  }
  const tellList = createPaced(clock, listRate, () => {
    if (!end.signal.aborted) ports.post({ type: 'channels', profileId })
  })
  const dropFigures = (cid: string): void => {
    if (withFigures.delete(cid)) ports.post({ type: 'figures', profileId, cid, at: clock.now(), figures: null })
  }
  const dropHold = (cid: string): void => {
    if (withHold.delete(cid)) ports.post({ type: 'hold', profileId, cid, at: clock.now(), hold: null })
  }
  const owed = owedOf(profileId, ports.post)
  /** What the service tells again when it is there again. */
  const dropAll = (): void => {
    recordings.dropAll()
    targets.dropAll()
    for (const cid of withHold) dropHold(cid)
  }
  const put = (one: AnswerOf<typeof channelDetails>): void => {
    const { cid, status, since = null, viewers, keyExpires } = one
    if (!places.enter(cid)) return
    tallies.set(cid, { cid, status, since, viewers, keyExpires, ...broadcastsOf(one) })
    if (status !== 1 && status !== 3) dropFigures(cid)
  }
  const forget = (cid: string): void => {
    if (!tallies.delete(cid)) return
    dropFigures(cid)
    // The service tells nothing more of a channel that is gone.
    recordings.drop(cid)
    targets.drop(cid)
    dropHold(cid)
    ports.gone?.(cid)
  }
  const changed = createChangedChannels({
    clock,
    read: async (client, cids) => {
      const { ret } = await client.call(local.channelDetails, { cidList: [...cids] })
      if (end.signal.aborted) return
      const found = new Map(ret.list.map((one) => [one.cid, one]))
      for (const cid of cids) {
        const one = found.get(cid)
        if (one) put(one)
        else forget(cid)
      }
      soon()
    },
    ended: end.signal,
    log: ports.log,
  })
  const readReach = async (client: Client, reached: (url: string) => void): Promise<void> =>
    reached((await client.call(local.reach, {})).ret.url)
  const take = (client: Client, event: LocalEvent): void => {
    if ('cid' in event && !places.enter(event.cid)) return
    switch (event.type) {
      case 'snapshot': {
        const isFirst = began === undefined
        began ??= clock.monotonic()
        if (isFirst) ports.began?.()
        tallies.clear()
        places.clear()
        changed.clear()
        dropAll()
        fault = null
        owed(event.owed)
        for (const one of event.channels) put(one)
        for (const cid of withFigures.keys()) if (!tallies.has(cid)) dropFigures(cid)
        if (isFirst) tell()
        else soon()
        if (isFirst && ports.reached) inBackground(readReach(client, ports.reached), ports.log, 'reading the reach')
        return tellList()
      }
      case 'tally':
        put(event)
        return soon()
      case 'ingest': {
        withFigures.set(event.cid, clock.monotonic())
        const { cid, at } = event
        return ports.post({ type: 'figures', profileId, cid, at, figures: figuresOf(event.figures) })
      }
      case 'push': {
        const { cid, at, kind, detail = null, remedy = null, from } = event
        if (kind === 'ended') dropFigures(cid)
        if (isPushKind(kind))
          ports.post({ type: 'push', profileId, cid, at, kind, detail, remedy, ...(from !== undefined && { from }) })
        return
      }
      case 'recording':
        return recordings.tell(event)
      case 'unrecorded':
        return ports.post({ type: 'unrecorded', profileId, vids: event.vids })
      case 'channel':
        ports.changed(event.cid)
        tellList()
        return changed.add(client, event.cid)
      case 'target':
        return targets.tell(event)
      case 'hold': {
        const { cid, at } = event
        withHold.add(cid)
        return ports.post({ type: 'hold', profileId, cid, at, hold: holdStateOf(event) })
      }
      case 'broadcast': {
        const told = broadcastOf(event)
        if (told) ports.post({ type: 'broadcast', profileId, ...told })
        return
      }
      case 'owed':
        return owed(event.reason)
      case 'access':
        return ports.post({ type: 'access', profileId, cid: event.cid })
      case 'limits':
        return ports.post({ type: 'limits', profileId })
      case 'reach':
        ports.reached?.(event.url)
        return ports.post({ type: 'reach', profileId })
      case 'visit':
        return ports.post({ type: 'reach', profileId })
      case 'heartbeat':
    }
  }
  const follow = async (client: Client): Promise<void> => {
    const connection = new AbortController()
    connected = connection
    began = undefined
    const signal = AbortSignal.any([end.signal, connection.signal])
    const body = await client.stream(local.events, heard.place === undefined ? {} : { after: heard.place }, signal)
    let alive = clock.after(silence, () => connection.abort())
    try {
      for await (const line of linesOf(body)) {
        alive()
        alive = clock.after(silence, () => connection.abort())
        const event = readLine(line)
        // What was read before the end is not told after it.
        if (signal.aborted) return
        if (!event) continue
        if ('place' in event) heard.place = event.place
        take(client, event)
      }
    } finally {
      alive()
      connection.abort()
    }
  }
  const markStale = (why: TalliesFault): void => {
    if (fault !== null) return
    fault = why
    // Before the figures are dropped, so that their absence is not taken for an end.
    tell()
    for (const cid of withFigures.keys()) dropFigures(cid)
    dropAll()
  }
  const markFresh = (): void => {
    const before = ran
    ran = clock.now()
    if (ran - before <= sleptAfter) return
    // What happened meanwhile may be unread in the old connection.
    markStale('slept')
    connected?.abort()
  }
  const note = (): void => {
    if (end.signal.aborted) return
    markFresh()
    for (const [cid, at] of withFigures) if (clock.monotonic() - at > figuresFor) dropFigures(cid)
    clock.after(noteEvery, note)
  }
  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      let why: TalliesFault = 'down'
      try {
        const client = ports.client()
        if (client) {
          await follow(await client)
          why = 'lost'
        }
      } catch {
        why = 'lost'
      }
      if (end.signal.aborted) return
      markStale(why)
      ports.lost?.()
      if (began !== undefined && clock.monotonic() - began >= waits.longest) failures = 0
      await pause(clock, doubledWait(waits, failures++), end.signal)
    }
  }
  inBackground(run(), ports.log, 'following the events of a service')
  clock.after(noteEvery, note)
  return {
    /** Marks tallies from before a system sleep as stale. */
    markFresh,
    /** Ends it, and what is known of the service is stale. */
    leave: () => {
      markStale('lost')
      end.abort()
    },
    end: () => end.abort(),
  }
}
