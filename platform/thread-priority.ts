import { setPriority } from 'node:os'

/** Niceness of bulk work in threads, below ingest and delivery. */
const bulkNiceness = 10

/**
 * Lowers this thread's priority for bulk work. Linux only: elsewhere it would be that of the whole process. Without
 * effect where the process is nicer already, since raising a priority needs a permission.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(bulkNiceness)
  } catch {
    // The work is done at the priority that there is.
  }
}
