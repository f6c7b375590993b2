import { sql, type Kysely } from 'kysely'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import { noticeType } from '../../contract/catalogue/notices.ts'
import { createAnswerPart } from '../../platform/answer-part.ts'
import { createBulkInsert } from '../storage/bulk-insert.ts'
import { createPosition } from '../storage/position.ts'
import type { MessageCount } from '../events/message-counts.ts'
import type { DatabaseCounts } from '../storage/database-counts.ts'
import type { RoomLineTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { writeTogether } from '../storage/write-together.ts'
import type { StatEvent, RoomStatistics } from './room-statistics.ts'
import type { RoomCopies } from './room-context.ts'

/** A line of a room. */
export type Line = Readonly<RoomLineTable>

/** A line before it has its number, which comes with the insert. */
export type NewLine = Omit<Line, 'line'>

/** A line with its copy, and its event for the statistics. */
export interface RoomWrite {
  readonly line: NewLine
  readonly copy?: RoomCopy | undefined
  readonly statEvent?: StatEvent
}

/** Lines of a room by range, account and state; latest first, by time, then number. */
export interface LineQuery {
  readonly roomid: number
  readonly begin?: number | undefined
  readonly end?: number | undefined
  /** Only lines before this one in the room's order. */
  readonly before?: number | undefined
  readonly sender?: string | undefined
  readonly states: readonly Line['state'][]
  /** Also notices; by default only what people said. */
  readonly notices?: boolean | undefined
  readonly limit: number
}

interface PartQuery {
  readonly state: Line['state']
  readonly isNotice: boolean
  readonly place: { readonly at: number; readonly line: number } | undefined
}

/** Numbers that are taken at once. */
const takenAhead = 1000
/** Must match the expression of the indexes. */
const ofNotices = sql<boolean>`(type = ${sql.lit(noticeType)})`
/** Lines per portion: one more than most callers request. */
const portion = 101

/** A line with every column. */
const emptyLine: Line = {
  line: 0,
  uid: 0,
  roomid: 0,
  sender: '',
  clientId: '',
  at: 0,
  type: 0,
  attach: '',
  ext: '',
  nick: '',
  avatar: '',
  clientType: '',
  heldAt: null,
  state: 'shown',
}
const insertLines = createBulkInsert('roomLine', Object.keys(emptyLine) as (keyof Line)[], {
  conflict: { key: ['roomid', 'sender', 'clientId'] },
})

/** Makes them. Lines of one turn are written together, with copies and counters. `reads` is for long reads. */
export function createRoomLines(
  db: Kysely<Tables>,
  options: {
    readonly statistics: Pick<RoomStatistics, 'count'>
    readonly copies: RoomCopies
    readonly reads?: Kysely<Tables>
    readonly counts?: Pick<MessageCount, 'stored'> | undefined
    readonly databaseCounts?: Pick<DatabaseCounts, 'batches'> | undefined
  },
) {
  const { statistics, copies, reads = db, counts, databaseCounts } = options
  const { take } = createPosition(db, 'linePosition', { ahead: takenAhead })
  const earlier = db
    .selectFrom('roomLine')
    .selectAll()
    .where((row) => row.and({ roomid: 0, sender: '', clientId: '' }))
    .compile()

  /** A line to write, and what came of it; or an entry. */
  interface Item extends Partial<RoomWrite> {
    readonly uid: number
    written?: { readonly line: Line; readonly isRepeated: boolean }
  }
  const write = createWriteBatch<Item>(async (items) => {
    const counted = await db.transaction().execute(async (transaction) => {
      const said = items.filter(({ line }) => line)
      if (said.length > 0)
        await writeTogether(async (start) => {
          const first = await take(transaction, said.length)
          const numbered = said.map(({ line }, index): Line => ({ ...line!, line: first + index }))
          const areNew = await insertLines(transaction, numbered)
          for (const [index, item] of said.entries()) {
            const line = numbered[index]!
            const { copy, uid } = item
            if (areNew[index]) {
              item.written = { line, isRepeated: false }
              // At once, so that copies are written together.
              if (copy && copies.wants(uid, 4)) start(copies.enqueue(transaction, uid, copy))
              continue
            }
            const { roomid, sender, clientId } = line
            const { rows } = await transaction.executeQuery<Line>({
              ...earlier,
              parameters: [roomid, sender, clientId],
            })
            item.written = { line: rows[0]!, isRepeated: true }
          }
        })
      return statistics.count(
        transaction,
        items.flatMap(({ statEvent, written }) => (statEvent && !written?.isRepeated ? [statEvent] : [])),
      )
    })
    counted()
    if (counts) for (const { written } of items) if (written?.isRepeated === false) counts.stored += 1
  }, databaseCounts?.batches)

  /** Time of a line; for a missing one that of the next line of any room by number. Undefined after all lines. */
  const timeOf = async (line: number): Promise<number | undefined> => {
    const row = await db
      .selectFrom('roomLine')
      .select(['line', 'at', 'heldAt'])
      .where('line', '>=', line)
      .orderBy('line')
      .limit(1)
      .executeTakeFirst()
    return row && row.line !== line ? (row.heldAt ?? row.at) : row?.at
  }
  /** Index parts are per state, and separate for notices. */
  const ofStates = async (
    executor: Kysely<Tables>,
    { states, notices = false, before, ...query }: LineQuery,
  ): Promise<Line[]> => {
    const at = before === undefined ? undefined : await timeOf(before)
    const found: Line[][] = []
    const place = at === undefined ? undefined : { at, line: before! }
    for (const state of states)
      // Notices are never held or deleted.
      for (const isNotice of notices && state === 'shown' ? [false, true] : [false])
        found.push(await ofPart(executor, { ...query, state, isNotice, place }))
    if (found.length === 1) return found[0]!
    return found
      .flat()
      .sort((one, other) => other.at - one.at || other.line - one.line)
      .slice(0, query.limit)
  }
  const ofPart = (
    executor: Kysely<Tables>,
    query: Omit<LineQuery, 'states' | 'notices' | 'before'> & PartQuery,
  ): Promise<Line[]> => {
    const { roomid, begin, end, sender, state, isNotice, place, limit } = query
    let rows = executor
      .selectFrom('roomLine')
      .selectAll()
      .where('roomid', '=', roomid)
      .where('state', '=', state)
      .where(ofNotices, '=', sql.lit(isNotice))
    if (begin !== undefined) rows = rows.where('at', '>=', begin)
    if (end !== undefined) rows = rows.where('at', '<=', end)
    // By time and number, like the index: a limit on the number alone would scan from the newest line.
    if (place)
      rows = rows.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'line'), '<', tuple(place.at, place.line)))
    if (sender !== undefined) rows = rows.where('sender', '=', sender)
    return rows.orderBy('at', 'desc').orderBy('line', 'desc').limit(limit).execute()
  }

  return {
    take,
    /** Stores a line under a new number. For a repeated idempotency key, resolves with the earlier line. */
    async write(uid: number, what: RoomWrite): Promise<{ readonly line: Line; readonly isRepeated: boolean }> {
      const item: Item = { ...what, uid }
      await write(item)
      return item.written!
    },
    /** Counts an entry. */
    count: (statEvent: StatEvent): Promise<void> => write({ uid: statEvent.uid, statEvent }),
    /** Stores a notice in the caller's transaction. */
    async keep(transaction: Kysely<Tables>, line: Line): Promise<void> {
      await insertLines(transaction, [line])
    },
    /** Deletes an unseen line; its sender may say it again. */
    async withdraw({ line }: Line): Promise<void> {
      await db.deleteFrom('roomLine').where('line', '=', line).execute()
    },
    find: (roomid: number, line: number): Promise<Line | undefined> =>
      db.selectFrom('roomLine').selectAll().where('line', '=', line).where('roomid', '=', roomid).executeTakeFirst(),
    /** Changes the state of a line, and its position if released. */
    async setState(
      { uid, line }: Line,
      change: Pick<Line, 'state'> | Pick<Line, 'state' | 'at' | 'heldAt'>,
      copy?: RoomCopy,
    ): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await transaction.updateTable('roomLine').set(change).where('line', '=', line).execute()
        if (copy && copies.wants(uid, 4)) await copies.enqueue(transaction, uid, copy)
      })
    },
    /** The newest visible lines: a short read, at entry. */
    latest: (roomid: number, notices: boolean, limit: number): Promise<Line[]> =>
      ofStates(db, { roomid, states: ['shown'], notices, limit }),
    /** What somebody said and what waits for a moderator; a short read, at entry. */
    heldOf: (roomid: number, sender: string, limit: number): Promise<Line[]> =>
      ofStates(db, { roomid, sender, states: ['held'], limit }),
    /** Lines of any time; a long read, off the event loop. */
    query: (query: LineQuery): Promise<Line[]> => ofStates(reads, query),
    /** Lines up to a size of the answer, and whether there are more. Read in portions. */
    async part<T>(query: LineQuery, bytes: number, shown: (line: Line) => T): Promise<{ list: T[]; more: boolean }> {
      const part = createAnswerPart<ReturnType<typeof shown>>({ entries: query.limit, bytes })
      let { before } = query
      for (;;) {
        const limit = Math.min(portion, query.limit + 1 - part.list.length)
        const found = await ofStates(reads, { ...query, before, limit })
        for (const line of found) if (!part.add(shown(line))) return { list: part.list, more: true }
        if (found.length < limit) return { list: part.list, more: false }
        before = found.at(-1)!.line
      }
    },
  }
}

/** The lines of rooms in the database. */
export type RoomLines = ReturnType<typeof createRoomLines>
