import { open } from 'node:fs/promises'
import { doubledWait } from '../../platform/backoff.ts'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import { BlobFault, maxParts, partBytes, type BlobPart, type Blobs } from '../blobs/blobs.ts'
import type { FileSystem } from './file-system.ts'
import { extensionOf } from './record-names.ts'
import type { FileListener, RecordedFile } from './recorded-file.ts'
import type { RecordingFolder } from './recording-folder.ts'
import type { UploadRows } from './upload-rows.ts'

/** A recording whose file is on this computer. */
export interface LocalFile {
  readonly vid: number
  readonly cid: string
  readonly format: number
}

/** Key of a recording in the object store. */
export const objectKey = ({ cid, vid, format }: LocalFile): string => `recordings/${cid}/${vid}.${extensionOf(format)}`

/** Bytes of a recording at most, as the parts of an upload are counted; what is written behind its end has room. */
export const maxStoredBytes = Math.floor(maxParts * partBytes * 0.9)

/** Parts that are sent at once, each in memory. */
const atOnce = 4
/** Bytes of a part that is being filled that go up before it is whole: half a part. */
const early = partBytes / 2
/** How often files are looked at, and how often this service says that it is there, in ms. */
const lookEvery = 250
const aliveEvery = 5000
/** Delays after failures, in ms. */
const waits = { first: 1000, longest: 60_000 }

interface Entry {
  readonly file: LocalFile
  upload: string | undefined
  parts: BlobPart[]
  /** Bytes from the begin that are in the parts. */
  sent: number
  /** Whether part 1 is as the file is now. */
  isHeadSent: boolean
  /** Whether the object is there. */
  isWhole: boolean
  listed: RecordedFile | undefined
  busy: boolean
  failures: number
  /** By the monotonic clock, in ms. */
  notBefore: number
}

async function readBytes(path: string, from: number, length: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(length)
    for (let got = 0; got < length;) {
      const { bytesRead } = await handle.read(bytes, got, length - got, from + got)
      if (bytesRead === 0) throw Object.assign(new Error('the file is shorter than it was'), { code: 'ENOENT' })
      got += bytesRead
    }
    return bytes
  } finally {
    await handle.close()
  }
}

/**
 * Brings recordings to the object store while they are written, and lists them when they are there. Each part of a
 * file that is whole on the disk goes up at once, and before that what there is of it: as the rest of a fragment of
 * which the part before has the begin, and when it is half full. When the file is finished, its rest goes up, and its
 * first part again, as only that was changed behind the writer. Recording never waits for it: while the object store is
 * slow or away files stay on the disk, and are tried again with growing delays.
 */
export function createStoring(options: {
  readonly blobs: Blobs
  readonly rows: UploadRows
  readonly folder: RecordingFolder
  readonly files: Pick<FileSystem, 'size' | 'remove'>
  readonly listener: () => FileListener
  readonly clock: Clock
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}) {
  const { blobs, rows, folder, files, listener, clock, log } = options
  const entries = new Map<number, Entry>()
  const running = new Set<Promise<void>>()
  let working = 0
  let closed = false

  const entryOf = (file: LocalFile): Entry => ({
    file,
    upload: undefined,
    parts: [],
    sent: 0,
    isHeadSent: true,
    isWhole: false,
    listed: undefined,
    busy: false,
    failures: 0,
    notBefore: 0,
  })
  const isHeld = (entry: Entry): boolean => !closed && entries.get(entry.file.vid) === entry
  const lose = ({ file: { vid, cid } }: Entry): void => {
    entries.delete(vid)
    log.warn({ vid, cid }, 'another service lists this recording; the file stays on this disk')
  }
  /** Sends a part of a file that has so many bytes. */
  const send = async (entry: Entry, number: number, size: number): Promise<void> => {
    const key = objectKey(entry.file)
    if (entry.upload === undefined) {
      const upload = await blobs.begin(key)
      if (!(await rows.note(entry.file.vid, upload))) {
        await blobs.abort(key, upload)
        return lose(entry)
      }
      entry.upload = upload
    }
    const from = (number - 1) * partBytes
    const to = Math.min(from + partBytes, size)
    const { listed } = entry
    const bytes = await readBytes(folder.file(entry.file), from, to - from)
    entry.parts[number - 1] = await blobs.part(key, entry.upload, number, bytes)
    // What was not whole when the file was finished meanwhile goes up again.
    if (entry.listed === listed || to - from === partBytes) entry.sent = Math.max(entry.sent, to)
  }
  const list = async (entry: Entry, listed: RecordedFile): Promise<void> => {
    const { file } = entry
    const heard = listener()
    const done = { ...listed, completed: clock.now() }
    if (!(await rows.stored(done, (transaction) => heard.enqueue(transaction, done)))) return lose(entry)
    entries.delete(file.vid)
    // One that stays is removed by the next start.
    await files.remove(folder.file(file)).catch((error: unknown) => log.warn({ err: error }, 'a file is left'))
    heard.onFile(done, done.merged)
    log.info({ vid: file.vid, cid: file.cid, bytes: done.bytes }, 'a recording is in the object store')
  }
  /** One step of a file; false when nothing is to be done now. */
  const step = async (entry: Entry): Promise<boolean> => {
    const { file, listed } = entry
    const key = objectKey(file)
    const next = Math.floor(entry.sent / partBytes) + 1
    if (!listed) {
      const size = (await files.size(folder.file(file))) ?? 0
      const unsent = size - entry.sent
      const isRest = entry.sent > 0 && entry.sent % partBytes === 0 && unsent > 0
      if (entry.listed || !(isRest || unsent >= early || size >= next * partBytes)) return entry.listed !== undefined
      await send(entry, next, size)
      return true
    }
    if (!entry.isWhole) {
      if (entry.upload === undefined && listed.bytes <= partBytes)
        await blobs.put(key, await readBytes(folder.file(file), 0, listed.bytes))
      else {
        if (entry.sent < listed.bytes) {
          await send(entry, next, listed.bytes)
          if (next === 1) entry.isHeadSent = true
          return true
        }
        if (!entry.isHeadSent) {
          await send(entry, 1, listed.bytes)
          entry.isHeadSent = true
        }
        if (!isHeld(entry)) return false
        await blobs.complete(key, entry.upload!, entry.parts.slice(0, Math.ceil(listed.bytes / partBytes)))
      }
      entry.isWhole = true
    }
    await list(entry, listed)
    return false
  }
  const work = async (entry: Entry): Promise<void> => {
    entry.busy = true
    working++
    let isMore = false
    try {
      isMore = await step(entry)
      entry.failures = 0
      if (!isMore) entry.notBefore = clock.monotonic() + lookEvery
    } catch (error) {
      if (error instanceof BlobFault && error.kind === 'missing') {
        // The upload is gone: it begins anew.
        entry.upload = undefined
        entry.parts = []
        entry.sent = 0
      }
      entry.notBefore = clock.monotonic() + doubledWait(waits, entry.failures++)
      // What the object store could not do is logged already.
      if (!(error instanceof BlobFault))
        log.warn({ err: error, vid: entry.file.vid }, 'a recording cannot be stored now')
    } finally {
      entry.busy = false
      working--
    }
    // Behind the others: each has its turn.
    if (isHeld(entry)) {
      entries.delete(entry.file.vid)
      entries.set(entry.file.vid, entry)
    }
    look()
  }
  const look = (): void => {
    if (closed) return
    for (const entry of entries.values()) {
      if (working >= atOnce) return
      if (entry.busy || entry.notBefore > clock.monotonic()) continue
      const done = work(entry)
      running.add(done)
      inBackground(
        done.finally(() => running.delete(done)),
        log,
        'storing a recording',
      )
    }
  }
  const stopLooking = repeated(clock, lookEvery, look)
  const stopTelling = repeated(clock, aliveEvery, () => inBackground(rows.alive(), log, 'telling of recordings'))

  return {
    /** A file is being written. */
    begun: (file: LocalFile) => void entries.set(file.vid, entryOf(file)),
    /** It is not to be stored: too short, or deleted. */
    async dropped({ vid }: Pick<LocalFile, 'vid'>) {
      const entry = entries.get(vid)
      entries.delete(vid)
      if (entry?.upload !== undefined) await blobs.abort(objectKey(entry.file), entry.upload)
    },
    /** It is finished on this computer. With `isChanged` its bytes are others than those that were sent. */
    async finished(listed: RecordedFile, isChanged: boolean) {
      const { vid, cid } = listed
      const file = { vid, cid, format: listed.format === 'flv' ? 1 : 0 }
      const before = entries.get(vid)
      if (!(await rows.finished(listed))) return lose(before ?? entryOf(file))
      const entry = !before || isChanged ? entryOf(file) : before
      entries.set(vid, entry)
      entry.isHeadSent = entry.upload === undefined && !entry.busy
      entry.listed = listed
      // What was sent of a part that was not whole may have been the begin of what was cut off.
      entry.sent -= entry.sent % partBytes
      entry.notBefore = 0
      if (entry !== before && before?.upload !== undefined)
        inBackground(blobs.abort(objectKey(file), before.upload), log, 'ending an upload')
      look()
    },
    /** Files that are finished and not in the object store yet, with their bytes. */
    waiting: () => {
      const finished = [...entries.values()].flatMap(({ listed }) => listed ?? [])
      return { files: finished.length, bytes: finished.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
    /** Waits `patience` ms for finished files; the next start brings the rest. */
    async close(patience: number) {
      const until = clock.monotonic() + patience
      const isLeft = (): boolean => [...entries.values()].some(({ listed, failures }) => listed && failures === 0)
      while (isLeft() && running.size > 0 && clock.monotonic() < until) {
        let cancel = (): void => {}
        await Promise.race([
          ...running,
          new Promise<void>((resolve) => (cancel = clock.after(until - clock.monotonic(), resolve))),
        ])
        cancel()
      }
      closed = true
      stopLooking()
      stopTelling()
      await Promise.race([Promise.all(running), new Promise((resolve) => setTimeout(resolve, patience).unref())])
    },
  }
}
