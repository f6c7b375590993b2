import type { Kysely, Selectable } from 'kysely'
import type { FormerChannelTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { RecordingRow } from './files-store.ts'

/** A file with the last name of its channel; empty if unknown. */
export type FileOfAll = RecordingRow & { readonly channel: string; readonly deleted: boolean }

/** A page of an application's files, newest first. */
export interface FilesRequest {
  readonly uid: number
  /** Recording overlaps this range (inclusive), in ms. */
  readonly from: number
  readonly to: number
  readonly deletedOnly: boolean
  readonly limit: number
  /** The last entry of the previous page. */
  readonly before?: { readonly begin: number; readonly vid: number } | undefined
}

/** Files of all channels, and deleted channels with files. */
export type FormerChannels = ReturnType<typeof createFormerChannels>

const maxList = 10_000
/** Slices last at most 120 minutes; the rest allows for clocks set during the recording. In ms. */
const longestFile = 24 * 3600 * 1000

/** Makes the reader of deleted channels. */
export function createFormerChannels(db: Kysely<Tables>) {
  return {
    /** Deleted channels with files, last deleted first. */
    of: (uid: number): Promise<Selectable<FormerChannelTable>[]> =>
      db
        .selectFrom('formerChannel')
        .selectAll()
        .where('uid', '=', uid)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('recording')
              .select('vid')
              .whereRef('recording.cid', '=', 'formerChannel.cid')
              .where('state', '=', 'ready'),
          ),
        )
        .orderBy('deleted', 'desc')
        .orderBy('cid')
        .limit(maxList)
        .execute(),
    owner: async (cid: string): Promise<number | undefined> =>
      (await db.selectFrom('formerChannel').select('uid').where('cid', '=', cid).executeTakeFirst())?.uid,
    /** At most `limit` files, and whether there are more. */
    async files({
      uid,
      from,
      to,
      deletedOnly,
      limit,
      before,
    }: FilesRequest): Promise<{ readonly files: FileOfAll[]; readonly more: boolean }> {
      let query = db
        .selectFrom('recording')
        .leftJoin('channel', 'channel.cid', 'recording.cid')
        .leftJoin('formerChannel', 'formerChannel.cid', 'recording.cid')
        .selectAll('recording')
        .select(['channel.name as present', 'formerChannel.name as former'])
        .where('recording.uid', '=', uid)
        .where('recording.state', '=', 'ready')
        .where('recording.beginTime', '>=', from - longestFile)
        .where('recording.beginTime', '<=', Math.min(to, before?.begin ?? to))
        .where('recording.endTime', '>=', from)
      if (deletedOnly) query = query.where('channel.cid', 'is', null)
      if (before)
        query = query.where(({ or, eb }) =>
          or([eb('recording.beginTime', '<', before.begin), eb('recording.vid', '<', before.vid)]),
        )
      const rows = await query
        .orderBy('recording.beginTime', 'desc')
        .orderBy('recording.vid', 'desc')
        .limit(limit + 1)
        .execute()
      return {
        files: rows.slice(0, limit).map(({ present, former, ...row }) => ({
          ...row,
          channel: present ?? former ?? '',
          deleted: present === null,
        })),
        more: rows.length > limit,
      }
    },
  }
}
