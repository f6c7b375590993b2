import type { Kysely } from 'kysely'
import type { DeliveryTable, Tables } from '../storage/schema.ts'

/** The rows of the outbox. */
export interface Deliveries {
  insert(row: DeliveryTable, transaction: Kysely<Tables>): Promise<void>
  /** Targets that something is due for. */
  targets(now: number): Promise<string[]>
  /** What is due for a target, longest due first, without those under way. */
  due(target: string, now: number, underWay: readonly string[], limit: number): Promise<DeliveryTable[]>
  /** When the first that is due after a time is due, in ms; undefined when there is none. */
  nextDue(after: number): Promise<number | undefined>
  find(nId: string): Promise<DeliveryTable | undefined>
  /** An application's, newest first, those before a time when one is given. */
  list(uid: number, limit: number, before: number | undefined): Promise<DeliveryTable[]>
  /** How many of an application wait. */
  waiting(uid: number): Promise<number>
  newest(): Promise<number>
  /** Drops ended ones of each application beyond a number or put in before a time, oldest first. */
  trim(keep: number, before: number): Promise<void>
}

/** The outbox's rows in a database. */
export function createDeliveries(db: Kysely<Tables>): Deliveries {
  return {
    async insert(row, transaction) {
      await transaction.insertInto('delivery').values(row).execute()
    },
    async targets(now) {
      const rows = await db.selectFrom('delivery').select('target').distinct().where('state', '=', 'waiting').where('due', '<=', now).execute()
      return rows.map(({ target }) => target)
    },
    due: (target, now, underWay, limit) =>
      db
        .selectFrom('delivery')
        .selectAll()
        .where('state', '=', 'waiting')
        .where('target', '=', target)
        .where('due', '<=', now)
        .$if(underWay.length > 0, (query) => query.where('nId', 'not in', underWay))
        .orderBy('due')
        .orderBy('created')
        .limit(limit)
        .execute(),
    async nextDue(after) {
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
    find: (nId) => db.selectFrom('delivery').selectAll().where('nId', '=', nId).executeTakeFirst(),
    list: (uid, limit, before) =>
      db
        .selectFrom('delivery')
        .selectAll()
        .where('uid', '=', uid)
        .$if(before !== undefined, (query) => query.where('created', '<', before!))
        .orderBy('created', 'desc')
        .limit(limit)
        .execute(),
    async waiting(uid) {
      const { total } = await db
        .selectFrom('delivery')
        .select((query) => query.fn.countAll<number>().as('total'))
        .where('state', '=', 'waiting')
        .where('uid', '=', uid)
        .executeTakeFirstOrThrow()
      return total
    },
    async newest() {
      const { newest } = await db
        .selectFrom('delivery')
        .select((query) => query.fn.max<number | null>('created').as('newest'))
        .executeTakeFirstOrThrow()
      return newest ?? 0
    },
    async trim(keep, before) {
      await db.deleteFrom('delivery').where('state', '!=', 'waiting').where('created', '<', before).execute()
      for (const { uid } of await db.selectFrom('application').select('uid').execute()) {
        const oldest = await db
          .selectFrom('delivery')
          .select('created')
          .where('uid', '=', uid)
          .where('state', '!=', 'waiting')
          .orderBy('created', 'desc')
          .limit(1)
          .offset(keep)
          .executeTakeFirst()
        if (oldest) await db.deleteFrom('delivery').where('uid', '=', uid).where('state', '!=', 'waiting').where('created', '<=', oldest.created).execute()
      }
    },
  }
}
