import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { FileSystem } from './file-system.ts'

/** Why nothing can be recorded: too little room, no leave to write, the folder is gone, the disk is too slow, or anything else that the system says. */
export type StopReason = 'space' | 'readonly' | 'folder' | 'slow' | 'error'

/** Watches the disk and decides whether recording is possible. */
export interface DiskGuard {
  /** Undefined while recording is possible. */
  readonly blocked: StopReason | undefined
  /** Free bytes when last looked at. */
  readonly free: number
  /** Bytes until recording stops: 0 while it is stopped for want of room; undefined before the first look and while the disk cannot be read. */
  readonly room: number | undefined
  /** Bytes that must become free until recording goes on; undefined while it is not stopped for want of room. */
  readonly needs: number | undefined
  /** A write failed: looks at once, with a write of its own. */
  failed(): Promise<void>
  /** Looks now. */
  look(): Promise<void>
  close(): void
}

/** What the guard watches; `changed` hears when recording becomes possible or impossible. */
export interface DiskGuardOptions {
  readonly files: Pick<FileSystem, 'free' | 'probe'>
  readonly folder: string
  /** Bytes that stay free. */
  readonly reserve: number
  /** How often it looks, in ms. */
  readonly every: number
  readonly changed: (reason: StopReason | undefined) => void
  readonly log: Pick<Log, 'warn'>
}

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
/** What an error of the system means for recording. */
export const stopReasonOf = (error: unknown): StopReason =>
  codes[String((error as { code?: unknown } | undefined)?.code)] ?? 'error'

/** Room beyond the reserve that must be there before recording resumes, so that it does not begin and stop by turns: a tenth of the reserve, at most 64 MiB. */
const margin = (reserve: number): number => Math.min(reserve / 10, 64 * 1024 * 1024)

/** Makes the guard and lets it look at once and then regularly, until `close`. */
export function createDiskGuard({ files, folder, reserve, every, changed, log }: DiskGuardOptions): DiskGuard {
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
      // Only a write tells whether writes work; while nothing failed the recorder's own do.
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
  const timer = setInterval(lookInBackground, every)
  timer.unref()
  lookInBackground()

  return {
    get blocked() {
      return blocked
    },
    get free() {
      return free
    },
    get room() {
      return isKnown ? (blocked === 'space' ? 0 : Math.max(0, free - reserve)) : undefined
    },
    get needs() {
      return blocked === 'space' && isKnown ? Math.max(0, Math.ceil(reserve + margin(reserve) - free)) : undefined
    },
    async failed() {
      // A look that has begun may have missed the fault.
      await looking
      suspect = true
      await look()
    },
    look,
    close: () => clearInterval(timer),
  }
}
