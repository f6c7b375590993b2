import type { Kysely } from 'kysely'
import type { Tables } from '../../storage/schema.ts'

/** Up to where each device has everything. */
export interface Cursors {
  /** Seq up to which a device has everything; undefined for one that is new. */
  cursor(uid: number, accid: string, device: string): Promise<number | undefined>
  /** Notes that a device has everything up to a seq, at most up to the end of the stream; it never goes back. An account keeps the 50 devices that were last here. */
  received(uid: number, accid: string, device: string, upTo: number): Promise<void>
}

const maxDevice = 50

/** Up to where any device of an account has everything; 0 when there is none. */
export async function accountCursor(db: Kysely<Tables>, uid: number, accid: string): Promise<number> {
  const row = await db
    .selectFrom('deviceCursor')
    .select((query) => query.fn.max('seq').as('seq'))
    .where('uid', '=', uid)
    .where('accid', '=', accid)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/** The cursors in a database. */
export function createCursors({
  db,
  committed,
}: {
  readonly db: Kysely<Tables>
  readonly committed: () => number
}): Cursors {
  const find = async (uid: number, accid: string, device: string): Promise<number | undefined> => {
    const row = await db
      .selectFrom('deviceCursor')
      .select('seq')
      .where('uid', '=', uid)
      .where('accid', '=', accid)
      .where('device', '=', device)
      .executeTakeFirst()
    return row?.seq
  }
  return {
    cursor: find,
    received: (uid, accid, device, given) =>
      db.transaction().execute(async (transaction) => {
        const upTo = Math.min(given, committed())
        const { numUpdatedRows } = await transaction
          .updateTable('deviceCursor')
          .set((query) => ({ seq: query.case().when('seq', '>', upTo).then(query.ref('seq')).else(upTo).end() }))
          .where('uid', '=', uid)
          .where('accid', '=', accid)
          .where('device', '=', device)
          .executeTakeFirst()
        if (numUpdatedRows > 0n) return
        await transaction.insertInto('deviceCursor').values({ uid, accid, device, seq: upTo }).execute()
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
            .where('uid', '=', uid)
            .where('accid', '=', accid)
            .where('device', '=', old)
            .execute()
      }),
  }
}
