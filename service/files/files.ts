import type { Clock } from '../../platform/clock.ts'
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { moveFile } from '../../platform/moved-file.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import { clearFolderPlace } from '../../platform/stores.ts'
import type { FarFile } from '../http/file-reads.ts'
import { openIncomingFile, type IncomingFile } from './incoming-file.ts'
import type { Tables } from '../storage/schema.ts'
import { createSerial } from '../../platform/serial.ts'

/** A file with its path, or how it is read where it is not on this computer. */
export type FoundFile = { readonly type: string; readonly bytes: number } & (
  | { readonly path: string }
  | { readonly far: FarFile }
)

/** Uploaded files, stored once per content. */
export interface Files {
  /** Receives one of at most `maxBytes` bytes. */
  begin(maxBytes: number): Promise<IncomingFile>
  /** Finishes it under a number and an unguessable name. `type`, from the uploader, is never used as a path. */
  store(uid: number, file: IncomingFile, type: string): Promise<{ readonly channelid: number; readonly token: string }>
  find(token: string): Promise<FoundFile | undefined>
  /** Deletes a file; false if the application never had it. The content is deleted with its last number. */
  remove(uid: number, channelid: number): Promise<boolean>
  /** Registers a file that is back in its place (path relative to the data folder); false for a missing one. */
  adopt(uid: number, path: string): Promise<boolean>
}

/** Options of the files. */
export interface FilesOptions {
  readonly db: Kysely<Tables>
  readonly dataDir: string
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly quarantine: Pick<Quarantine, 'setAside' | 'putBack'>
}

/** Below the data folder. */
const folderName = 'files'
const relativeOf = (hash: string): string => `${folderName}/${hash.slice(0, 2)}/${hash}`
const hashPattern = /^[0-9a-f]{64}$/

/** SHA-256 of an uploaded file by its path below the data folder; undefined for another path. */
export function hashOfPath(path: string): string | undefined {
  const hash = path.slice(path.lastIndexOf('/') + 1)
  return hashPattern.test(hash) && path === relativeOf(hash) ? hash : undefined
}

/** Opens the folder of uploads that come in; those that an earlier process left are quarantined. */
export async function openIncoming({
  dataDir,
  random,
  quarantine,
}: Pick<FilesOptions, 'dataDir' | 'random' | 'quarantine'>): Promise<Files['begin']> {
  const incoming = join(dataDir, folderName, 'incoming')
  clearFolderPlace(join(dataDir, folderName))
  clearFolderPlace(incoming)
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  quarantine.setAside(
    (await readdir(incoming)).map((name) => `${folderName}/incoming/${name}`),
    'unfinished',
    'uploads that had not come in whole when the service ended',
  )
  return (maxBytes) => openIncomingFile(join(incoming, random(16).toString('hex')), maxBytes)
}

/** Opens the folder. Incomplete and unknown files are quarantined, and known files in the quarantine restored. */
export async function openFiles({ db, dataDir, clock, random, quarantine }: FilesOptions): Promise<Files> {
  const folder = join(dataDir, folderName)
  const pathOf = (hash: string): string => join(folder, hash.slice(0, 2), hash)
  const begin = await openIncoming({ dataDir, random, quarantine })
  const kept = async (hash: string): Promise<boolean> =>
    (await db
      .selectFrom('upload')
      .select('channelid')
      .where('hash', '=', hash)
      .where('removed', '=', 0)
      .limit(1)
      .executeTakeFirst()) !== undefined
  const known = new Set(
    (await db.selectFrom('upload').select('hash').distinct().where('removed', '=', 0).execute()).map(
      ({ hash }) => hash,
    ),
  )
  const missing = new Set(known)
  const unknown: string[] = []
  for (const part of await readdir(folder, { withFileTypes: true })) {
    if (part.name.length !== 2 || !part.isDirectory()) continue
    for (const name of await readdir(join(folder, part.name))) {
      if (known.has(name) && name.startsWith(part.name)) missing.delete(name)
      else unknown.push(`${folderName}/${part.name}/${name}`)
    }
  }
  quarantine.setAside(unknown, 'unknown', 'uploaded files that the database does not know')
  await quarantine.putBack(new Set([...missing].map(relativeOf)))

  /** Serialises storing and removing: content must not be deleted while a number for it is made. */
  const alone = createSerial()

  return {
    begin,
    async store(uid, file, type) {
      const { path, hash, bytes } = await file.finish()
      return alone(async () => {
        await mkdir(join(folder, hash.slice(0, 2)), { recursive: true, mode: 0o700 })
        const there = await access(pathOf(hash)).then(
          () => true,
          () => false,
        )
        if (there) await file.discard()
        else await moveFile(path, pathOf(hash))
        const token = random(24).toString('base64url')
        const row = { uid, token, hash, bytes, type, created: clock.now(), removed: 0 }
        const { channelid } = await db.insertInto('upload').values(row).returning('channelid').executeTakeFirstOrThrow()
        return { channelid, token }
      })
    },
    async find(token) {
      const row = await db
        .selectFrom('upload')
        .select(['hash', 'type', 'bytes'])
        .where('token', '=', token)
        .where('removed', '=', 0)
        .executeTakeFirst()
      return row && { path: pathOf(row.hash), type: row.type, bytes: row.bytes }
    },
    remove: (uid, channelid) =>
      alone(async () => {
        const row = await db
          .selectFrom('upload')
          .select(['hash', 'removed'])
          .where('channelid', '=', channelid)
          .where('uid', '=', uid)
          .executeTakeFirst()
        if (!row) return false
        if (row.removed === 1) return true
        await db.updateTable('upload').set({ removed: 1 }).where('channelid', '=', channelid).execute()
        if (!(await kept(row.hash))) await rm(pathOf(row.hash), { force: true })
        return true
      }),
    adopt: (uid, path) =>
      alone(async () => {
        const hash = hashOfPath(path)
        if (hash === undefined) return false
        if (await kept(hash)) return true
        const { size } = await stat(pathOf(hash))
        const row = {
          uid,
          token: random(24).toString('base64url'),
          hash,
          bytes: size,
          type: '',
          created: clock.now(),
          removed: 0,
        }
        await db.insertInto('upload').values(row).execute()
        return true
      }),
  }
}
