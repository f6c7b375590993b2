import { hash as digest } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import { BlobFault, type Blobs } from '../blobs/blobs.ts'
import type { FarFile } from '../http/file-reads.ts'
import type { Log } from '../log.ts'
import { hashOfPath, openIncoming, type Files, type FilesOptions } from './files.ts'
import { createUnusedFiles } from './unused-files.ts'

/** Interval of looks for objects that no row names, in ms. */
const lookEvery = 600_000
/** Objects that are removed in one look. */
const most = 1000

const keyOf = (hash: string): string => `files/${hash}`

/**
 * Uploaded files in an object store that services of a PostgreSQL share; what comes in is in the data folder until it
 * is whole. An object is noted as unused before it is stored and when a row that named it goes, and removed when it
 * was noted an hour ago and still no row names it. So nobody removes what another service is about to name, and what
 * a killed service left goes too.
 */
export async function openSharedFiles(
  options: FilesOptions & {
    readonly blobs: Blobs
    readonly log: Pick<Log, 'warn' | 'info'>
  },
): Promise<{ readonly files: Files; removeUnused(): Promise<void>; close(): Promise<void> }> {
  const { db, dataDir, blobs, clock, random, log } = options
  const begin = await openIncoming(options)
  const unused = createUnusedFiles(db)
  let removing: Promise<void> | undefined

  const store = async (path: string, row: { uid: number; hash: string; bytes: number; type: string }) => {
    const token = random(24).toString('base64url')
    // Waits for whoever is removing the object, which is stored again after that.
    await unused.announce(row.hash)
    await blobs.put(keyOf(row.hash), await readFile(path))
    const { channelid } = await db.transaction().execute(async (transaction) => {
      await unused.named(transaction, row.hash)
      const values = { ...row, token, created: clock.now(), removed: 0 }
      return transaction.insertInto('upload').values(values).returning('channelid').executeTakeFirstOrThrow()
    })
    // One that stays is set aside by the next start.
    await rm(path, { force: true }).catch(() => undefined)
    return { channelid, token }
  }
  const farOf = (hash: string, bytes: number): FarFile => ({
    bytes,
    async read(from, to) {
      try {
        return await blobs.read(keyOf(hash), from, to)
      } catch (error) {
        if (error instanceof BlobFault && error.kind === 'missing') return undefined
        throw error
      }
    },
  })
  const removeUnused = (): Promise<void> =>
    (removing ??= (async () => {
      let count = 0
      while (count < most && (await unused.removeOne((hash) => blobs.remove(keyOf(hash))))) count++
      if (count > 0) log.info({ count }, 'uploaded files that nobody names were removed')
    })().finally(() => {
      removing = undefined
    }))
  const stop = repeated(clock, lookEvery, () => inBackground(removeUnused(), log, 'removing uploads that nobody names'))

  return {
    files: {
      begin,
      async store(uid, file, type) {
        const { path, hash, bytes } = await file.finish()
        return store(path, { uid, hash, bytes, type })
      },
      async find(token) {
        const row = await db
          .selectFrom('upload')
          .select(['hash', 'type', 'bytes'])
          .where('token', '=', token)
          .where('removed', '=', 0)
          .executeTakeFirst()
        return row && { type: row.type, bytes: row.bytes, far: farOf(row.hash, row.bytes) }
      },
      remove: (uid, channelid) =>
        db.transaction().execute(async (transaction) => {
          const row = await transaction
            .selectFrom('upload')
            .select(['hash', 'removed'])
            .where('channelid', '=', channelid)
            .where('uid', '=', uid)
            .forUpdate()
            .executeTakeFirst()
          if (!row) return false
          if (row.removed === 1) return true
          await transaction.updateTable('upload').set({ removed: 1 }).where('channelid', '=', channelid).execute()
          await unused.note(transaction, row.hash)
          return true
        }),
      async adopt(uid, path) {
        const hash = hashOfPath(path)
        if (hash === undefined) return false
        const bytes = await readFile(join(dataDir, path))
        if (digest('sha256', bytes, 'hex') !== hash) return false
        await store(join(dataDir, path), { uid, hash, bytes: bytes.length, type: '' })
        return true
      },
    },
    removeUnused,
    async close() {
      stop()
      await removing
    },
  }
}
