import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { Tables } from '../storage/schema.ts'
import { householdOf } from '../../platform/address-group.ts'
import { isWithinByteShare, isWithinShare } from './place-share.ts'
import type { Ground, Players } from './players.ts'
import type { ViewersElsewhere, ViewersTaken } from './viewers-elsewhere.ts'
import { addSent } from './sent-month.ts'
import { createWaitingLine, type WaitingLine } from './waiting-line.ts'

/** Limits of what viewers of an application may take, over all its channels; 0 without a limit. */
export interface WatchLimitValues {
  readonly maxViewers: number
  readonly maxKbps: number
  readonly maxGigabytes: number
}

/** Who asks for a place. */
export interface PlaceSeeker {
  /** The page, or its turn; other players have none. */
  readonly page: string | undefined
  /** What tells its browser from others, by which the place of an HLS player is kept. */
  readonly key?: string | undefined
  /** Group of the address. */
  readonly from: string
  readonly ground: Ground
}

interface LimitChange {
  readonly uid: number
  readonly values: WatchLimitValues
}

/** Bounds what viewers take, and lets pages wait for their turn. */
export type WatchLimits = Awaited<ReturnType<typeof createWatchLimits>>

/** How often the upload is measured and what was sent is stored, in ms. */
const [measureEvery, storeEvery] = [1_000, 5_000]
/** Over how many measurements the upload is averaged. */
const measured = 10
/** Bytes of a gigabyte, and of a second of a kbit/s. */
const [gigabyte, bytesOfKbps] = [1e9, 125]

/** Loads limits and what was sent; `uid` is the application whose channels viewers watch. */
export async function createWatchLimits(options: {
  readonly db: Kysely<Tables>
  readonly journal: Journal
  readonly uids: readonly number[]
  readonly uidOf: (cid: string) => number | undefined
  readonly players: Players
  /** Upload to targets in kbit/s. */
  readonly targetsKbps: (uid: number) => number
  /** Last measured bitrate of a push in kbit/s, also while nothing arrives; 0 before it is known. */
  readonly pushKbps: (cid: string) => number
  /** What is taken at other services; undefined for one that is alone. */
  readonly elsewhere?: ViewersElsewhere | undefined
  readonly clock: Clock
  readonly timeZone: string
  readonly failed: (error: unknown) => void
  /** Called when limits or the number of pages that wait have changed, at most once a second. */
  readonly changed: (uid: number) => void
}) {
  const { db, journal, uids, uidOf, players, pushKbps, elsewhere, clock, timeZone, failed, changed } = options
  const main = uids[0]!
  const monthFormat = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' })
  const monthNow = (): string => {
    const parts = monthFormat.formatToParts(clock.now())
    const part = (type: 'year' | 'month'): string => parts.find((each) => each.type === type)?.value ?? ''
    return `${part('year')}-${part('month')}`
  }
  const none: WatchLimitValues = { maxViewers: 0, maxKbps: 0, maxGigabytes: 0 }
  const values = new Map<number, WatchLimitValues>()
  for (const { uid, ...row } of await db.selectFrom('watchLimit').selectAll().execute()) values.set(uid, row)
  let month = monthNow()
  /** What is stored of a month; the present one may have been so before, by a clock that went wrong meanwhile. */
  const sentIn = async (of: string): Promise<number> => {
    const row = db.selectFrom('sentMonth').select('bytes').where('uid', '=', main).where('month', '=', of)
    return (await row.executeTakeFirst())?.bytes ?? 0
  }
  /** What was sent in this month before `from` of the players' count. */
  let [before, from] = [await sentIn(month), players.bytes()]
  const monthBytes = (): number => before + players.bytes() - from
  let storedBytes = monthBytes()

  const store = async (): Promise<void> => {
    const bytes = monthBytes()
    const more = bytes - storedBytes
    if (more === 0 && !elsewhere) return
    const sum = more === 0 ? await sentIn(month) : await addSent(db, { uid: main, month, bytes: more })
    // With what other services have added.
    before += sum - bytes
    storedBytes = sum
  }
  const turnMonth = async (): Promise<void> => {
    const now = monthNow()
    if (now === month) return
    await store()
    const sent = await sentIn(now)
    month = now
    before = sent
    from = players.bytes()
    players.monthBegan()
    storedBytes = sent
  }

  /** Bytes sent up to each of the last measurements. */
  const samples: number[] = [players.bytes()]
  const kbpsHere = (): number =>
    Math.round((samples.at(-1)! - samples[0]!) / bytesOfKbps / Math.max(1, samples.length - 1))
  const storing = setInterval(() => {
    turnMonth().then(store).catch(failed)
  }, storeEvery)
  storing.unref()

  /** One of each application: the crowd of one does not fill the line of another. */
  const lines = new Map<number, WaitingLine>()
  const lineOf = (uid: number): WaitingLine => {
    let line = lines.get(uid)
    if (!line) lines.set(uid, (line = createWaitingLine(clock)))
    return line
  }
  const changes = journal.kind<LimitChange>('watchLimit', {
    async store(transaction, { uid, values: row }) {
      await transaction
        .insertInto('watchLimit')
        .values({ uid, ...row })
        .onConflict((conflict) => conflict.column('uid').doUpdateSet(row))
        .execute()
    },
    apply({ uid, values: next }) {
      if (isDeepStrictEqual(next, values.get(uid))) return
      values.set(uid, next)
      lineOf(uid).forgetKept()
    },
  })
  const waiting = (uid: number): number => (lines.get(uid)?.size ?? 0) + (elsewhere?.of(uid).waiting ?? 0)
  const factsOf = (uid: number) => ({ ...(values.get(uid) ?? none), waiting: waiting(uid) })
  const told = new Map(uids.map((uid) => [uid, factsOf(uid)]))
  const measuring = setInterval(() => {
    samples.push(players.bytes())
    if (samples.length > measured + 1) samples.shift()
    for (const [uid, before] of told) {
      const now = factsOf(uid)
      if (isDeepStrictEqual(now, before)) continue
      told.set(uid, now)
      changed(uid)
    }
  }, measureEvery)
  measuring.unref()
  const isMine = (uid: number) => (cid: string) => uidOf(cid) === uid
  const here = (uid: number): Required<ViewersTaken> => ({
    viewers: players.all(isMine(uid)),
    kbps: kbpsHere(),
    targetsKbps: options.targetsKbps(uid),
    waiting: lines.get(uid)?.size ?? 0,
  })
  const stopTelling = elsewhere?.tell(here, players.channels)
  const viewers = (uid: number): number => players.all(isMine(uid)) + (elsewhere?.of(uid).viewers ?? 0)
  const kbpsToViewers = (uid: number): number => kbpsHere() + (elsewhere?.of(uid).kbps ?? 0)
  const targetsKbps = (uid: number): number => options.targetsKbps(uid) + (elsewhere?.of(uid).targetsKbps ?? 0)
  /** New players of a channel for whom there is room. */
  const room = (uid: number, cid: string): number => {
    const { maxViewers, maxKbps, maxGigabytes } = values.get(uid) ?? none
    if (maxGigabytes > 0 && monthBytes() >= maxGigabytes * gigabyte) return 0
    const now = viewers(uid)
    const measured = kbpsToViewers(uid)
    const each = pushKbps(cid) || (now > 0 ? measured / now : 0)
    // Who has just come counts with what they will take: it is measured only seconds later.
    const left = maxKbps > 0 ? maxKbps - Math.max(measured, now * each) - targetsKbps(uid) : Infinity
    if (left < each) return 0
    const { kept } = lineOf(uid)
    const places = maxViewers === 0 ? Infinity : Math.max(0, maxViewers - now - kept)
    return each > 0 ? Math.min(places, Math.max(0, Math.floor(left / each) - kept)) : places
  }
  /** Whether the household of somebody has taken less of the month than is left of it. */
  const hasBytes = (uid: number, { from, ground }: Pick<PlaceSeeker, 'from' | 'ground'>): boolean => {
    const { maxGigabytes } = values.get(uid) ?? none
    if (maxGigabytes === 0) return true
    // In this order: the count of all notes what each has taken.
    const free = maxGigabytes * gigabyte - monthBytes()
    return isWithinByteShare(from, players.bytesOf(from), free, ground)
  }
  /** Whether the household of somebody may have another one of the places that are left. */
  const isWithinItsShare = (uid: number, seeker: PlaceSeeker, left: number): boolean => {
    if (!hasBytes(uid, seeker)) return false
    const { from, ground } = seeker
    const [playing, kept] = [players.ofHousehold(isMine(uid), from), lineOf(uid).keptOf(from)]
    return isWithinShare(from, { home: playing.home + kept.home, site: playing.site + kept.site }, left, ground)
  }
  /**
   * By which of its names a place is kept for somebody. Another household gets none beyond its share, or one stranger
   * at two addresses could gather them.
   */
  const keptNames = (uid: number, seeker: PlaceSeeker, left: number): string[] => {
    const line = lineOf(uid)
    return [seeker.page, seeker.key].filter((name) => {
      const from = name === undefined ? undefined : line.keptFrom(name)
      if (from === undefined) return false
      return householdOf(from) === householdOf(seeker.from) || isWithinItsShare(uid, seeker, left)
    }) as string[]
  }

  return {
    of: (uid: number): WatchLimitValues => values.get(uid) ?? none,
    /** Limits, and how many pages wait. */
    facts: factsOf,
    isLimited: (uid: number): boolean => Object.values(values.get(uid) ?? none).some((value) => value > 0),
    update: (uid: number, given: { readonly [K in keyof WatchLimitValues]?: number | undefined }): Promise<void> =>
      changes.inTurn(uid, async () => {
        const now = values.get(uid) ?? none
        const next = {
          maxViewers: given.maxViewers ?? now.maxViewers,
          maxKbps: given.maxKbps ?? now.maxKbps,
          maxGigabytes: given.maxGigabytes ?? now.maxGigabytes,
        }
        if (!isDeepStrictEqual(next, now)) await changes.commit({ uid, values: next })
      }),
    figures(uid: number) {
      const toTargets = targetsKbps(uid)
      return {
        viewers: viewers(uid),
        kbps: kbpsToViewers(uid) + toTargets,
        targetsKbps: toTargets,
        monthBytes: monthBytes(),
        waiting: waiting(uid),
      }
    },
    /** Whether a new player has room; `page` is the one that waited for it. Nobody passes those who wait. */
    admits(uid: number, cid: string, seeker: PlaceSeeker): boolean {
      const { page, from } = seeker
      const left = room(uid, cid)
      const line = lineOf(uid)
      const keptBy = keptNames(uid, seeker, left)
      if (keptBy.length > 0) {
        for (const name of keptBy) line.dropKept(name)
        if (page !== undefined) line.forget(page)
        return true
      }
      const hasShare = isWithinItsShare(uid, seeker, left)
      if (left === Infinity && hasShare) {
        if (page !== undefined) line.forget(page)
        return true
      }
      line.setAside(from, !hasShare)
      if (!hasShare || line.placeOf(page, from) >= left) {
        // It was told that there is room, and others were faster: it waits from now on, not from when it asks next.
        if (page !== undefined && line.wait(page, from)) line.setAside(from, !hasShare)
        return false
      }
      if (page !== undefined) line.entered(page)
      return true
    },
    hasBytes,
    /** The player of a page has left; its place is kept for some seconds. */
    left(uid: number, page: string, from: string) {
      const { maxViewers, maxKbps } = values.get(uid) ?? none
      // Over several services: who is ended as one too many does not come back by its place.
      const isSurplus = elsewhere !== undefined && maxViewers > 0 && viewers(uid) >= maxViewers
      if (!isSurplus && (maxViewers > 0 || maxKbps > 0)) lineOf(uid).keep(page, from)
    },
    /** Whether a place is kept for somebody. */
    isKept: (uid: number, cid: string, seeker: PlaceSeeker): boolean =>
      keptNames(uid, seeker, room(uid, cid)).length > 0,
    /** A page was closed or is loaded again: it waits for some seconds, unless it asks again. */
    leaves(uid: number, page: string) {
      lineOf(uid).leaves(page)
    },
    /** Whether there are places, and the household of somebody has its share of them. */
    isShareFull(uid: number, cid: string, seeker: PlaceSeeker): boolean {
      const left = room(uid, cid)
      return left > 0 && hasBytes(uid, seeker) && !isWithinItsShare(uid, seeker, left)
    },
    /** A page asks whether it may watch: undefined when there is room, else how many wait before it. */
    ahead(uid: number, cid: string, seeker: PlaceSeeker & { readonly page: string }): number | undefined {
      const { page, from } = seeker
      const left = room(uid, cid)
      const line = lineOf(uid)
      if (keptNames(uid, seeker, left).length > 0) return undefined
      const hasShare = isWithinItsShare(uid, seeker, left)
      if (left === Infinity && hasShare) {
        line.forget(page)
        return undefined
      }
      if (hasShare && !line.isWaiting(page) && line.placeOf(page, from) < left) return undefined
      if (!line.wait(page, from)) return line.size
      line.setAside(from, !hasShare)
      const at = line.placeOf(page, from)
      return hasShare && at < left ? undefined : at
    },
    async close(): Promise<void> {
      stopTelling?.()
      clearInterval(measuring)
      clearInterval(storing)
      await turnMonth()
      await store()
    },
  }
}
