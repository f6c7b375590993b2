import type { CutRange } from './work.ts'

/** What a clip is of: in ms of its first and last source. */
export interface Clip extends CutRange {
  /** Files that it was cut out of; none of one that was taken of what was on air. */
  readonly vids: readonly number[]
  /** How much earlier a player that ignores edit lists begins. */
  readonly early: number
  /** When its first picture was recorded, in ms since 1970; absent where that is not known. */
  readonly begin?: number
}

/** As a row has it. */
export const writeClip = (clip: Clip): string => JSON.stringify(clip)

/** Undefined for a file that is no clip. A clip of what was on air is the whole of it. */
export function readClip({ clip, duration }: { readonly clip?: string; readonly duration: number }): Clip | undefined {
  if (!clip) return undefined
  const known = JSON.parse(clip) as Clip
  return known.vids.length === 0 ? { ...known, to: duration } : known
}

/** The range of a task, as its row has it. */
export const readCut = (cut: string): CutRange | undefined => (cut === '' ? undefined : (JSON.parse(cut) as CutRange))
