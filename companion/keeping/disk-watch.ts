import type { Clock } from '../../platform/clock.ts'

/** Between two looks at a disk that refused, in ms. */
const lookEvery = 2_000

/** Whether the disks of the app and of the service refuse writes; looked at only since one did. */
export interface DiskWatch {
  /** A disk refused: it can only be read, or it answers with errors. */
  refused(): void
  close(): void
}

/** Makes it. `trial` answers the error of a small write into a folder, `told` hears when a refusal is there and when all take writes again. */
export function createDiskWatch(ports: {
  readonly clock: Pick<Clock, 'after'>
  readonly folders: () => readonly string[]
  readonly trial: (folder: string) => unknown
  readonly told: (refuses: boolean) => void
}): DiskWatch {
  let cancel: (() => void) | undefined
  const later = (): void => {
    cancel = ports.clock.after(lookEvery, () => {
      if (ports.folders().some((folder) => ports.trial(folder) !== undefined)) return later()
      cancel = undefined
      ports.told(false)
    })
  }
  return {
    refused: () => {
      if (cancel) return
      later()
      ports.told(true)
    },
    close: () => {
      cancel?.()
    },
  }
}
