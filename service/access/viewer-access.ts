import type { LocalEvent } from '../../contract/local-events.ts'
import { maxNamedLinks } from '../../contract/operations/access.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Channels } from '../channels/channels.ts'
import type { Hub } from '../hub/hub.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../log.ts'
import type { OnAir } from '../onair/on-air.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import type { Presence } from '../presence/presence.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import { serviceKey } from '../storage/service-key.ts'
import type { Store } from '../storage/store.ts'
import { accessFactsOf } from './access-facts.ts'
import { accessOperations } from './access-operations.ts'
import { createAccessStore } from './access-store.ts'
import { createAccess } from './access.ts'
import { createDoors } from './doors.ts'
import { createEntryCookies } from './entry-cookies.ts'
import { createGrants } from './grants.ts'
import { createLinkTokens } from './link-tokens.ts'
import { createPageStanding } from './page-standing.ts'
import { createPassphrases } from './passphrases.ts'
import { createPlayers } from './players.ts'
import type { DoorRequest } from './visitor.ts'
import { createViewersElsewhere } from './viewers-elsewhere.ts'
import { endSurplus } from './viewers-surplus.ts'
import { createWatchEntry, type GuestsHere } from './watch-entry.ts'
import { createWatchLimits } from './watch-limits.ts'

/** Changes of a channel's access are told at most this often, in ms. */
const tellEvery = 1_000
/** How often it is looked whether the time of a broadcast on air has come, in ms. */
const lookEvery = 500

/** Wires who may watch: what the doors, the watch page and the operations ask. */
export async function createViewerAccess(options: {
  readonly store: Pick<Store, 'db' | 'newNumber'>
  readonly journal: Journal
  readonly channels: Pick<Channels, 'get' | 'of' | 'on' | 'nextCalled'>
  readonly uids: readonly number[]
  readonly isOwn: (cid: string, headers: DoorRequest['headers']) => boolean
  /** Whether a visit that proves the reach runs in the browser of a request. */
  readonly isVisitor: (cid: string, headers: DoorRequest['headers']) => boolean
  /** Whether people beyond the home network have an address of the media side. */
  readonly isPublic: () => boolean
  readonly targetsKbps: (uid: number) => number
  readonly hub: Pick<Hub, 'figures' | 'lastKbps' | 'stream'>
  readonly addresses: () => { readonly media: string; readonly rtmp: string }
  /** Tells those who hear the events at this service. */
  readonly tellHere: (uid: number, event: Extract<LocalEvent, { readonly type: 'access' | 'limits' }>) => void
  readonly held: HeldWrites
  /** Undefined for a service that is alone. */
  readonly presence?: Presence | undefined
  readonly bus: Pick<Bus, 'up'>
  readonly commands: NodeCommands
  readonly onAir: Pick<OnAir, 'elsewhere'>
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly timeZone: string
  readonly log: Pick<Log, 'warn'>
  readonly redis?: Pick<RedisScripts, 'run'> | undefined
}) {
  const {
    store,
    journal,
    channels,
    uids,
    isOwn,
    isVisitor,
    isPublic,
    targetsKbps,
    hub,
    addresses,
    tellHere,
    held,
    presence,
    clock,
    random,
    timeZone,
    log,
  } = options
  const key = await serviceKey(store.db, 'who may watch', random)
  const uidOf = (cid: string): number | undefined => channels.get(cid)?.row.uid
  const failed = (error: unknown): void => log.warn({ err: error }, 'what viewers used could not be stored')
  const players = createPlayers(clock, (cid) => options.onAir.elsewhere(cid) !== undefined)
  const elsewhere = presence && createViewersElsewhere({ presence, uids, clock })
  const counted = elsewhere
    ? {
        ...players,
        of: (cid: string) => players.of(cid) + elsewhere.ofChannel(cid).all,
        ofLink: (cid: string, linkId: number) =>
          players.ofLink(cid, linkId) + (elsewhere.ofChannel(cid).links[linkId] ?? 0),
      }
    : players
  const tokens = createLinkTokens(key)
  const cookies = createEntryCookies({ key, clock })
  const passphrases = createPassphrases({ key, random })

  /** Channels whose change is told at the end of the pause, and those that are told at once. */
  const pausing = new Map<string, { cancel: () => void; again: boolean }>()
  const announce = (cid: string): void => {
    const uid = uidOf(cid)
    if (uid !== undefined)
      tellHere(uid, { type: 'access', at: clock.now(), cid, ...accessFactsOf(access, counted, cid) })
  }
  const pause = (cid: string): void => {
    const cancel = clock.after(tellEvery, () => {
      const { again } = pausing.get(cid) ?? { again: false }
      pausing.delete(cid)
      if (!again) return
      announce(cid)
      pause(cid)
    })
    pausing.set(cid, { cancel, again: false })
  }
  const callNext = (cid: string): void => channels.nextCalled(cid, access.row(cid).nextTitle ?? undefined)
  const changed = (cid: string): void => {
    callNext(cid)
    entry.review(cid)
    const running = pausing.get(cid)
    if (running) running.again = true
    else {
      announce(cid)
      pause(cid)
    }
  }
  const access = await createAccess({
    store: createAccessStore(store),
    journal,
    tokens,
    cookies,
    passphrases,
    players: counted,
    held,
    clock,
    maxLinks: maxNamedLinks,
    changed,
    failed,
  })
  for (const { row } of uids.flatMap(channels.of)) callNext(row.cid)
  // Also while the picture is held: viewers take all of it again as soon as the encoder is back.
  const pushKbps = (cid: string): number => hub.lastKbps(cid) ?? hub.figures(cid)?.kbps ?? 0
  const limits = await createWatchLimits({
    db: store.db,
    journal,
    uids,
    uidOf,
    players,
    targetsKbps,
    pushKbps,
    elsewhere,
    clock,
    timeZone,
    failed,
    changed: (uid) => tellHere(uid, { type: 'limits', at: clock.now(), ...limits.facts(uid) }),
  })
  const stopSurplus =
    presence &&
    elsewhere &&
    endSurplus({
      presence,
      node: options.commands.self,
      uids,
      uidOf,
      players,
      elsewhere,
      maxViewers: (uid) => limits.of(uid).maxViewers,
      clock,
    })
  const cached = (cid: string): number => hub.stream(cid)?.cached ?? 0
  const grants = createGrants({ key, clock })
  const granted = (cid: string, key: string, grant: string) => {
    const read = grants.read(cid, grant)
    return read && (!read.isLate || players.isPollingBy(cid, key, read.ground)) ? read.ground : undefined
  }
  const { redis } = options
  const asked = { uidOf, isOwn, isVisitor, isPublic, granted }
  const doors = createDoors({ access, limits, players, ...asked, cached, clock, redis })
  let guestsHere: Omit<GuestsHere, 'onLinked'> = { all: () => [], has: () => false, end: () => undefined }
  const { bus, commands } = options
  const asking = presence && {
    bus,
    clock,
    commands,
    owner: (cid: string) => options.onAir.elsewhere(cid)?.node,
  }
  const entry = createWatchEntry({
    access,
    doors,
    standing: createPageStanding({ access, doors, elsewhere: asking }),
    cookies,
    clock,
    random,
    mediaRoot: () => addresses().media,
    here: () => guestsHere,
  })
  const onAir = new Set<string>()
  /** Times that came while their channel was on air: each is tried once, and again as the channel goes off air. */
  const due = new Map<string, number>()
  const leave = channels.on(({ row: { cid }, since }, change) => {
    if (change === 'deleted') {
      onAir.delete(cid)
      due.delete(cid)
      return void access.forget(cid).catch(failed)
    }
    const was = onAir.has(cid)
    if (since === undefined) onAir.delete(cid)
    else onAir.add(cid)
    // A broadcast that was on air after its time is not announced any more, however long a restart takes.
    if (was || since !== undefined) access.begun(cid).catch(failed)
  })
  // Its time may come in the middle of a push that has no end, as when this process is killed.
  const looking = setInterval(() => {
    for (const cid of onAir) {
      const { next } = access.row(cid)
      if (next === null || next > clock.now() || due.get(cid) === next) continue
      due.set(cid, next)
      access.begun(cid).catch(failed)
    }
  }, lookEvery)
  looking.unref()
  return {
    doors,
    entry,
    /** For somebody who is let in here, and goes to another node. */
    grants,
    /** Upload at most of an application, in kbit/s; 0 without a limit. */
    budget: (uid: number): number => limits.of(uid).maxKbps,
    /** Pages of viewers that wait for their turn. */
    waiting: (uid: number): number => limits.facts(uid).waiting,
    /** Whether a channel is turned off for everybody. */
    isClosed: (cid: string): boolean => access.row(cid).closed === 1,
    /** Query of pull addresses that the API answers. */
    pullQuery: access.ownQuery,
    titleTaken: access.titleTaken,
    operations: accessOperations({
      access,
      limits,
      players: counted,
      passphrases,
      channels,
      addresses,
      now: clock.now,
    }),
    /** From now on guests who are connected are known, and ended when they may not watch any more. */
    guestsAre(here: GuestsHere) {
      guestsHere = here
      here.onLinked((cid) => entry.review(cid))
    },
    async close(): Promise<void> {
      leave()
      clearInterval(looking)
      for (const { cancel } of pausing.values()) cancel()
      stopSurplus?.()
      await access.close()
      await limits.close()
    },
  }
}
