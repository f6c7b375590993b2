import { sql, type Kysely } from 'kysely'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import { noticeType } from '../../contract/catalogue/notices.ts'
import { createAnswerPart } from '../../platform/answer-part.ts'
import type { RoomLineTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { writeTogether } from '../storage/write-together.ts'
import type { StatEvent, RoomStatistics } from './room-statistics.ts'
import type { RoomCopies } from './room-context.ts'

/** A line of a room. */
export type Line = Readonly<RoomLineTable>

/** One write: a line with its copy, or an entry. */
export interface RoomWrite {
  readonly line?: Line
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

/** Must match the expression of the indexes. */
const ofNotices = sql<boolean>`(type = ${sql.lit(noticeType)})`
/** Lines per portion: one more than most callers request. */
const portion = 101

/** A line with every column, for compiling the insert once. */
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
const columns = Object.keys(emptyLine) as (keyof Line)[]

/** Makes them. Lines of one turn are written together, with copies and counters. `reads` is for long reads. */
export async function createRoomLines(
  db: Kysely<Tables>,
  options: {
    readonly statistics: Pick<RoomStatistics, 'count'>
    readonly copies: RoomCopies
    readonly reads?: Kysely<Tables>
  },
) {
  const { statistics, copies, reads = db } = options
  const { last } = await db
    .selectFrom('roomLine')
    .select((row) => row.fn.max('line').as('last'))
    .executeTakeFirstOrThrow()
  let count = (last as number | null) ?? 0

  const insertion = db.insertInto('roomLine').values(emptyLine).compile()
  const insert = (transaction: Kysely<Tables>, line: Line) =>
    transaction.executeQuery({ ...insertion, parameters: columns.map((column) => line[column]) })
  const earlier = db
    .selectFrom('roomLine')
    .selectAll()
    .where((row) => row.and({ roomid: 0, sender: '', clientId: '' }))
    .compile()

  interface Item extends RoomWrite {
    readonly uid: number
    repeated: Line | undefined
  }
  const write = createWriteBatch<Item>(async (items) => {
    const counted = await db.transaction().execute(async (transaction) => {
      await writeTogether(async (start) => {
        for (const item of items) {
          const { line, copy, uid } = item
          if (!line) continue
          const known = await transaction.executeQuery<Line>({
            ...earlier,
            parameters: [line.roomid, line.sender, line.clientId],
          })
          item.repeated = known.rows[0]
          if (item.repeated) continue
          await insert(transaction, line)
          if (copy && copies.wants(uid, 4)) start(copies.enqueue(transaction, uid, copy))
        }
      })
      return statistics.count(
        transaction,
        items.flatMap(({ statEvent, repeated }) => (statEvent && !repeated ? [statEvent] : [])),
      )
    })
    counted()
  })

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
    /** A number for a new line, greater than all before. */
    next: (): number => ++count,
    /** Stores a line. For a repeated idempotency key, stores nothing and resolves with the earlier line. */
    async write(uid: number, what: RoomWrite): Promise<Line | undefined> {
      const item: Item = { ...what, uid, repeated: undefined }
      await write(item)
      return item.repeated
    },
    /** Stores a notice in the caller's transaction. */
    async keep(transaction: Kysely<Tables>, line: Line): Promise<void> {
      await insert(transaction, line)
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
export type RoomLines = Awaited<ReturnType<typeof createRoomLines>>
