import type { Kysely } from 'kysely'
import type { ChannelHoldTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** Hold and delay of a channel, in s. */
export type HoldSetting = Omit<ChannelHoldTable, 'cid'>

/** Hold and delay of all channels, in memory; a change is stored before it takes effect. */
export type HoldSettings = Awaited<ReturnType<typeof createHoldSettings>>

const none: HoldSetting = { holdSeconds: 0, delaySeconds: 0 }

/** Loads them. */
export async function createHoldSettings(db: Kysely<Tables>) {
  const settings = new Map<string, HoldSetting>()
  for (const { cid, ...setting } of await db.selectFrom('channelHold').selectAll().execute()) settings.set(cid, setting)
  return {
    of: (cid: string): HoldSetting => settings.get(cid) ?? none,
    async set(cid: string, setting: HoldSetting) {
      await db
        .insertInto('channelHold')
        .values({ cid, ...setting })
        .onConflict((conflict) => conflict.column('cid').doUpdateSet(setting))
        .execute()
      settings.set(cid, setting)
    },
    async forget(cid: string) {
      if (settings.delete(cid)) await db.deleteFrom('channelHold').where('cid', '=', cid).execute()
    },
  }
}
