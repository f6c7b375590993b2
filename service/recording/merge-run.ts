import { reasonOf, reasons, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import type { MergeRow } from './merges-store.ts'
import { WorkFault } from './workers.ts'

/** Attempts before an interrupted task fails. */
export const maxAttempts = 3

/** A merge task that runs here. */
export interface MergeRun {
  readonly task: MergeRow
  readonly vids: readonly number[]
  readonly abort: AbortController
  cancelled: boolean
  /** Bytes. */
  done: number
  /** Why it failed. */
  fault?: string
  over: Promise<void>
}

const failures: Readonly<Record<string, Exclude<keyof typeof reasons.merge, 'disk'>>> = {
  ATTEMPTS: 'attempts',
  ENOSPC: 'room',
  EDQUOT: 'room',
  EROFS: 'readonly',
  EACCES: 'readonly',
  EPERM: 'readonly',
  ENOENT: 'source',
  SOURCE: 'source',
  BROKEN: 'damaged',
}

/** Failure reason of a merge task; details are in the log. */
export function mergeFailureOf(error: unknown): ReasonOf<'merge'> {
  if (!(error instanceof WorkFault)) return reasonOf('merge', 'fault')
  const code = Object.hasOwn(failures, error.code) ? failures[error.code] : undefined
  return code === undefined ? reasonOf('merge', 'disk', { system: error.code }) : reasonOf('merge', code)
}
