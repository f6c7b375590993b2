import type { Generated } from 'kysely'

/** A target of a channel; its key is kept elsewhere. */
export interface TargetTable {
  targetId: Generated<number>
  cid: string
  name: string
  /** One of `targetPresets`. */
  preset: string
  /** Address without the key. */
  url: string
  /** One of `targetStarts`. */
  start: string
}

/** Tables of targets. */
export interface TargetTables {
  target: TargetTable
}
