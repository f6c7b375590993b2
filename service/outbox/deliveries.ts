import type { ExpressionBuilder, Kysely } from 'kysely'
import type { DeliveryTable, Tables } from '../storage/schema.ts'

/** Which waiting deliveries are looked for: none of those under way, none to a target that takes no more now. */
export interface Skip {
  readonly underWay: readonly string[]
  readonly targets: readonly string[]
}

/** The rows of the outbox. */
export interface Deliveries {
  insert(row: DeliveryTable, transaction: Kysely<Tables>): Promise<void>
  /** Waiting ones that are due, longest due first. */
  due(now: number, skip: Skip, limit: number): Promise<DeliveryTable[]>
  /** When the next one is due, in ms; undefined when none waits. */
  nextDue(skip: Skip): Promise<number | undefined>
  find(nId: string): Promise<DeliveryTable | undefined>
  /** An application's, newest first, those before a time when one is given. */
  list(uid: number, limit: number, before: number | undefined): Promise<DeliveryTable[]>
  newest(): Promise<number>
  /** Drops ended ones of each application beyond a number or put in before a time, oldest first. */
  trim(keep: number, before: number): Promise<void>
}

/** The outbox's rows in a database. */
export function createDeliveries(db: Kysely<Tables>): Deliveries {
  const waiting =
    ({ underWay, targets }: Skip) =>
    (where: ExpressionBuilder<Tables, 'delivery'>) =>
      where.and([
        where('state', '=', 'waiting'),
        ...(underWay.length > 0 ? [where('nId', 'not in', underWay)] : []),
        ...(targets.length > 0 ? [where('target', 'not in', targets)] : []),
      ])

  return {
    async insert(row, transaction) {
      await transaction.insertInto('delivery').values(row).execute()
    },
    due: (now, skip, limit) =>
      db.selectFrom('delivery').selectAll().where(waiting(skip)).where('due', '<=', now).orderBy('due').orderBy('created').limit(limit).execute(),
    async nextDue(skip) {
      const row = await db.selectFrom('delivery').select('due').where(waiting(skip)).orderBy('due').limit(1).executeTakeFirst()
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
