import { inBackground } from '../background.ts'
import { readLocalEvent, type LocalEvent } from '../../contract/local-events.ts'
import { local } from '../../contract/operations/index.ts'
import type { AppEvent, RecordingState, Tally } from '../../contract/rpc/index.ts'
import type { Client } from '../client/client.ts'
import { linesOf } from '../client/lines.ts'
import { type Clock, pause } from '../../platform/clock.ts'
import { localProfileId as profileId } from '../profiles/profiles.ts'
import { ownOwed } from './own-owed.ts'
import { figuresOf } from './ingest-figures.ts'
import { holdStateOf, targetStateOf } from '../targets/target-events.ts'

/** Events come at least every 5 s; after this silence, in ms, it reconnects. */
const silence = 12_000
const reconnectAfter = 250
/** Interval of the check for a system sleep, and the gap that counts as one, in ms. */
const noteEvery = 1_000
const sleptAfter = 5_000
/** Tallies changed within this time, in ms, are posted together. */
const gather = 20

const kinds = new Set([
  'started',
  'firstKeyFrame',
  'codecs',
  'ended',
  'refused',
  'replaced',
  'stalled',
  'retimed',
  'leftOut',
] as const)
type PushKind = (AppEvent & { type: 'push' })['kind']
const isKind = (kind: string): kind is PushKind => (kinds as ReadonlySet<string>).has(kind)

const states = new Set(['off', 'asked', 'recording', 'stopped'] as const)
const reasons = new Set(['space', 'readonly', 'folder', 'slow', 'error'] as const)
const among = <T extends string>(known: ReadonlySet<T>, value: string): T | undefined =>
  (known as ReadonlySet<string>).has(value) ? (value as T) : undefined

/** The service's recording state; undefined for an unknown one. */
export function recordingOf(from: {
  readonly state: string
  readonly reason?: string
  readonly since?: number
  readonly recorded?: number
  readonly bytes?: number
  readonly cut?: number
}): RecordingState | undefined {
  const state = among(states, from.state)
  if (!state) return undefined
  return {
    state,
    reason: state === 'stopped' ? (among(reasons, from.reason ?? '') ?? 'error') : null,
    since: from.since ?? null,
    ...(from.recorded !== undefined && { recorded: from.recorded }),
    bytes: from.bytes ?? 0,
    cut: from.cut ?? null,
  }
}

type TalliesFault = NonNullable<(AppEvent & { type: 'tallies' })['fault']>

/** Follows the embedded service's event stream; reconnects until ended. */
export function followLocal(ports: {
  readonly clock: Clock
  readonly client: () => Promise<Client> | undefined
  readonly post: (event: AppEvent) => void
  /** Called for each channel created, changed or deleted. */
  readonly changed: (cid: string) => void
  /** Called for each channel that is gone. */
  readonly gone?: (cid: string) => void
  /** Root of the media side as others reach it. */
  readonly reached?: (url: string) => void
  readonly log: (line: string) => void
}) {
  const { clock } = ports
  const end = new AbortController()
  const tallies = new Map<string, Tally>()
  const withFigures = new Set<string>()
  const withRecording = new Set<string>()
  const withHold = new Set<string>()
  /** Targets that were told of, by channel. */
  const withTargets = new Map<string, Set<number>>()
  let fault: TalliesFault | null = 'down'
  let gathering = false
  let connected: AbortController | undefined
  let ran = clock.now()

  const tell = (): void => {
    gathering = false
    if (end.signal.aborted) return
    const at = clock.now()
    ports.post({ type: 'tallies', profileId, at, source: 'event', fault, tallies: [...tallies.values()] })
  }
  const soon = (): void => {
    if (gathering) return
    gathering = true
    clock.after(gather, tell)
  }
  const dropFigures = (cid: string): void => {
    if (withFigures.delete(cid)) ports.post({ type: 'figures', profileId, cid, at: clock.now(), figures: null })
  }
  const dropRecording = (cid: string): void => {
    if (!withRecording.delete(cid)) return
    const recording = { state: 'off', reason: null, since: null, bytes: 0, cut: null } as const
    ports.post({ type: 'recording', profileId, cid, at: clock.now(), recording })
  }
  const dropRecordings = (): void => {
    for (const cid of withRecording) dropRecording(cid)
  }
  const dropTargets = (cid: string): void => {
    for (const targetId of withTargets.get(cid) ?? [])
      ports.post({ type: 'target', profileId, cid, at: clock.now(), targetId, target: null })
    withTargets.delete(cid)
  }
  const dropHold = (cid: string): void => {
    if (withHold.delete(cid)) ports.post({ type: 'hold', profileId, cid, at: clock.now(), hold: null })
  }
  const owed = ownOwed(ports.post)
  /** What the service tells again when it is there again. */
  const dropAll = (): void => {
    dropRecordings()
    for (const cid of withTargets.keys()) dropTargets(cid)
    for (const cid of withHold) dropHold(cid)
  }
  const targeted = (event: LocalEvent & { type: 'target' }): void => {
    const { cid, at, targetId } = event
    const target = targetStateOf(event)
    if (!target) return
    const ids = withTargets.get(cid) ?? new Set()
    withTargets.set(cid, ids.add(targetId))
    ports.post({ type: 'target', profileId, cid, at, targetId, target })
  }
  const recorded = (event: LocalEvent & { type: 'recording' }): void => {
    const { cid, at, vid, name = '', bytes = 0, merged = false } = event
    if (event.state === 'fileReady') {
      if (vid !== undefined) ports.post({ type: 'recorded', profileId, cid, at, vid, name, bytes, merged })
      return
    }
    const recording = recordingOf(event)
    if (!recording) return
    if (recording.state === 'off') withRecording.delete(cid)
    else withRecording.add(cid)
    ports.post({ type: 'recording', profileId, cid, at, recording })
  }
  const put = (one: { cid: string; status: number; since?: number; viewers: number; keyExpires: number }): void => {
    const { cid, status, since = null, viewers, keyExpires } = one
    tallies.set(cid, { cid, status, since, viewers, keyExpires })
    if (status !== 1 && status !== 3) dropFigures(cid)
  }
  const refresh = async (client: Client, cid: string): Promise<void> => {
    const { ret } = await client.call(local.channelDetails, { cidList: [cid] })
    const found = ret.list.find((one) => one.cid === cid)
    if (found) put(found)
    else if (tallies.delete(cid)) {
      dropFigures(cid)
      // The service tells nothing more of a channel that is gone.
      dropRecording(cid)
      dropTargets(cid)
      dropHold(cid)
      ports.gone?.(cid)
    }
    soon()
  }
  const readReach = async (client: Client, reached: (url: string) => void): Promise<void> =>
    reached((await client.call(local.reach, {})).ret.url)
  const take = (client: Client, event: LocalEvent): void => {
    switch (event.type) {
      case 'snapshot':
        tallies.clear()
        dropAll()
        fault = null
        owed(event.owed)
        for (const one of event.channels) put(one)
        for (const cid of withFigures) if (!tallies.has(cid)) dropFigures(cid)
        tell()
        if (ports.reached) inBackground(readReach(client, ports.reached), ports.log, 'reading the reach')
        return ports.post({ type: 'channels', profileId })
      case 'tally':
        put(event)
        return soon()
      case 'ingest': {
        withFigures.add(event.cid)
        const { cid, at } = event
        return ports.post({ type: 'figures', profileId, cid, at, figures: figuresOf(event.figures) })
      }
      case 'push': {
        const { cid, at, kind, detail = null, remedy = null, from } = event
        if (kind === 'ended') dropFigures(cid)
        if (isKind(kind))
          ports.post({ type: 'push', profileId, cid, at, kind, detail, remedy, ...(from !== undefined && { from }) })
        return
      }
      case 'recording':
        return recorded(event)
      case 'unrecorded':
        return ports.post({ type: 'unrecorded', profileId, vids: event.vids })
      case 'channel':
        ports.changed(event.cid)
        ports.post({ type: 'channels', profileId })
        inBackground(refresh(client, event.cid), ports.log, 'reading a changed channel')
        return
      case 'target':
        return targeted(event)
      case 'hold': {
        const { cid, at } = event
        withHold.add(cid)
        return ports.post({ type: 'hold', profileId, cid, at, hold: holdStateOf(event) })
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
    const signal = AbortSignal.any([end.signal, connection.signal])
    const body = await client.stream(local.events, signal)
    let alive = clock.after(silence, () => connection.abort())
    try {
      for await (const line of linesOf(body)) {
        alive()
        alive = clock.after(silence, () => connection.abort())
        const event = readLocalEvent(JSON.parse(line) as unknown)
        if (event) take(client, event)
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
    for (const cid of withFigures) dropFigures(cid)
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
      await pause(clock, reconnectAfter, end.signal)
    }
  }
  inBackground(run(), ports.log, 'following the embedded service')
  clock.after(noteEvery, note)
  return {
    /** Marks tallies from before a system sleep as stale. */
    markFresh,
    end: () => end.abort(),
  }
}
