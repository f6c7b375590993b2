import { diskFiles, type FileSystem } from './file-system.ts'

/** Limits of recording in bytes and ms, for tests and small disks. */
export interface RecordingLimits {
  readonly reserve?: number
  readonly lookEvery?: number
  /** Length of a "minute" of a slice, in ms; shorter in tests. */
  readonly minute?: number
  readonly queueBound?: number
  readonly sliceBytes?: number
  /** How long closing waits for files to be finished, in ms; the next start finishes the rest. */
  readonly closePatience?: number
  /** How long a service says nothing before others take up its recordings, in ms. */
  readonly lostAfter?: number
  readonly files?: FileSystem
}

/** What holds where a limit is not given; recording stops when there is just enough to finish every open slice. */
export const defaultLimits = {
  reserve: 512 * 1024 * 1024,
  lookEvery: 2000,
  minute: 60_000,
  closePatience: 2500,
  files: diskFiles as FileSystem,
}
