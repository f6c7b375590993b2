import type { Clock } from '../../platform/clock.ts'
import type { HubLog } from '../hub/reader-fan.ts'
import type { SegmentFiles } from './segment-file.ts'

/** What viewers have of a channel. */
export interface LineState {
  /** Held by "Hold now" since then, in ms; undefined otherwise. */
  readonly byHand: number | undefined
  /** Since when there is no picture to hold, in ms: by hand since before any was sent, until one is. */
  readonly noPictureSince: number | undefined
  /** Delay in effect, in ms. */
  readonly delay: number
  /** The picture repeats until the delay is reached. */
  readonly isGrowing: boolean
  /** When viewers get a moving picture again, in ms; at the earliest, while no key frame waits. */
  readonly goesOn: number | undefined
  readonly fault: 'disk' | undefined
}

/** Why nothing is sent: held by hand since then (ms), or until a key frame is due. */
export interface Waiting {
  readonly byHand: number | undefined
  readonly isGrowing: boolean
}

/** Options of a line. */
export interface DelayedLineOptions {
  readonly cid: string
  readonly clock: Clock
  readonly log: HubLog | undefined
  readonly files: SegmentFiles
  /** Name of its files. */
  readonly name: string
  /** Delay asked for, in ms. */
  readonly delay: number
  readonly longGop: () => void
  readonly changed: () => void
  /** Its readers were told the end. */
  readonly over: () => void
}
