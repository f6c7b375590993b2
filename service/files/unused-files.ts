import { sql, type Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** How long an object that no row names is kept, in ms: longer than any upload takes to get its row. */
const unusedFor = 3_600_000
/** A removal that has not ended after this time in ms is another's to do. */
const removalTakes = 120_000
/** How long an upload waits for the removal of the same bytes, and how often it looks, in ms. */
const patience = 20_000
const lookEvery = 100

/** By the database, as the clocks of services differ; ms. */
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * Which objects no row may name, in a PostgreSQL that several services share. No transaction lasts while the object
 * store is asked, as the server ends those that stand still; whoever removes an object marks its row instead.
 */
export function createUnusedFiles(db: Kysely<Tables>) {
  return {
    /** Before the bytes are stored: they are kept until a row names them. Waits while they are being removed. */
    async announce(hash: string): Promise<void> {
      for (const until = performance.now() + patience; ;) {
        const row = await db
          .insertInto('unusedFile')
          .values({ hash, since: now })
          .onConflict((conflict) =>
            conflict
              .column('hash')
              .doUpdateSet({ since: now, removing: 0 })
              .where(sql<boolean>`"unusedFile"."removing" < ${now} - ${removalTakes}::bigint`),
          )
          .returning('hash')
          .executeTakeFirst()
        if (row) return
        if (performance.now() > until) throw new Error('the same file has been being removed for too long')
        await new Promise((resolve) => setTimeout(resolve, lookEvery))
      }
    },
    /** In the transaction that takes a name away from the bytes. */
    async note(transaction: Kysely<Tables>, hash: string): Promise<void> {
      await transaction
        .insertInto('unusedFile')
        .values({ hash, since: now })
        .onConflict((conflict) => conflict.column('hash').doUpdateSet({ since: now }))
        .execute()
    },
    /** In the transaction that gives the bytes a name. */
    async named(transaction: Kysely<Tables>, hash: string): Promise<void> {
      await transaction.deleteFrom('unusedFile').where('hash', '=', hash).execute()
    },
    /** Removes one object whose time is over and that no row names; false when there is none. */
    async removeOne(remove: (hash: string) => Promise<void>): Promise<boolean> {
      const due = db
        .selectFrom('unusedFile')
        .select('hash')
        .where('since', '<', sql<number>`${now} - ${unusedFor}::bigint`)
        .where('removing', '<', sql<number>`${now} - ${removalTakes}::bigint`)
        .orderBy('since')
        .limit(1)
        .forUpdate()
        .skipLocked()
      const row = await db
        .updateTable('unusedFile')
        .set({ removing: now })
        .where('hash', '=', (query) => query.selectFrom(due.as('due')).select('hash'))
        .returning(['hash', 'since', 'removing'])
        .executeTakeFirst()
      if (!row) return false
      const { hash, since, removing } = row
      const named = await db
        .selectFrom('upload')
        .select('channelid')
        .where('hash', '=', hash)
        .where('removed', '=', 0)
        .limit(1)
        .executeTakeFirst()
      if (!named) await remove(hash)
      const mine = db.deleteFrom('unusedFile').where('hash', '=', hash).where('removing', '=', removing)
      await mine.where('since', '=', since).execute()
      // A name was taken away meanwhile: it is looked at again.
      await db
        .updateTable('unusedFile')
        .set({ removing: 0 })
        .where('hash', '=', hash)
        .where('removing', '=', removing)
        .execute()
      return true
    },
  }
}
