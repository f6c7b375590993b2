import type { Kysely } from 'kysely'
import type { Tables } from '../../storage/schema.ts'
import type { EventFrame, Memberships } from '../../events/event.ts'
import { teamConversation } from './conversation.ts'
import { accountCursor } from './cursors.ts'
import { placeOfTime } from './place-of-time.ts'
import type { KeepDays } from './keep-days.ts'

/** Offline messages kept for one account at most (behaviour.md#retention-of-messages). */
export const maxOffline = 1000
const day = 86_400_000
/** For how long the place of a time is taken for right, in ms. What lies between is looked at in vain, no more. */
const placeLife = 3_600_000

/** A part of what an account missed. */
export interface MissedEvents {
  /** By seq. Push of each is as it was sent: whether the receiver wants it is looked up by who hands it on. */
  readonly events: { readonly seq: number; readonly from: string; readonly frame: EventFrame }[]
  /** Where the next part begins; with nothing more, everything up to here was given. */
  readonly seq: number
  readonly more: boolean
}

/** What an account missed. */
export interface Replay {
  /**
   * Stored events of an account behind a seq, 0 for a device that is new: those that some device of the account has already, where they roam
   * (7 days), then those that none has yet, where they are kept for the offline (7 days, the newest 1000). What happens meanwhile may come
   * twice, here and from the receivers: seq tells.
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
  /** The last seq of the range; Infinity for none. */
  readonly upTo: number
  readonly kept: 'roam' | 'offline'
  /** Taken at this time in ms or later. */
  readonly from: number
}

/** Reads what is missed from the inbox of an account and from its teams. */
export function createReplay(options: {
  readonly db: Kysely<Tables>
  readonly clock: () => number
  readonly memberships: Memberships
  readonly keep: (uid: number) => KeepDays
  readonly committed: () => number
}): Replay {
  const { db, clock, memberships, keep, committed } = options
  const oldest = new Map<number, { readonly time: number; readonly found: number; readonly seq: number }>()

  /** The seq before which nothing of an application is given any more, so that a long history is not searched; with a day to spare for a clock that was set. */
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
      .where('inbox.seq', '<=', Math.min(upTo, Number.MAX_SAFE_INTEGER))
      .where(`event.${kept}`, '=', 1)
      .where('event.at', '>=', from)
  const team = (uid: number, accid: string, tid: number, { after, upTo, kept, from }: Range) =>
    db
      .selectFrom('event')
      .where('event.uid', '=', uid)
      .where('event.conversation', '=', teamConversation(tid))
      .where('event.seq', '>', after)
      .where('event.seq', '<=', Math.min(upTo, Number.MAX_SAFE_INTEGER))
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
  /** The seq before the newest 1000 of a range; where it begins when there are fewer. */
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
      const upTo = committed()
      const now = clock()
      const { roamingDays, offlineDays } = keep(uid)
      const taken = await accountCursor(db, uid, accid)
      const after = Math.max(asked, await floorOf(uid, now - Math.max(roamingDays, offlineDays) * day, now))
      const rows: Row[] = []
      if (after < taken)
        rows.push(
          ...(await read(uid, accid, { after, upTo: taken, kept: 'roam', from: now - roamingDays * day }, limit + 1)),
        )
      if (rows.length <= limit) {
        const range: Range = {
          after: Math.max(after, taken),
          upTo: Infinity,
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
