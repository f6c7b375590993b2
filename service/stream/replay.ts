import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'
import type { EventFrame, Memberships } from '../events/event.ts'
import { teamConversation } from './conversation.ts'
import { accountCursor } from './cursors.ts'
import { placeOfTime } from './place-of-time.ts'
import type { KeepDays } from './keep-days.ts'

/** Offline messages kept per account (behaviour.md#retention-of-messages). */
export const maxOffline = 1000
const day = 86_400_000
/** Cache lifetime of a time-to-seq look-up, in ms; a stale entry only costs extra reads. */
const placeLife = 3_600_000

/** A part of what an account missed. */
export interface MissedEvents {
  /** By seq, with the push as sent; preferences are looked up at delivery. */
  readonly events: { readonly seq: number; readonly from: string; readonly frame: EventFrame }[]
  /** Start of the next part; without more, the end of everything. */
  readonly seq: number
  readonly more: boolean
}

/** Reads what an account missed. */
export interface Replay {
  /**
   * Events of an account after a seq (0 for a new device): those that another device acknowledged while they roam (7
   * days), then those that none has, while kept for offline accounts (7 days, newest 1000). Concurrent events may also
   * come as pushes; seq shows it.
   */
  since(request: {
    readonly uid: number
    readonly accid: string
    readonly after: number
    readonly limit: number
  }): Promise<MissedEvents>
}

interface Row {
  readonly seq: number
  readonly sender: string
  readonly frame: string
}
interface Range {
  readonly after: number
  /** Last seq of the range. */
  readonly upTo: number
  readonly kept: 'roam' | 'offline'
  /** Accepted at or after this time in ms. */
  readonly from: number
}

/** Reads from the inbox of an account and from its teams. */
export function createReplay(options: {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly memberships: Memberships
  readonly keep: (uid: number) => KeepDays
  readonly committed: () => number
  /** Where services share the database: resolves once what others have handed on up to a place is handed on here. */
  readonly caughtUp?: ((place: number) => Promise<void>) | undefined
}): Replay {
  const { db, clock, memberships, keep, committed, caughtUp } = options
  const oldest = new Map<number, { readonly time: number; readonly found: number; readonly seq: number }>()

  /** Where to begin, so that a long history is not scanned; one day earlier, for a set clock. */
  const floorOf = async (uid: number, time: number, now: number): Promise<number> => {
    const known = oldest.get(uid)
    if (known && known.time <= time && now >= known.found && now - known.found < placeLife) return known.seq
    const seq = (await placeOfTime(db, time - day)) - 1
    oldest.set(uid, { time, found: now, seq })
    return seq
  }

  const inbox = (uid: number, accid: string, { after, upTo, kept, from }: Range) =>
    db
      .selectFrom('inbox')
      .innerJoin('event', 'event.seq', 'inbox.seq')
      .where('inbox.uid', '=', uid)
      .where('inbox.accid', '=', accid)
      .where('inbox.seq', '>', after)
      .where('inbox.seq', '<=', upTo)
      .where(`event.${kept}`, '=', 1)
      .where('event.at', '>=', from)
  const team = (uid: number, accid: string, tid: number, { after, upTo, kept, from }: Range) =>
    db
      .selectFrom('event')
      .where('event.uid', '=', uid)
      .where('event.conversation', '=', teamConversation(tid))
      .where('event.seq', '>', after)
      .where('event.seq', '<=', upTo)
      .where(`event.${kept}`, '=', 1)
      .where('event.at', '>=', from)
      .where('event.hidden', '=', 0)
      .where((query) => query.or([query('event.sync', '=', 1), query('event.sender', '!=', accid)]))
  const teamRange = (range: Range, since: number): Range => ({ ...range, after: Math.max(range.after, since - 1) })

  const read = async (uid: number, accid: string, range: Range, limit: number): Promise<Row[]> => {
    const found = new Map<number, Row>()
    const columns = ['event.seq', 'event.sender', 'event.frame'] as const
    for (const row of await inbox(uid, accid, range).select(columns).orderBy('inbox.seq').limit(limit).execute())
      found.set(row.seq, row)
    for (const { tid, since } of memberships.membershipsOf(uid, accid))
      for (const row of await team(uid, accid, tid, teamRange(range, since))
        .select(columns)
        .orderBy('event.seq')
        .limit(limit)
        .execute())
        found.set(row.seq, row)
    return [...found.values()].sort((a, b) => a.seq - b.seq).slice(0, limit)
  }
  /** The seq before the newest 1000 of a range, or its start. */
  const floor = async (uid: number, accid: string, range: Range): Promise<number> => {
    const newest = new Set<number>()
    const most = maxOffline + 1
    for (const { seq } of await inbox(uid, accid, range)
      .select('event.seq')
      .orderBy('inbox.seq', 'desc')
      .limit(most)
      .execute())
      newest.add(seq)
    for (const { tid, since } of memberships.membershipsOf(uid, accid))
      for (const { seq } of await team(uid, accid, tid, teamRange(range, since))
        .select('event.seq')
        .orderBy('event.seq', 'desc')
        .limit(most)
        .execute())
        newest.add(seq)
    return [...newest].sort((a, b) => b - a)[maxOffline] ?? range.after
  }

  return {
    async since({ uid, accid, after: asked, limit }) {
      const now = clock.now()
      const { roamingDays, offlineDays } = keep(uid)
      const taken = await accountCursor(db, uid, accid)
      await caughtUp?.(Math.max(asked, taken))
      const upTo = committed()
      const after = Math.max(asked, await floorOf(uid, now - Math.max(roamingDays, offlineDays) * day, now))
      const rows: Row[] = []
      if (after < taken)
        rows.push(
          ...(await read(uid, accid, { after, upTo: taken, kept: 'roam', from: now - roamingDays * day }, limit + 1)),
        )
      if (rows.length <= limit) {
        const range: Range = {
          after: Math.max(after, taken),
          // Later ones come as pushes: of those stored meanwhile a read may see a later one and miss an earlier one.
          upTo,
          kept: 'offline',
          from: now - offlineDays * day,
        }
        const waiting = await read(uid, accid, range, limit + 1)
        if (waiting.length > limit) {
          const begin = await floor(uid, accid, range)
          rows.push(...(begin > range.after ? await read(uid, accid, { ...range, after: begin }, limit + 1) : waiting))
        } else rows.push(...waiting)
      }
      const more = rows.length > limit
      const given = rows.slice(0, limit)
      const events = given.map(({ seq, sender, frame }) => ({
        seq,
        from: sender,
        frame: JSON.parse(frame) as EventFrame,
      }))
      const end = given.at(-1)?.seq ?? 0
      return { events, seq: more ? end : Math.max(end, upTo), more }
    },
  }
}
