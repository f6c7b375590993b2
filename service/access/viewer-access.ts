import type { Kysely } from 'kysely'
import type { LocalEvent } from '../../contract/local-events.ts'
import { maxNamedLinks } from '../../contract/operations/access.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Channels } from '../channels/channels.ts'
import type { Hub } from '../hub/hub.ts'
import type { Log } from '../log.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import { serviceKey } from '../storage/service-key.ts'
import type { Tables } from '../storage/schema.ts'
import { accessFactsOf } from './access-facts.ts'
import { accessOperations } from './access-operations.ts'
import { createAccessStore } from './access-store.ts'
import { createAccess } from './access.ts'
import { createDoors } from './doors.ts'
import { createEntryCookies } from './entry-cookies.ts'
import { createLinkTokens } from './link-tokens.ts'
import { createPassphrases } from './passphrases.ts'
import { createPlayers } from './players.ts'
import type { DoorRequest } from './visitor.ts'
import { createWatchEntry } from './watch-entry.ts'
import { createWatchLimits } from './watch-limits.ts'

/** Changes of a channel's access are told at most this often, in ms. */
const tellEvery = 1_000
/** How often it is looked whether the time of a broadcast on air has come, in ms. */
const lookEvery = 500

/** Wires who may watch: what the doors, the watch page and the operations ask. */
export async function createViewerAccess(options: {
  readonly db: Kysely<Tables>
  readonly channels: Pick<Channels, 'get' | 'on'>
  readonly uids: readonly number[]
  readonly isOwn: (cid: string, headers: DoorRequest['headers']) => boolean
  /** Whether a visit that proves the reach runs in the browser of a request. */
  readonly isVisitor: (cid: string, headers: DoorRequest['headers']) => boolean
  /** Whether people beyond the home network have an address of the media side. */
  readonly isPublic: () => boolean
  readonly targetsKbps: (uid: number) => number
  readonly hub: Pick<Hub, 'figures' | 'lastKbps' | 'stream'>
  readonly addresses: () => { readonly media: string; readonly rtmp: string }
  readonly tell: (uid: number, event: Extract<LocalEvent, { readonly type: 'access' | 'limits' }>) => void
  readonly held: HeldWrites
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly timeZone: string
  readonly log: Pick<Log, 'warn'>
}) {
  const {
    db,
    channels,
    uids,
    isOwn,
    isVisitor,
    isPublic,
    targetsKbps,
    hub,
    addresses,
    tell,
    held,
    clock,
    random,
    timeZone,
    log,
  } = options
  const key = await serviceKey(db, 'who may watch', random)
  const uidOf = (cid: string): number | undefined => channels.get(cid)?.row.uid
  const failed = (error: unknown): void => log.warn({ err: error }, 'what viewers used could not be stored')
  const players = createPlayers(clock)
  const tokens = createLinkTokens(key)
  const cookies = createEntryCookies({ key, clock })
  const passphrases = createPassphrases({ key, random })

  /** Channels whose change is told at the end of the pause, and those that are told at once. */
  const pausing = new Map<string, { cancel: () => void; again: boolean }>()
  const announce = (cid: string): void => {
    const uid = uidOf(cid)
    if (uid !== undefined) tell(uid, { type: 'access', at: clock.now(), cid, ...accessFactsOf(access, players, cid) })
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
  const changed = (cid: string): void => {
    entry.review(cid)
    const running = pausing.get(cid)
    if (running) running.again = true
    else {
      announce(cid)
      pause(cid)
    }
  }
  const access = await createAccess({
    store: createAccessStore(db),
    tokens,
    cookies,
    passphrases,
    players,
    held,
    clock,
    maxLinks: maxNamedLinks,
    changed,
    failed,
  })
  // Also while the picture is held: viewers take all of it again as soon as the encoder is back.
  const pushKbps = (cid: string): number => hub.lastKbps(cid) ?? hub.figures(cid)?.kbps ?? 0
  const limits = await createWatchLimits({
    db,
    uids,
    uidOf,
    players,
    targetsKbps,
    pushKbps,
    clock,
    timeZone,
    failed,
    changed: (uid) => tell(uid, { type: 'limits', at: clock.now(), ...limits.facts(uid) }),
  })
  const cached = (cid: string): number => hub.stream(cid)?.cached ?? 0
  const doors = createDoors({ access, limits, players, uidOf, isOwn, isVisitor, isPublic, cached, clock })
  let endGuest: (uid: number, accid: string) => void = () => undefined
  const entry = createWatchEntry({
    access,
    doors,
    cookies,
    clock,
    random,
    mediaRoot: () => addresses().media,
    endGuest: (uid, accid) => endGuest(uid, accid),
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
    /** Upload at most of an application, in kbit/s; 0 without a limit. */
    budget: (uid: number): number => limits.of(uid).maxKbps,
    /** Pages of viewers that wait for their turn. */
    waiting: (uid: number): number => limits.facts(uid).waiting,
    /** Whether a channel is turned off for everybody. */
    isClosed: (cid: string): boolean => access.row(cid).closed === 1,
    /** Query of pull addresses that the API answers. */
    pullQuery: access.ownQuery,
    operations: accessOperations({ access, limits, players, passphrases, channels, addresses, now: clock.now }),
    /** Has sessions of guests ended who may not watch any more. */
    onGuestEnded(end: (uid: number, accid: string) => void) {
      endGuest = end
    },
    async close(): Promise<void> {
      leave()
      clearInterval(looking)
      for (const { cancel } of pausing.values()) cancel()
      await access.close()
      await limits.close()
    },
  }
}
