import type { Clock } from '../../platform/clock.ts'
import { heldBytes } from '../hub/held-memory.ts'
import type { OpenFile } from './file-system.ts'

/** Appends to a file without blocking. */
export type FileSink = ReturnType<typeof createFileSink>

/** Bytes queued at most: 40 s of a stalled disk at 6 Mbit/s. */
const defaultBound = 32 * 1024 * 1024
/** Bytes per system call. */
const batch = 4 * 1024 * 1024

/** Opens a file for appending; errors of opening are reported like those of writing. */
export function createFileSink(options: {
  readonly open: () => Promise<OpenFile>
  readonly clock: Clock
  /** Bytes that may be queued; more means that the disk is too slow. */
  readonly bound?: number
  /** Interval of syncs in ms, against loss of power (behaviour.md#kept-and-dropped-files). */
  readonly syncEvery?: number
  /** Called once, when a write fails. */
  readonly failed?: (error: unknown) => void
}) {
  const { open, clock, bound = defaultBound, syncEvery = 5000, failed } = options
  let queue: { readonly parts: readonly Buffer[]; readonly length: number }[] = []
  let waiting = 0
  let taken = 0
  let written = 0
  let file: OpenFile | undefined
  let fault: unknown
  let faulty = false
  let closing = false
  let pumping: Promise<void> | undefined
  let synced = clock.monotonic()
  let dirty = false

  const fail = async (error: unknown): Promise<void> => {
    fault = error
    faulty = true
    queue = []
    waiting = 0
    // The last write may be incomplete.
    await file?.truncate(written).catch(() => undefined)
    if (!closing) failed?.(error)
  }
  const sync = async (): Promise<void> => {
    if (!file || !dirty) return
    dirty = false
    await file.datasync()
    synced = clock.monotonic()
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
          // Complete writes are kept.
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
        if (clock.monotonic() - synced >= syncEvery) await sync()
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
    /** Queues parts, all or none: false when the queue is full or the file failed. */
    write(parts: readonly Buffer[]) {
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      if (faulty || closing || waiting + length > bound) return false
      // Small slices of larger memory are copied, so that the limit in bytes holds.
      queue.push({ parts: heldBytes(parts) > 2 * length ? [Buffer.concat(parts)] : parts, length })
      waiting += length
      taken += length
      wake()
      return true
    },
    /** Writes the queue, syncs, returns the length. Rejects after truncating an incomplete write. */
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
