import type { Clock } from '../../platform/clock.ts'

/** In ms. */
const lookEvery = 2_000

/** Makes the watch. `trial` returns the error of a small write; `told` gets each change. */
export function createDiskWatch(ports: {
  readonly clock: Pick<Clock, 'after'>
  readonly folders: () => readonly string[]
  readonly trial: (folder: string) => unknown
  readonly told: (refuses: boolean) => void
}) {
  let cancel: (() => void) | undefined
  const later = (): void => {
    cancel = ports.clock.after(lookEvery, () => {
      if (ports.folders().some((folder) => ports.trial(folder) !== undefined)) return later()
      cancel = undefined
      ports.told(false)
    })
  }
  return {
    /** A disk is read-only or failed. */
    refused: () => {
      if (cancel) return
      later()
      ports.told(true)
    },
    close: () => cancel?.(),
  }
}
