import { setImmediate } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import { createBulkInsert } from '../storage/bulk-insert.ts'
import type { DeliveryTable, Tables } from '../storage/schema.ts'

/** `due` of a message that waits for its predecessors in its line. */
export const notYet = Number.MAX_SAFE_INTEGER

/** The rows of the outbox. */
export type Deliveries = ReturnType<typeof createDeliveries>

/** Rows per insert of SQLite and per delete, so that no statement blocks the database for long. */
const maxInsert = 32
const maxRemove = 500

/** A row with every column. */
const emptyRow: DeliveryTable = {
  nId: '',
  uid: 0,
  kind: '',
  url: '',
  target: '',
  line: null,
  body: '',
  state: 'waiting',
  attempts: 0,
  step: 0,
  due: 0,
  created: 0,
  result: null,
}
/** Columns of a row as it is sent. */
export const columns = Object.keys(emptyRow) as (keyof DeliveryTable)[]
const insertRows = createBulkInsert('delivery', columns, { together: maxInsert })

/** Makes the rows; messages of other `kinds` are left to a newer service. `reads` is for long reads. */
export function createDeliveries(db: Kysely<Tables>, kinds: readonly string[], reads = db) {
  const together = new WeakMap<Kysely<Tables>, { readonly rows: DeliveryTable[]; readonly written: Promise<void> }>()
  const write = async (transaction: Kysely<Tables>, rows: DeliveryTable[]): Promise<void> => {
    // Inserts of this turn have been collected.
    await Promise.resolve()
    together.delete(transaction)
    await insertRows(transaction, rows)
  }
  const remove = async (uid: number, kind: string, until: number): Promise<void> => {
    for (let gone = maxRemove; gone === maxRemove; await setImmediate()) {
      const some = db
        .selectFrom('delivery')
        .select('nId')
        .where('uid', '=', uid)
        .where('kind', '=', kind)
        .where('state', '!=', 'waiting')
        .where('created', '<=', until)
        .orderBy('created')
        .limit(maxRemove)
      gone = Number((await db.deleteFrom('delivery').where('nId', 'in', some).executeTakeFirst()).numDeletedRows)
    }
  }
  /** Kinds of an application's messages. */
  const kindsOf = async (uid: number): Promise<string[]> => {
    const kinds: string[] = []
    for (let last = ''; ;) {
      const of = db.selectFrom('delivery').select('kind').where('uid', '=', uid)
      const next = await of.where('kind', '>', last).orderBy('kind').limit(1).executeTakeFirst()
      if (!next) return kinds
      kinds.push((last = next.kind))
    }
  }
  // A literal: otherwise the partial index is not used.
  const waiting = sql.lit('waiting' as const)
  const inLine = db
    .selectFrom('delivery')
    .select(columns)
    .where('state', '=', waiting)
    .where('line', '=', '')
    .where('due', '=', notYet)
    .orderBy('place')
    .limit(1)
    .compile()

  return {
    /** Concurrent inserts of one transaction are combined. */
    insert(row: DeliveryTable, transaction: Kysely<Tables>) {
      const known = together.get(transaction)
      if (known) {
        known.rows.push(row)
        return known.written
      }
      const rows = [row]
      const written = write(transaction, rows)
      together.set(transaction, { rows, written })
      return written
    },
    /** The next messages of a line, up to the first one of another kind. */
    async held(line: string, limit: number): Promise<DeliveryTable[]> {
      const { rows } = await db.executeQuery<DeliveryTable>({ ...inLine, parameters: [line, notYet, limit] })
      const others = rows.findIndex(({ kind }) => !kinds.includes(kind))
      return others < 0 ? rows : rows.slice(0, others)
    },
    /** Lines with waiting messages, and their targets. */
    lines: (): Promise<{ readonly line: string; readonly target: string }[]> =>
      db
        .selectFrom('delivery')
        .select(['line', 'target'])
        .distinct()
        .where('state', '=', waiting)
        .where('line', 'is not', null)
        .where('due', '=', notYet)
        .$narrowType<{ line: string }>()
        .execute(),
    /** Messages that block their lines: waiting for a resend, with fewer than `steps` resends used. */
    heads: (steps: number): Promise<{ readonly line: string; readonly target: string; readonly nId: string }[]> =>
      db
        .selectFrom('delivery')
        .select(['line', 'target', 'nId'])
        .where('state', '=', waiting)
        .where('line', 'is not', null)
        .where('due', '<', notYet)
        .where('step', '<', steps)
        .orderBy('place')
        .$narrowType<{ line: string }>()
        .execute(),
    async targets(now: number): Promise<string[]> {
      const waitingFor = db.selectFrom('delivery').select('target').where('state', '=', 'waiting')
      const found: string[] = []
      // Skips from target to target: few targets, but possibly a million messages for one.
      for (let last = ''; ;) {
        const next = await waitingFor.where('target', '>', last).orderBy('target').limit(1).executeTakeFirst()
        if (!next) return found
        last = next.target
        if (await waitingFor.where('target', '=', last).where('due', '<=', now).limit(1).executeTakeFirst())
          found.push(last)
      }
    },
    /** Due messages of a target, longest due first, without `underWay`. */
    due: (target: string, now: number, underWay: readonly string[], limit: number): Promise<DeliveryTable[]> =>
      db
        .selectFrom('delivery')
        .select(columns)
        .where('state', '=', 'waiting')
        .where('target', '=', target)
        .where('due', '<=', now)
        .where('kind', 'in', kinds)
        .$if(underWay.length > 0, (query) => query.where('nId', 'not in', underWay))
        .orderBy('due')
        .orderBy('place')
        .limit(limit)
        .execute(),
    /** Next due time after `after`, in ms; undefined when there is none. */
    async nextDue(after: number): Promise<number | undefined> {
      const row = await db
        .selectFrom('delivery')
        .select('due')
        .where('state', '=', 'waiting')
        .where('due', '>', after)
        .orderBy('due')
        .limit(1)
        .executeTakeFirst()
      return row?.due
    },
    /** Moves due times after `after` earlier by `by` ms: the clock was set back. */
    async earlier(by: number, after: number) {
      await db
        .updateTable('delivery')
        .set(({ eb }) => ({ due: eb('due', '-', by) }))
        .where('state', '=', 'waiting')
        .where('due', '>', after)
        .where('due', '<', notYet)
        .execute()
    },
    /**
     * Moves due times of a kind that are further ahead than its schedule allows to the latest that it does: they were
     * written while the clock was ahead.
     */
    async notLater(kind: string, waits: readonly number[], now: number) {
      for (const [step, wait] of [0, ...waits].entries())
        await db
          .updateTable('delivery')
          .set({ due: now + wait })
          .where('state', '=', 'waiting')
          .where('kind', '=', kind)
          .where('step', '=', step)
          .where('due', '>', now + wait)
          .where('due', '<', notYet)
          .execute()
    },
    find: (nId: string): Promise<DeliveryTable | undefined> =>
      db.selectFrom('delivery').select(columns).where('nId', '=', nId).executeTakeFirst(),
    async *waitingParts(transaction: Kysely<Tables>, uid: number, kind: string): AsyncIterable<readonly string[]> {
      for (let last = { created: -1, place: 0 }; ;) {
        const part = await transaction
          .selectFrom('delivery')
          .select(['nId', 'created', 'place'])
          .where('uid', '=', uid)
          .where('kind', '=', kind)
          .where(({ eb, refTuple, tuple }) => eb(refTuple('created', 'place'), '>', tuple(last.created, last.place)))
          .where('state', '=', 'waiting')
          .orderBy('created')
          .orderBy('place')
          .limit(maxRemove)
          .execute()
        if (part.length === 0) return
        yield part.map(({ nId }) => nId)
        last = part.at(-1)!
      }
    },
    /**
     * Entries of an application, newest first, optionally before a time and of one kind. Those of one ms are on one
     * page, which may have a few more: the next one begins before that time.
     */
    async list(
      uid: number,
      limit: number,
      before: number | undefined,
      kind: string | undefined,
    ): Promise<DeliveryTable[]> {
      const kinds = kind === undefined ? await kindsOf(uid) : [kind]
      const ofKind = (one: string) =>
        db.selectFrom('delivery').selectAll().where('uid', '=', uid).where('kind', '=', one).orderBy('created', 'desc')
      const found: (DeliveryTable & { readonly place: number })[] = []
      for (const one of kinds)
        found.push(
          ...(await ofKind(one)
            .$if(before !== undefined, (query) => query.where('created', '<', before!))
            .orderBy('place', 'desc')
            .limit(limit)
            .execute()),
        )
      const ordered = (): typeof found =>
        found.sort((one, other) => other.created - one.created || other.place - one.place)
      const last = ordered()[limit - 1]
      if (!last) return found
      const isListed = new Set(found.map(({ nId }) => nId))
      for (const one of kinds)
        for (const row of await ofKind(one).where('created', '=', last.created).execute())
          if (!isListed.has(row.nId)) found.push(row)
      return ordered().filter(({ created }) => created >= last.created)
    },
    async waiting(uid: number, kind: string | undefined) {
      const { total } = await reads
        .selectFrom('delivery')
        .select((query) => query.fn.countAll<number>().as('total'))
        .where('state', '=', 'waiting')
        .where('uid', '=', uid)
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
        .executeTakeFirstOrThrow()
      return total
    },
    /** Messages of all applications that wait, and when the oldest of them was put in; ms, 0 without one. */
    async backlog(): Promise<{ readonly waiting: number; readonly oldest: number }> {
      const { total, oldest } = await reads
        .selectFrom('delivery')
        .select((query) => [
          query.fn.countAll<number>().as('total'),
          query.fn.min<number | null>('created').as('oldest'),
        ])
        .where('state', '=', 'waiting')
        .executeTakeFirstOrThrow()
      return { waiting: total, oldest: oldest ?? 0 }
    },
    async newest() {
      const { newest } = await db
        .selectFrom('delivery')
        .select((query) => query.fn.max<number | null>('created').as('newest'))
        .executeTakeFirstOrThrow()
      return newest ?? 0
    },
    /** Deletes ended entries beyond `keep` or older than `before`, oldest first, in small steps. */
    async trim(keep: number, before: number) {
      for (const { uid } of await db.selectFrom('application').select('uid').execute())
        for (const kind of await kindsOf(uid)) {
          const oldest = await reads
            .selectFrom('delivery')
            .select('created')
            .where('uid', '=', uid)
            .where('kind', '=', kind)
            .where('state', '!=', 'waiting')
            .orderBy('created', 'desc')
            .limit(1)
            .offset(keep)
            .executeTakeFirst()
          await remove(uid, kind, Math.max(before - 1, oldest?.created ?? 0))
        }
    },
  }
}
