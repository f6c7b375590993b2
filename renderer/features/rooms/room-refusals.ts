import { shallowRef } from 'vue'
import type { Measure } from '../../../contract/rpc/index.ts'
import type { Failure } from '../../data/failure.ts'
import type { RoomNotice } from './room-log.ts'
import { holdsSince, isAgainst } from './room-measures.ts'

/** A measure that was asked for and refused: whoever asked may believe it done. */
export interface Refusal {
  /** The room, as the page names it. */
  readonly at: string
  readonly measure: Measure
  readonly failure: Failure
}

/** What a measure is about: a line, a person, an element of the queue, else the room by the kind of the measure. */
const subjectOf = (measure: Measure): string =>
  'msgid' in measure
    ? `line ${measure.msgid}`
    : 'target' in measure
      ? `person ${measure.target}`
      : 'key' in measure
        ? `${measure.kind} ${measure.key ?? ''}`
        : measure.kind

/** Whether a notice tells that a measure was taken by somebody, or another one against the same person. */
const settles = (notice: RoomNotice, measure: Measure): boolean =>
  'target' in measure
    ? !('msgid' in measure) && isAgainst(notice, measure.target)
    : holdsSince(notice, measure) === true

/** Measures that were refused and of which nothing else has come since: none goes by itself, nor with the end of what refused it. */
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
    /** A measure was taken: what was refused about the same is settled. */
    done,
    /** Others act too. What was done and not logged is told all the same. */
    noticed: (at: string, notice: RoomNotice): void =>
      drop(at, ({ measure, failure }) => failure.kind !== 'unlogged' && settles(notice, measure)),
    removed: (at: string, msgid: string): void =>
      drop(at, ({ measure }) => 'msgid' in measure && measure.msgid === msgid),
    close: (at: string): void => drop(at, () => true),
  }
}
