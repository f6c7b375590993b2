import { heldBytes } from '../live/held-memory.ts'
import type { OpenFile } from './file-system.ts'

/** A file that is appended to without anybody waiting. */
export interface FileSink {
  /** Queues parts that belong together. False, and nothing is taken, when the queue is full or the file failed: what was taken before stays whole. */
  write(parts: readonly Buffer[]): boolean
  /** Bytes taken so far. */
  readonly bytes: number
  /** Writes what is queued, puts it on the disk and closes; resolves with the length of the file. Rejects with what failed, after cutting off what is not whole. */
  close(): Promise<number>
}

/** How a sink is made; times in ms, `monotonic` never jumps. */
export interface FileSinkOptions {
  readonly open: () => Promise<OpenFile>
  readonly monotonic: () => number
  /** Bytes that may wait; beyond it the disk is too slow. */
  readonly bound?: number
  /** How often what is written is put on the disk, against loss of power (behaviour.md#kept-and-dropped-files). */
  readonly syncEvery?: number
  /** Called once when a write fails. */
  readonly failed?: (error: unknown) => void
}

/** Bytes that may wait: at 6 Mbit/s the disk may stand still for 40 s. */
const defaultBound = 32 * 1024 * 1024
/** Bytes given to the system in one call. */
const batch = 4 * 1024 * 1024

/** Opens a file and appends to it; errors of opening come like those of writing. */
export function createFileSink({
  open,
  monotonic,
  bound = defaultBound,
  syncEvery = 5000,
  failed,
}: FileSinkOptions): FileSink {
  let queue: { readonly parts: readonly Buffer[]; readonly length: number }[] = []
  let waiting = 0
  let taken = 0
  let written = 0
  let file: OpenFile | undefined
  let fault: unknown
  let faulty = false
  let closing = false
  let pumping: Promise<void> | undefined
  let synced = monotonic()
  let dirty = false

  const fail = async (error: unknown): Promise<void> => {
    fault = error
    faulty = true
    queue = []
    waiting = 0
    // The last write may have left half of something behind.
    await file?.truncate(written).catch(() => undefined)
    if (!closing) failed?.(error)
  }
  const sync = async (): Promise<void> => {
    if (!file || !dirty) return
    dirty = false
    await file.datasync()
    synced = monotonic()
    if (!(await file.named()))
      throw Object.assign(new Error('the file was removed while it was written'), { code: 'ENOENT' })
  }
  const pump = async (): Promise<void> => {
    try {
      file ??= await open()
      while (queue.length > 0) {
        let count = 0
        let length = 0
        while (count < queue.length && length < batch) length += queue[count++]!.length
        const items = queue.splice(0, count)
        const done = await file.writev(
          items.flatMap(({ parts }) => parts),
          written,
        )
        waiting -= length
        if (done < length) {
          // What is whole stays.
          let whole = 0
          for (const item of items) {
            if (whole + item.length > done) break
            whole += item.length
          }
          written += whole
          throw Object.assign(new Error('no room for what was to be written'), { code: 'ENOSPC' })
        }
        written += length
        dirty = true
        if (monotonic() - synced >= syncEvery) await sync()
      }
    } catch (error) {
      await fail(error)
    }
    pumping = undefined
  }
  const wake = (): void => {
    pumping ??= Promise.resolve().then(pump).catch(fail)
  }
  wake()

  return {
    get bytes() {
      return taken
    },
    write(parts) {
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      if (faulty || closing || waiting + length > bound) return false
      // Parts that are the lesser part of the memory that they hold are copied: the queue is bounded by their bytes.
      queue.push({ parts: heldBytes(parts) > 2 * length ? [Buffer.concat(parts)] : parts, length })
      waiting += length
      taken += length
      wake()
      return true
    },
    async close() {
      closing = true
      while (pumping) await pumping
      try {
        if (!faulty) await sync()
      } catch (error) {
        await fail(error)
      }
      await file?.close().catch(() => undefined)
      if (faulty) throw fault
      return written
    },
  }
}
