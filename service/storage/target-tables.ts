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
  /** What became of its key: '' for none so far, `given`, or `forgotten` with the address that it was for. */
  keyState: string
  /** How often services of a cluster were given another key: which of the kept ones is the newest. */
  keyVersion: Generated<number>
}

/** Tables of targets. */
export interface TargetTables {
  target: TargetTable
}
