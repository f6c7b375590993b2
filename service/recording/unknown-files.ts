import type { Clock } from '../../platform/clock.ts'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Quarantine } from '../../platform/quarantine.ts'
import { insertFile, type FilesDatabase, type FilesStore } from './files-store.ts'
import type { Finisher } from './finisher.ts'
import type { RecordingFolder } from './recording-folder.ts'
import { extensionOf, fileKey } from './record-names.ts'
import { isUniqueViolation, type Store } from '../storage/store.ts'

/** Options. */
export interface UnknownFilesOptions extends FilesDatabase, Pick<Store, 'numberAbove'> {
  readonly folder: RecordingFolder
  readonly finisher: Pick<Finisher, 'finish'>
  readonly clock: Clock
  readonly log: { warn(details: object, message: string): void }
}

const channelPattern = /^[0-9a-f]{32}$/
const filePattern = /^([1-9][0-9]{0,14})\.(mp4|flv|index|part)$/
const pathPattern = /^recordings\/([0-9a-f]{32})\/([1-9][0-9]{0,14})\.(mp4|flv)$/

/** Quarantines unknown files, so that none is overwritten, and restores known ones from the quarantine. */
export async function setUnknownAside({
  store,
  folder,
  quarantine,
  files,
  node = '',
}: Pick<UnknownFilesOptions, 'folder' | 'node'> & {
  readonly store: Pick<Store, 'db' | 'numberAbove'>
  /** Takes over what lies here and is nobody else's. */
  readonly files?: Pick<FilesStore, 'takeOver'>
  readonly quarantine: Pick<Quarantine, 'setAside' | 'putBack'>
}): Promise<void> {
  const rows = await store.db
    .selectFrom('recording')
    .select(['vid', 'cid', 'format', 'state', 'node', 'stored'])
    .execute()
  const known = new Map(rows.map((row) => [`${row.cid}/${row.vid}`, row]))
  const missing = new Map(
    rows
      .filter((row) => row.state !== 'merging' && row.stored !== 1 && (row.node === node || row.node === ''))
      .map((row) => [`recordings/${row.cid}/${row.vid}.${extensionOf(row.format)}`, row]),
  )
  const unknown: string[] = []
  const others = new Set<number>()
  let highest = 0
  for (const channel of await readdir(folder.root, { withFileTypes: true })) {
    if (!channel.isDirectory() || !channelPattern.test(channel.name)) continue
    for (const name of await readdir(join(folder.root, channel.name))) {
      missing.delete(`recordings/${channel.name}/${name}`)
      const vid = filePattern.exec(name)?.[1]
      if (vid === undefined) continue
      const row = known.get(`${channel.name}/${vid}`)
      // One that is alone has the database alone. Of a cluster, somebody else may be writing such a file.
      if (row && row.node !== node && (node === '' || row.node === '')) others.add(row.vid)
      if (row) continue
      unknown.push(`recordings/${channel.name}/${name}`)
      highest = Math.max(highest, Number(vid))
    }
  }
  if (unknown.length > 0) {
    await store.numberAbove('recording', highest)
    quarantine.setAside(unknown, 'unknown', 'recordings that the database does not know')
  }
  for (const path of await quarantine.putBack(new Set(missing.keys()))) {
    const row = missing.get(path)
    if (row && row.node !== node) others.add(row.vid)
  }
  await files?.takeOver([...others])
}

/** Files that the database does not know, because it is older or missing; lists quarantined ones again. */
export function createUnknownFiles(options: UnknownFilesOptions) {
  const { db, durable, numberAbove, folder, finisher, clock, log, node = '' } = options
  return {
    /** Lists a file that is back in its place (path relative to the data folder); false if there is no such file. */
    async adopt(uid: number, path: string) {
      const [, cid, number, extension] = pathPattern.exec(path) ?? []
      if (cid === undefined) return false
      const vid = Number(number)
      const format = extension === 'flv' ? 1 : 0
      const channel = await db.selectFrom('channel').select('filename').where('cid', '=', cid).executeTakeFirst()
      const { size, mtimeMs, birthtimeMs } = await stat(folder.file({ cid, vid, format }))
      const written = Math.round(mtimeMs)
      const beginTime = birthtimeMs > 0 && birthtimeMs < mtimeMs ? Math.round(birthtimeMs) : written
      // Its codecs are unknown, so it cannot be merged with another file.
      const row = {
        vid,
        cid,
        uid,
        state: 'writing' as const,
        format,
        merged: 0,
        slice: 0,
        beginTime,
        // Not known of the file itself.
        filename: channel?.filename ?? '',
        codecs: `restored ${vid}`,
        node,
      }
      // Its number was given by an earlier database: this one may come to it yet.
      await numberAbove('recording', vid)
      try {
        await durable((transaction) => insertFile(transaction, row))
      } catch (error) {
        // Listed meanwhile, for instance by a restored database.
        if (isUniqueViolation(error)) return true
        throw error
      }
      if (!channel)
        await db
          .insertInto('formerChannel')
          .values({ cid, uid, name: '', deleted: clock.now() })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      try {
        // The file may be a copy, which is younger than what it was recorded of.
        await finisher.finish({ ...row, written }, { recover: true })
      } catch (error) {
        // For example a merged file, which is already complete.
        log.warn({ err: error, vid }, 'the length of a restored recording is unknown')
        await db
          .updateTable('recording')
          .set({
            state: 'ready',
            endTime: written,
            completed: written,
            name: `${vid}`,
            bytes: size,
            duration: Math.max(0, written - beginTime),
            fileKey: fileKey({ cid, begin: beginTime, end: written, vid, slice: 0, format: extensionOf(format) }),
          })
          .where('vid', '=', vid)
          .where('state', '=', 'writing')
          .execute()
      }
      return true
    },
  }
}
