import { mkdir, open, rename } from 'node:fs/promises'
import type { Transaction } from 'kysely'
import { doubledWait } from '../../platform/backoff.ts'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import { BlobFault, partBytes, type Blobs } from '../blobs/blobs.ts'
import type { FarFile } from '../http/file-reads.ts'
import type { Tables } from '../storage/schema.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesDatabase, RecordingRow } from './files-store.ts'
import type { FileListener, RecordedFile } from './recorded-file.ts'
import type { RecordingFolder } from './recording-folder.ts'
import { extensionOf } from './record-names.ts'
import { createStoring, objectKey, type LocalFile } from './storing.ts'
import { createUploadRows, type UploadingFile } from './upload-rows.ts'

/** What recording uses of recordings in an object store. */
export type FarRecordings = ReturnType<typeof createFarRecordings>

/** Bytes that are fetched at once. */
const pieceBytes = 4 * 1024 * 1024
/** Delays after failures to fetch a lost recording, in ms. */
const waits = { first: 1000, longest: 60_000 }
/** Uploads that no recording names are ended after this time, in ms, and looked for this often. */
const leftFor = 24 * 3_600_000
const sweepEvery = 3_600_000
/** After this time without a word of its service a recording is taken up by another one, in ms. */
const defaultLostAfter = 5 * 60_000

const recordedOf = (row: RecordingRow): RecordedFile => ({
  vid: row.vid,
  cid: row.cid,
  uid: row.uid,
  name: row.name,
  key: row.fileKey,
  begin: row.beginTime,
  end: row.endTime,
  completed: row.completed,
  format: extensionOf(row.format),
  bytes: row.bytes,
  duration: row.duration,
  merged: row.merged === 1,
})

/**
 * Recordings of services that share an object store. Each is written on the computer of one service, which brings it
 * there; what a lost computer had brought is fetched and finished by another one.
 */
export function createFarRecordings(
  options: FilesDatabase & {
    readonly blobs: Blobs
    readonly lostAfter?: number | undefined
    readonly folder: RecordingFolder
    readonly files: Pick<FileSystem, 'size' | 'remove'>
    readonly listener: () => FileListener
    /** Bytes that may be written to the disk. */
    readonly space: () => number
    /** Finishes a file that is on this disk, from the file alone. */
    readonly recover: (row: RecordingRow) => Promise<void>
    readonly forget: (vid: number) => Promise<void>
    readonly clock: Clock
    readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  },
) {
  const { blobs, folder, files, recover, space, forget, clock, log, lostAfter = defaultLostAfter } = options
  const rows = createUploadRows(options)
  const storing = createStoring({ ...options, rows })
  /** Those whose file is to be fetched. */
  const lost = new Map<number, { readonly row: UploadingFile; failures: number; notBefore: number }>()
  let working: Promise<void> | undefined
  let closed = false

  const unlessMissing = async <T>(call: Promise<T>): Promise<T | undefined> => {
    try {
      return await call
    } catch (error) {
      if (error instanceof BlobFault && error.kind === 'missing') return undefined
      throw error
    }
  }
  const isHere = async (file: LocalFile): Promise<boolean> => ((await files.size(folder.file(file))) ?? 0) > 0

  /** Writes an object to the disk, under its name once it is whole. */
  const fetchTo = async (file: LocalFile, bytes: number): Promise<void> => {
    if (bytes > space()) throw Object.assign(new Error('there is not enough room on the disk'), { code: 'ENOSPC' })
    await mkdir(folder.of(file.cid), { recursive: true, mode: 0o700 })
    const handle = await open(folder.temporary(file), 'w', 0o600)
    try {
      for (let at = 0; at < bytes && !closed; at += pieceBytes) {
        const piece = await blobs.read(objectKey(file), at, Math.min(bytes, at + pieceBytes) - 1)
        await handle.write(piece, 0, piece.length, at)
      }
      await handle.datasync()
    } finally {
      await handle.close()
    }
    if (closed) throw new Error('the service closes')
    await rename(folder.temporary(file), folder.file(file))
  }
  /** The file is sent anew: it may be cut where parts of it were not. */
  const endUpload = async (row: UploadingFile): Promise<void> => {
    if (row.uploadId !== '') await blobs.abort(objectKey(row), row.uploadId)
  }
  /** Makes the object of the parts that are there, fetches it and finishes it as any file that was left. */
  const restore = async (row: UploadingFile): Promise<void> => {
    const key = objectKey(row)
    if (await isHere(row)) await endUpload(row)
    else {
      const found = row.uploadId === '' ? [] : ((await unlessMissing(blobs.parts(key, row.uploadId))) ?? [])
      // A part that was being filled is the last one, as no other may be shorter.
      const after = found.findIndex(
        ({ number }, index) => number !== index + 1 || (index > 0 && found[index - 1]!.bytes < partBytes),
      )
      const parts = after < 0 ? found : found.slice(0, after)
      // Somebody may have completed it before: the object is there then.
      if (parts.length > 0) await unlessMissing(blobs.complete(key, row.uploadId, parts))
      const bytes = await blobs.size(key)
      if (bytes === undefined) {
        log.warn({ vid: row.vid, cid: row.cid }, 'nothing of a recording whose computer was lost had been stored')
        return forget(row.vid)
      }
      await fetchTo(row, bytes)
      log.warn({ vid: row.vid, cid: row.cid, bytes }, 'a recording whose computer was lost is finished here')
    }
    await recover(row)
  }
  const work = async (): Promise<void> => {
    for (let row; !closed && (row = await rows.takeLost(lostAfter));)
      lost.set(row.vid, { row, failures: 0, notBefore: 0 })
    for (const [vid, entry] of lost) {
      if (closed || entry.notBefore > clock.monotonic()) continue
      try {
        await restore(entry.row)
        lost.delete(vid)
      } catch (error) {
        entry.notBefore = clock.monotonic() + doubledWait(waits, entry.failures++)
        log.warn({ err: error, vid }, 'a recording whose computer was lost cannot be finished now')
      }
    }
  }
  const look = (): void => {
    if (closed || working) return
    working = work().finally(() => {
      working = undefined
    })
    inBackground(working, log, 'looking for recordings whose computer was lost')
  }
  /** Ends uploads that a killed process began and noted nowhere. */
  const sweep = async (): Promise<void> => {
    const known = await rows.uploads()
    for (const { key, upload, begun } of await blobs.left('recordings/'))
      if (!known.has(upload) && begun < clock.now() - leftFor) await blobs.abort(key, upload)
  }
  const stopLooking = repeated(clock, Math.min(lostAfter / 4, 30_000), look)
  const stopSweeping = repeated(clock, sweepEvery, () => inBackground(sweep(), log, 'ending uploads that were left'))

  return {
    /** For the store: what else stands in its transactions. */
    begun: (transaction: Transaction<Tables>, vid: number) => rows.begun(transaction, vid),
    forgotten: (transaction: Transaction<Tables>, vid: number) => rows.forgotten(transaction, vid),
    takeOver: rows.takeOver,
    watch: (file: LocalFile) => storing.begun(file),
    dropped: (vid: number): void => inBackground(storing.dropped({ vid }), log, 'ending an upload'),
    /** For the finisher: takes a finished file, which is listed when it is in the object store. */
    finished: storing.finished,
    /** How a recording that is there is read. */
    file: (row: LocalFile & { readonly bytes: number }): FarFile => ({
      bytes: row.bytes,
      read: (from, to) => unlessMissing(blobs.read(objectKey(row), from, to)),
    }),
    remove: (row: LocalFile) => blobs.remove(objectKey(row)),
    waiting: storing.waiting,
    /** What an earlier process of this service left; read before recording begins. */
    left: () => rows.own(),
    /** Takes that up, and from now on what lost computers had. */
    async start(left: readonly UploadingFile[]) {
      for (const row of left) {
        if (row.state === 'storing' && (await files.size(folder.file(row))) === row.bytes) {
          await storing.finished(recordedOf(row), true)
          inBackground(endUpload(row), log, 'ending an upload')
        } else lost.set(row.vid, { row, failures: 0, notBefore: 0 })
      }
      look()
    },
    async close(patience: number) {
      closed = true
      stopLooking()
      stopSweeping()
      await storing.close(patience)
      await working
    },
  }
}
