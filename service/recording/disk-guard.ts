import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { FileSystem } from './file-system.ts'

/** Why recording is stopped: disk full, no write permission, folder missing, disk too slow, other system error. */
export type StopReason = 'space' | 'readonly' | 'folder' | 'slow' | 'error'

const codes: Readonly<Record<string, StopReason>> = {
  ENOSPC: 'space',
  EDQUOT: 'space',
  EFBIG: 'space',
  EROFS: 'readonly',
  EACCES: 'readonly',
  EPERM: 'readonly',
  ENOENT: 'folder',
  ENOTDIR: 'folder',
  ENODEV: 'folder',
  ENXIO: 'folder',
}
/** Classifies a system error. */
export const stopReasonOf = (error: unknown): StopReason =>
  codes[String((error as { code?: unknown } | undefined)?.code)] ?? 'error'

/** Hysteresis: space beyond the reserve before recording resumes; a tenth of it, at most 64 MiB. */
const margin = (reserve: number): number => Math.min(reserve / 10, 64 * 1024 * 1024)

/** Watches the disk from `begin` on, and stops recording when it is full or faulty. */
export function createDiskGuard(options: {
  readonly files: Pick<FileSystem, 'free' | 'probe'>
  readonly folder: string
  readonly reserve: number
  /** Interval of the checks, in ms. */
  readonly every: number
  /** Called when recording stops or resumes. */
  readonly changed: (reason: StopReason | undefined) => void
  readonly log: Pick<Log, 'warn'>
}) {
  const { files, folder, reserve, every, changed, log } = options
  let blocked: StopReason | undefined
  let free = 0
  let isKnown = false
  let looking: Promise<void> | undefined
  let suspect = false

  const set = (reason: StopReason | undefined): void => {
    if (reason === blocked) return
    blocked = reason
    changed(reason)
  }
  const check = async (): Promise<StopReason | undefined> => {
    try {
      try {
        free = await files.free(folder)
        isKnown = true
      } catch (error) {
        isKnown = false
        throw error
      }
      if (free < reserve || (blocked === 'space' && free < reserve + margin(reserve))) return 'space'
      // Needed only after a failure; otherwise the recorder's writes show it.
      if (blocked !== undefined || suspect) await files.probe(folder)
      suspect = false
      return undefined
    } catch (error) {
      return stopReasonOf(error)
    }
  }
  const look = (): Promise<void> =>
    (looking ??= check().then((reason) => {
      looking = undefined
      set(reason)
    }))
  const lookInBackground = (): void => inBackground(look(), log, 'looking at the disk of recordings')

  return {
    get blocked(): StopReason | undefined {
      return blocked
    },
    /** Free bytes at the last check. */
    get free() {
      return free
    },
    /** Bytes until recording stops, 0 while the disk is full; undefined while unknown. */
    get space(): number | undefined {
      return isKnown ? (blocked === 'space' ? 0 : Math.max(0, free - reserve)) : undefined
    },
    /** Bytes to be freed before recording resumes; undefined unless the disk is full. */
    get needs(): number | undefined {
      return blocked === 'space' && isKnown ? Math.max(0, Math.ceil(reserve + margin(reserve) - free)) : undefined
    },
    /** A write failed: checks at once, including a write. */
    async failed() {
      // A check already running may have missed the fault.
      await looking
      suspect = true
      await look()
    },
    look,
    /** Checks at once, then regularly; the returned function ends it. */
    begin(): () => void {
      const timer = setInterval(lookInBackground, every)
      timer.unref()
      lookInBackground()
      return () => clearInterval(timer)
    },
  }
}
