import type { Kysely } from 'kysely'
import type { Journal } from '../journal/journal.ts'
import type { ChannelHoldTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** Hold and delay of a channel, in s. */
export type HoldSetting = Omit<ChannelHoldTable, 'cid'>

interface HoldChange {
  readonly cid: string
  /** Null where the channel was deleted. */
  readonly setting: HoldSetting | null
  /** Whether the delay was given, also the one that it has. */
  readonly isDelayGiven: boolean
}

/** Hold and delay of all channels, in memory; a change is stored before it takes effect. */
export type HoldSettings = Awaited<ReturnType<typeof createHoldSettings>>

const none: HoldSetting = { holdSeconds: 0, delaySeconds: 0 }

/** Loads them. */
export async function createHoldSettings({ db, journal }: { readonly db: Kysely<Tables>; readonly journal: Journal }) {
  const settings = new Map<string, HoldSetting>()
  for (const { cid, ...setting } of await db.selectFrom('channelHold').selectAll().execute()) settings.set(cid, setting)
  const listeners = new Set<(cid: string, isDelayGiven: boolean) => void>()
  const changes = journal.kind<HoldChange>('channelHold', {
    async store(transaction, { cid, setting }) {
      if (setting === null) await transaction.deleteFrom('channelHold').where('cid', '=', cid).execute()
      else
        await transaction
          .insertInto('channelHold')
          .values({ cid, ...setting })
          .onConflict((conflict) => conflict.column('cid').doUpdateSet(setting))
          .execute()
    },
    apply({ cid, setting, isDelayGiven }) {
      if (setting === null) return void settings.delete(cid)
      settings.set(cid, setting)
      for (const listener of listeners) listener(cid, isDelayGiven)
    },
  })
  const of = (cid: string): HoldSetting => settings.get(cid) ?? none
  return {
    of,
    /** Changes those that are given; what they are then. */
    update: (cid: string, given: { readonly [K in keyof HoldSetting]?: number | undefined }): Promise<HoldSetting> =>
      changes.inTurn(cid, async () => {
        const before = of(cid)
        const setting = {
          holdSeconds: given.holdSeconds ?? before.holdSeconds,
          delaySeconds: given.delaySeconds ?? before.delaySeconds,
        }
        await changes.commit({ cid, setting, isDelayGiven: given.delaySeconds !== undefined })
        return setting
      }),
    /** Forgets a deleted channel. */
    forget: (cid: string): Promise<void> =>
      changes.inTurn(cid, async () => {
        if (settings.has(cid)) await changes.commit({ cid, setting: null, isDelayGiven: false })
      }),
    /** They were changed, whether the delay was given or not. */
    on(listener: (cid: string, isDelayGiven: boolean) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
