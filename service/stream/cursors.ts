import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

const maxDevice = 50

/** The furthest ack of any device of an account; 0 for none. */
export async function accountCursor(db: Kysely<Tables>, uid: number, accid: string): Promise<number> {
  const row = await db
    .selectFrom('deviceCursor')
    .select((query) => query.fn.max('seq').as('seq'))
    .where('uid', '=', uid)
    .where('accid', '=', accid)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/** Makes the cursors. */
export function createCursors(options: { readonly db: Kysely<Tables>; readonly committed: () => number }) {
  const { db, committed } = options
  const find = async (uid: number, accid: string, device: string): Promise<number | undefined> => {
    const row = await db
      .selectFrom('deviceCursor')
      .select('seq')
      .where((row) => row.and({ uid, accid, device }))
      .executeTakeFirst()
    return row?.seq
  }
  return {
    /** Undefined for a new device. */
    cursor: find,
    /** Stores an ack, at most to the end of the stream; never goes back. 50 devices are kept per account. */
    received: (uid: number, accid: string, device: string, given: number): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const upTo = Math.min(given, committed())
        const { numUpdatedRows } = await transaction
          .updateTable('deviceCursor')
          .set((query) => ({ seq: query.case().when('seq', '>', upTo).then(query.ref('seq')).else(upTo).end() }))
          .where((row) => row.and({ uid, accid, device }))
          .executeTakeFirst()
        if (numUpdatedRows > 0n) return
        // Another call for the same device may have inserted it meanwhile.
        await transaction
          .insertInto('deviceCursor')
          .values({ uid, accid, device, seq: upTo })
          .onConflict((conflict) =>
            conflict.columns(['uid', 'accid', 'device']).doUpdateSet(({ eb, ref }) => ({
              seq: eb
                .case()
                .when('deviceCursor.seq', '>', ref('excluded.seq'))
                .then(ref('deviceCursor.seq'))
                .else(ref('excluded.seq'))
                .end(),
            })),
          )
          .execute()
        const over = await transaction
          .selectFrom('deviceCursor')
          .select('device')
          .where('uid', '=', uid)
          .where('accid', '=', accid)
          .where('device', '!=', device)
          .orderBy('seq', 'desc')
          .orderBy('device')
          .offset(maxDevice - 1)
          .limit(maxDevice)
          .execute()
        for (const { device: old } of over)
          await transaction
            .deleteFrom('deviceCursor')
            .where((row) => row.and({ uid, accid, device: old }))
            .execute()
      }),
  }
}

/** Acknowledged positions of devices. */
export type Cursors = ReturnType<typeof createCursors>
