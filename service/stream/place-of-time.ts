import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** First seq accepted at or after a time in ms, by a binary search; exact unless the clock was set. */
export async function placeOfTime(db: Kysely<Tables>, time: number): Promise<number> {
  const { value } = await db.selectFrom('streamPosition').select('value').executeTakeFirstOrThrow()
  let [low, high] = [0, value + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = await db
      .selectFrom('event')
      .select(['seq', 'at'])
      .where('seq', '>=', middle)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst()
    if (!row || row.at >= time) high = middle
    else low = row.seq + 1
  }
  return low
}
