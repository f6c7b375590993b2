import { shallowRef } from 'vue'
import type { Measure } from '../../../contract/rpc/index.ts'
import type { Failure } from '../../data/failure.ts'
import type { RoomNotice } from './room-log.ts'
import { holdsSince, isAgainst } from './room-measures.ts'

/** A refused measure. */
export interface Refusal {
  /** Profile and room. */
  readonly at: string
  readonly measure: Measure
  readonly failure: Failure
}

/** A line, a person, an element of the queue, or a kind of measure. */
const subjectOf = (measure: Measure): string =>
  'msgid' in measure
    ? `line ${measure.msgid}`
    : 'target' in measure
      ? `person ${measure.target}`
      : 'key' in measure
        ? `${measure.kind} ${measure.key ?? ''}`
        : measure.kind

const settles = (notice: RoomNotice, measure: Measure): boolean =>
  'target' in measure
    ? !('msgid' in measure) && isAgainst(notice, measure.target)
    : holdsSince(notice, measure) === true

/** Refused measures. Each stays until its subject changes, as its sender may believe it done. */
export function createRoomRefusals() {
  const all = shallowRef<readonly Refusal[]>([])
  const drop = (at: string, isOver: (refusal: Refusal) => boolean): void => {
    const left = all.value.filter((refusal) => refusal.at !== at || !isOver(refusal))
    if (left.length < all.value.length) all.value = left
  }
  const done = (at: string, measure: Measure): void =>
    drop(at, (refusal) => subjectOf(refusal.measure) === subjectOf(measure))
  return {
    /** The newest last. */
    all,
    refused: (refusal: Refusal): void => {
      done(refusal.at, refusal.measure)
      all.value = [...all.value, refusal]
    },
    done,
    /** A measure done but not logged stays. */
    noticed: (at: string, notice: RoomNotice): void =>
      drop(at, ({ measure, failure }) => failure.kind !== 'unlogged' && settles(notice, measure)),
    removed: (at: string, msgid: string): void =>
      drop(at, ({ measure }) => 'msgid' in measure && measure.msgid === msgid),
    close: (at: string): void => drop(at, () => true),
  }
}
