import { open } from 'node:fs/promises'
import { doubledWait } from '../../platform/backoff.ts'
import { pause, type Clock } from '../../platform/clock.ts'
import { BlobFault, maxParts, partBytes, type BlobPart, type Blobs } from '../blobs/blobs.ts'
import { maxMovie, readBox, type FileBox } from '../media/mp4-reader.ts'
import { objectKey } from './storing.ts'
import type { RecordingRow } from './files-store.ts'
import type { RecordingFolder } from './recording-folder.ts'
import type { CutRange, KnownBytes, MergeLayout, WorkResult } from './work.ts'
import { knownSource } from './work-plan.ts'
import { WorkFault, type Workers } from './workers.ts'

/** Parts that are on their way at once, each in memory. */
const atOnce = 2
/** Bytes that are read at once of the boxes of a source. */
const pieceBytes = 4 * 1024 * 1024
/** The longest header of a box, in bytes. */
const headerBytes = 16
/** Delays while the object store cannot be reached, in ms. */
const waits = { first: 1000, longest: 60_000 }

/** A source of a merge, on this disk or in the object store. */
interface Source {
  readonly size: number
  /** Bytes `from` to `to`, both included. */
  read(from: number, to: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** A merge of files that are in the object store, or on this disk, into the object store. */
export interface StoreMerge {
  readonly blobs: Blobs
  readonly folder: RecordingFolder
  readonly workers: Pick<Workers, 'run'>
  readonly clock: Clock
  /** Of the object that is made. */
  readonly key: string
  /** In order; one may be there more than once. */
  readonly sources: readonly RecordingRow[]
  /** What is cut out of them; all when absent. */
  readonly range?: CutRange | undefined
  /** The upload was begun; rejects when it is not to go on. */
  readonly begun: (upload: string) => Promise<void>
  /** All parts are there, and the object is about to be; rejects when it is not to be. */
  readonly completing: () => Promise<void>
  readonly progress: (done: number) => void
  readonly signal: AbortSignal
}

const sourceGone = (): WorkFault => new WorkFault('SOURCE', 'a source is gone, or shorter than it was')

/** Bytes per part, so that the protocol's number of parts is enough. */
export const partLength = (bytes: number, most: number = maxParts): number =>
  Math.max(partBytes, Math.ceil(bytes / most))

/** Reads bytes of the merged file, `from` inclusive and `to` exclusive. */
function readerOf({ head, copies, end }: MergeLayout, sources: readonly Source[]) {
  const inMemory = (bytes: Uint8Array) => ({
    length: bytes.length,
    read: (from: number, to: number) => Promise.resolve(bytes.subarray(from, to)),
  })
  const segments = [
    inMemory(head),
    ...copies.map(({ part, from, length }) => ({
      length,
      read: (first: number, to: number) => sources[part]!.read(from + first, from + to - 1),
    })),
    inMemory(end),
  ]
  return async (from: number, to: number): Promise<Buffer> => {
    const bytes = Buffer.allocUnsafe(to - from)
    let start = 0
    for (const { length, read } of segments) {
      const [first, last] = [Math.max(from, start), Math.min(to, start + length)]
      if (first < last) bytes.set(await read(first - start, last - start), first - from)
      start += length
    }
    return bytes
  }
}

/**
 * Merges files without a byte of them on the disk: what describes them is read first, and a thread plans the file that
 * comes of it, the same as on one disk. Then its parts are stored, each of the bytes of the sources that are in it.
 * An object store that is away is waited for.
 */
export async function mergeIntoStore(merge: StoreMerge): Promise<WorkResult> {
  const { blobs, folder, workers, clock, key, begun, completing, progress, signal } = merge

  /** Ends at once with the signal, and what was asked of the object store by itself. */
  const raced = async <T>(call: Promise<T>): Promise<T> => {
    let stop = (): void => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new WorkFault('ABORT_ERR', 'stopped'))
      signal.addEventListener('abort', stop, { once: true })
    })
    try {
      return await Promise.race([call, stopped])
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
  /** What makes the object is not left running: it would do so behind whoever removes the object. */
  const asked = async <T>(call: () => Promise<T>, isLast = false): Promise<T> => {
    for (let failures = 0; ; failures++) {
      if (signal.aborted) throw new WorkFault('ABORT_ERR', 'stopped')
      try {
        return await (isLast ? call() : raced(call()))
      } catch (error) {
        if (!(error instanceof BlobFault) || error.kind !== 'unreachable') throw error
        await pause(clock, doubledWait(waits, failures), signal)
      }
    }
  }
  const openFar = (row: RecordingRow): Source => ({
    size: row.bytes,
    read: (from, to) =>
      asked(() => blobs.read(objectKey(row), from, to)).catch((error: unknown) => {
        throw error instanceof BlobFault && error.kind === 'missing' ? sourceGone() : error
      }),
    close: () => Promise.resolve(),
  })
  const openNear = async (row: RecordingRow): Promise<Source> => {
    const handle = await open(folder.file(row), 'r').catch((error: unknown) => {
      throw new WorkFault((error as NodeJS.ErrnoException).code ?? 'EIO', 'a source cannot be read')
    })
    return {
      size: row.bytes,
      async read(from, to) {
        const bytes = Buffer.allocUnsafe(to - from + 1)
        for (let got = 0; got < bytes.length;) {
          const { bytesRead } = await handle.read(bytes, got, bytes.length - got, from + got)
          if (bytesRead === 0) throw sourceGone()
          got += bytesRead
        }
        return bytes
      },
      close: () => handle.close(),
    }
  }

  /** Bytes into memory of their own, which a thread can be given. */
  const readAll = async ({ read }: Source, from: number, end: number): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = new Uint8Array(end - from)
    for (let at = from; at < end; at += pieceBytes)
      bytes.set(await read(at, Math.min(end, at + pieceBytes) - 1), at - from)
    return bytes
  }
  /** The headers of its boxes, and its `moov`. */
  const described = async (source: Source): Promise<KnownBytes> => {
    const pieces: KnownBytes['pieces'][number][] = []
    const { size } = source
    for (let at = 0; at < size;) {
      const piece = { at, bytes: await readAll(source, at, Math.min(size, at + headerBytes)) }
      pieces.push(piece)
      const box: FileBox | undefined = readBox(knownSource({ size, pieces: [piece] }), at)
      // Not a whole movie: the plan says so.
      if (!box || box.end > size) break
      if (box.type === 'moov' && box.end - box.from <= maxMovie)
        pieces.push({ at: box.from, bytes: await readAll(source, box.from, box.end) })
      at = box.end
    }
    // What stands within another piece is found in the longer one first.
    return { size, pieces: pieces.toReversed() }
  }

  const opened = new Map<number, Source>()
  const stopping = new AbortController()
  try {
    for (const row of merge.sources)
      if (!opened.has(row.vid)) opened.set(row.vid, row.stored === 1 ? openFar(row) : await openNear(row))
    const known = new Map<number, KnownBytes>()
    for (const [vid, source] of opened) known.set(vid, await described(source))
    const inOrder = merge.sources.map(({ vid }) => vid)
    const plan = { kind: 'plan', sources: inOrder.map((vid) => known.get(vid)!), range: merge.range } as const
    const { layout, ...result } = await workers.run(plan, { signal })
    const size = result.bytes
    const bytesAt = readerOf(
      layout!,
      inOrder.map((vid) => opened.get(vid)!),
    )

    if (size <= partBytes) {
      const bytes = await bytesAt(0, size)
      await completing()
      await asked(() => blobs.put(key, bytes), true)
      progress(size)
      return result
    }
    const upload = await asked(() => blobs.begin(key))
    await begun(upload)
    const length = partLength(size)
    const parts: BlobPart[] = []
    let [next, done] = [1, 0]
    const store = async (): Promise<void> => {
      while ((next - 1) * length < size && !stopping.signal.aborted) {
        const number = next++
        const from = (number - 1) * length
        const bytes = await bytesAt(from, Math.min(size, from + length))
        parts[number - 1] = await asked(() => blobs.part(key, upload, number, bytes))
        done += bytes.length
        progress(done)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, store))
    await completing()
    await asked(async () => {
      try {
        await blobs.complete(key, upload, parts)
      } catch (error) {
        // An earlier attempt had done it, and its answer was lost.
        if (!(error instanceof BlobFault) || error.kind !== 'missing' || (await blobs.size(key)) !== size) throw error
      }
    }, true)
    return result
  } finally {
    stopping.abort()
    for (const source of opened.values()) await source.close()
  }
}
