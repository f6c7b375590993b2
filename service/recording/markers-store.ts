import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** Markers in recordings. */
export type MarkersStore = ReturnType<typeof createMarkersStore>

const maxMarkers = 10_000

/** Makes the store. */
export function createMarkersStore(db: Kysely<Tables>) {
  const ownership = async (uid: number, markerId: number): Promise<'unknown' | 'foreign' | undefined> => {
    const row = await db.selectFrom('marker').select('uid').where('markerId', '=', markerId).executeTakeFirst()
    return row ? (row.uid === uid ? undefined : 'foreign') : 'unknown'
  }
  return {
    /** `full` at the limit of the channel. */
    add: (marker: {
      readonly cid: string
      readonly uid: number
      readonly at: number
      readonly label: string
    }): Promise<number | 'full'> =>
      db.transaction().execute(async (transaction) => {
        const { total } = await transaction
          .selectFrom('marker')
          .select((query) => query.fn.countAll<number>().as('total'))
          .where('cid', '=', marker.cid)
          .executeTakeFirstOrThrow()
        if (total >= maxMarkers) return 'full'
        return (await transaction.insertInto('marker').values(marker).returning('markerId').executeTakeFirstOrThrow())
          .markerId
      }),
    /** Markers of a channel within a range (inclusive), oldest first. */
    within: (cid: string, from: number, to: number): Promise<{ markerId: number; at: number; label: string }[]> =>
      db
        .selectFrom('marker')
        .select(['markerId', 'at', 'label'])
        .where('cid', '=', cid)
        .where('at', '>=', from)
        .where('at', '<=', to)
        .orderBy('at')
        .orderBy('markerId')
        .limit(maxMarkers)
        .execute(),
    async rename(uid: number, markerId: number, label: string): Promise<'unknown' | 'foreign' | undefined> {
      const refusal = await ownership(uid, markerId)
      if (!refusal) await db.updateTable('marker').set({ label }).where('markerId', '=', markerId).execute()
      return refusal
    },
    async remove(uid: number, markerId: number): Promise<'unknown' | 'foreign' | undefined> {
      const refusal = await ownership(uid, markerId)
      if (!refusal) await db.deleteFrom('marker').where('markerId', '=', markerId).execute()
      return refusal
    },
  }
}
