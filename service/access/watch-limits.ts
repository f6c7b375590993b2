import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../storage/schema.ts'
import type { Players } from './players.ts'

/** Limits of what viewers of an application may take, over all its channels; 0 without a limit. */
export interface WatchLimitValues {
  readonly maxViewers: number
  readonly maxKbps: number
  readonly maxGigabytes: number
}

/** Bounds what viewers take, and lets pages wait for their turn. */
export type WatchLimits = Awaited<ReturnType<typeof createWatchLimits>>

/** How often the upload is measured and what was sent is stored, in ms. */
const measureEvery = 1_000
const storeEvery = 5_000
/** Over how many measurements the upload is averaged. */
const measured = 10
/** A page that has not asked for this long does not wait any more; ms. */
const waitingFor = 15_000
/** Pages that wait at most. */
const maxWaiting = 10_000
/** Of them, pages of one address, so that nobody fills the queue alone. */
const maxWaitingOfAddress = 64
/** How long the place of a page whose player left is kept, in ms, and of how many pages. */
const keptFor = 8_000
const maxKept = 1_000
/** Bytes of a gigabyte, and of a second of a kbit/s. */
const gigabyte = 1e9
const bytesOfKbps = 125

/** Loads limits and what was sent; `uid` is the application whose channels viewers watch. */
export async function createWatchLimits(options: {
  readonly db: Kysely<Tables>
  readonly uids: readonly number[]
  readonly uidOf: (cid: string) => number | undefined
  readonly players: Players
  /** Upload to targets in kbit/s. */
  readonly targetsKbps: (uid: number) => number
  /** Bitrate of a push in kbit/s; 0 before it is known. */
  readonly pushKbps: (cid: string) => number
  readonly clock: Clock
  readonly timeZone: string
  readonly failed: (error: unknown) => void
}) {
  const { db, uids, uidOf, players, targetsKbps, pushKbps, clock, timeZone, failed } = options
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
  const stored = await db
    .selectFrom('sentMonth')
    .select('bytes')
    .where('uid', '=', main)
    .where('month', '=', month)
    .executeTakeFirst()
  /** What was sent in this month before `from` of the players' count. */
  let before = stored?.bytes ?? 0
  let from = players.bytes()
  const monthBytes = (): number => before + players.bytes() - from
  let storedBytes = monthBytes()

  const store = async (): Promise<void> => {
    const bytes = monthBytes()
    if (bytes === storedBytes) return
    await db
      .insertInto('sentMonth')
      .values({ uid: main, month, bytes })
      .onConflict((conflict) => conflict.columns(['uid', 'month']).doUpdateSet({ bytes }))
      .execute()
    storedBytes = bytes
  }
  const turnMonth = async (): Promise<void> => {
    const now = monthNow()
    if (now === month) return
    await store()
    month = now
    before = 0
    from = players.bytes()
    storedBytes = 0
  }

  /** Bytes sent up to each of the last measurements. */
  const samples: number[] = [players.bytes()]
  const kbpsToViewers = (): number =>
    Math.round((samples.at(-1)! - samples[0]!) / bytesOfKbps / Math.max(1, samples.length - 1))
  const measuring = setInterval(() => {
    samples.push(players.bytes())
    if (samples.length > measured + 1) samples.shift()
  }, measureEvery)
  measuring.unref()
  const storing = setInterval(() => {
    turnMonth().then(store).catch(failed)
  }, storeEvery)
  storing.unref()

  /** Pages that wait, in the order they came, with the time of their last request. */
  const waiting = new Map<string, { readonly at: number; readonly subnet: string }>()
  /** Their places; undefined when they are to be worked out again. */
  let places: Map<string, number> | undefined
  const forget = (page: string): void => {
    if (waiting.delete(page)) places = undefined
  }
  const forgetGone = (): void => {
    const since = clock.monotonic() - waitingFor
    for (const [page, { at }] of waiting) if (at < since) forget(page)
  }
  /**
   * Place of a page, -1 for one that does not wait. Addresses take turns, so that one with many pages delays nobody
   * else.
   */
  const placeOf = (page: string): number => {
    if (!places) {
      const of = new Map<string, number>()
      const turns = [...waiting].map(([name, { subnet }]) => {
        const turn = of.get(subnet) ?? 0
        of.set(subnet, turn + 1)
        return { name, turn }
      })
      places = new Map(turns.sort((one, other) => one.turn - other.turn).map(({ name }, place) => [name, place]))
    }
    return places.get(page) ?? -1
  }
  const wait = (page: string, subnet: string): void => {
    if (!waiting.has(page)) places = undefined
    waiting.set(page, { at: clock.monotonic(), subnet })
  }
  const ofAddress = (subnet: string): number => {
    let found = 0
    for (const page of waiting.values()) if (page.subnet === subnet) found += 1
    return found
  }
  /** Pages whose player has just left, with when their place is free: who reloads does not wait again. */
  const kept = new Map<string, number>()
  const forgetLeft = (): void => {
    for (const [page, until] of kept) if (until <= clock.monotonic()) kept.delete(page)
  }
  const isMine = (uid: number) => (cid: string) => uidOf(cid) === uid
  const viewers = (uid: number): number => players.all(isMine(uid))
  const kbps = (uid: number): number => kbpsToViewers() + targetsKbps(uid)
  /** New players of a channel for whom there is room. */
  const room = (uid: number, cid: string): number => {
    forgetLeft()
    const { maxViewers, maxKbps, maxGigabytes } = values.get(uid) ?? none
    if (maxGigabytes > 0 && monthBytes() >= maxGigabytes * gigabyte) return 0
    const now = viewers(uid)
    const measured = kbpsToViewers()
    const each = pushKbps(cid) || (now > 0 ? measured / now : 0)
    // Who has just come counts with what they will take: it is measured only seconds later.
    if (maxKbps > 0 && Math.max(measured, now * each) + targetsKbps(uid) + each > maxKbps) return 0
    return maxViewers === 0 ? Infinity : Math.max(0, maxViewers - now - kept.size)
  }

  return {
    of: (uid: number): WatchLimitValues => values.get(uid) ?? none,
    isLimited: (uid: number): boolean => Object.values(values.get(uid) ?? none).some((value) => value > 0),
    async update(uid: number, changes: { readonly [K in keyof WatchLimitValues]?: number | undefined }) {
      const now = values.get(uid) ?? none
      const next = {
        maxViewers: changes.maxViewers ?? now.maxViewers,
        maxKbps: changes.maxKbps ?? now.maxKbps,
        maxGigabytes: changes.maxGigabytes ?? now.maxGigabytes,
      }
      await db
        .insertInto('watchLimit')
        .values({ uid, ...next })
        .onConflict((conflict) => conflict.column('uid').doUpdateSet(next))
        .execute()
      values.set(uid, next)
      kept.clear()
    },
    figures(uid: number) {
      forgetGone()
      return { viewers: viewers(uid), kbps: kbps(uid), monthBytes: monthBytes(), waiting: waiting.size }
    },
    /** Whether a new player has room; `page` is the one that waited for it. Nobody passes those who wait. */
    admits(uid: number, cid: string, page: string | undefined): boolean {
      const left = room(uid, cid)
      if (left === Infinity || (page !== undefined && kept.delete(page))) return true
      forgetGone()
      const place = page === undefined ? -1 : placeOf(page)
      if ((place < 0 ? waiting.size : place) >= left) return false
      if (page !== undefined) forget(page)
      return true
    },
    /** The player of a page has left; its place is kept for some seconds. */
    left(uid: number, page: string) {
      if (kept.size < maxKept && (values.get(uid)?.maxViewers ?? 0) > 0) kept.set(page, clock.monotonic() + keptFor)
    },
    /** A page asks whether it may watch: undefined when there is room, else how many wait before it. */
    ahead(uid: number, cid: string, page: string, subnet: string): number | undefined {
      const left = room(uid, cid)
      if (kept.has(page)) return undefined
      forgetGone()
      if (left === Infinity) {
        forget(page)
        return undefined
      }
      const place = placeOf(page)
      if (place < 0 && waiting.size < left) return undefined
      if (place < 0 && (waiting.size >= maxWaiting || ofAddress(subnet) >= maxWaitingOfAddress)) return waiting.size
      wait(page, subnet)
      const at = placeOf(page)
      return at < left ? undefined : at
    },
    async close(): Promise<void> {
      clearInterval(measuring)
      clearInterval(storing)
      await turnMonth()
      await store()
    },
  }
}
