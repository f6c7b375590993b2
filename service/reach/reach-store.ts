import type { Kysely } from 'kysely'
import { reaches } from '../../contract/operations/reach.ts'
import type { Tables } from '../storage/schema.ts'
import { firstReach, type ReachSettings } from './reach-settings.ts'

/** Keeps what is chosen of the reach. */
export type ReachStore = ReturnType<typeof createReachStore>

const isReach = (text: string): text is ReachSettings['reach'] => reaches.some((one) => one === text)

/** Makes it over the main database. */
export const createReachStore = (db: Kysely<Tables>) => ({
  async load(): Promise<ReachSettings> {
    const row = await db.selectFrom('reach').selectAll().where('id', '=', 1).executeTakeFirst()
    if (!row) return firstReach
    const { id: _, reach, rtmp, forward, localName, proxies, ...rest } = row
    return {
      ...rest,
      reach: isReach(reach) ? reach : 'computer',
      rtmp: rtmp === 1,
      forward: forward === 1,
      localName: localName === 1,
      proxies: proxies === '' ? [] : proxies.split(' '),
    }
  },
  async save(settings: ReachSettings): Promise<void> {
    const { rtmp, forward, localName, proxies, ...rest } = settings
    const row = {
      ...rest,
      rtmp: rtmp ? 1 : 0,
      forward: forward ? 1 : 0,
      localName: localName ? 1 : 0,
      proxies: proxies.join(' '),
    }
    await db
      .insertInto('reach')
      .values({ id: 1, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  },
})
