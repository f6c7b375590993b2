import { ref, shallowRef } from 'vue'
import type { Measure, RoomAction } from '../../../contract/rpc/index.ts'
import { failureOf } from '../../data/failure.ts'
import type { RoomNotice } from './room-log.ts'
import { holdsSince, inverseOf, undoes as takesBack, undoFor } from './room-measures.ts'

/** A measure that can be undone until `until`, in ms. */
interface Undoable {
  readonly action: RoomAction
  /** The undo, as of the call. */
  readonly inverse: () => Measure
  readonly until: number
}
/** A mute refused because one until `mutedUntil` is longer; shown until `until`. Times in ms. */
interface Outlasted {
  readonly measure: Extract<Measure, { kind: 'temporaryMute' }>
  readonly mutedUntil: number
  readonly until: number
}
/** `undoes`: log entry to undo; `shortens`: may end a longer mute; `upon`: the line that is the cause. */
export interface Taking {
  readonly undoes?: number
  readonly shortens?: boolean
  readonly upon?: string
}
/** An element of the queue. */
export interface Waiting {
  readonly key: string
  readonly value: string
}
/** A measure carried out; `turn` counts measures begun. */
interface Carried {
  readonly turn: number
  readonly measure: Measure
}

const outlastedFor = 15_000

/** Takes measures, and keeps what is shown of the last one. */
export function createRoomActs(now: () => number) {
  const undoable = shallowRef<Undoable | null>(null)
  const outlasted = shallowRef<Outlasted | null>(null)
  const taken = shallowRef<(Waiting & { readonly until: number }) | null>(null)
  const begun = ref(0)
  /** Rooms shown so far; an answer for an earlier one changes nothing. */
  let rooms = 0
  const carried = shallowRef<Carried | null>(null)
  const listeners = new Set<(notice: RoomNotice) => void>()
  /** `isOver`: a notice before the answer said that the measure was lifted again. */
  const carryOut = async <T>(
    measure: Measure,
    work: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly isOver: boolean }> => {
    let holds: boolean | undefined
    const hear = (notice: RoomNotice): void => {
      holds = holdsSince(notice, measure) ?? holds
    }
    listeners.add(hear)
    try {
      return { answer: await work(), isOver: holds === false }
    } finally {
      listeners.delete(hear)
    }
  }
  return {
    undoable,
    outlasted,
    taken,
    begun,
    carried,
    /** False where it would end a longer mute; throws other refusals. */
    take: async (
      measure: Measure,
      { undoes }: Taking,
      work: () => Promise<{
        readonly action: RoomAction
        readonly taken: Waiting | null
        readonly replaced?: number | undefined
      }>,
    ): Promise<boolean> => {
      const turn = ++begun.value
      const room = rooms
      outlasted.value = null
      const before = undoable.value
      const withdraw = (): void => {
        if (undoable.value === before) undoable.value = null
      }
      const came = await carryOut(measure, work).catch((error: unknown) => {
        withdraw()
        const { kind, leftSeconds = 0 } = failureOf(error)
        if (kind !== 'outlasted' || measure.kind !== 'temporaryMute') throw error
        const mutedUntil = now() + leftSeconds * 1000
        if (room === rooms) outlasted.value = { measure, mutedUntil, until: Math.min(mutedUntil, now() + outlastedFor) }
        return null
      })
      if (came === null) return false
      const { answer, isOver } = came
      const { action, taken: element, replaced = 0 } = answer
      /** When the replaced mute would have ended. */
      const former = now() + replaced * 1000
      if (room !== rooms) return true
      // Undoing by hand cannot be undone again.
      const isUndo =
        undoes !== undefined || (before !== null && now() < before.until && takesBack(measure, before.action.what))
      const inverse = isUndo || isOver ? null : inverseOf(measure)
      undoable.value =
        inverse === null
          ? null
          : { action, inverse: () => inverseOf(measure, former - now()) ?? inverse, until: now() + undoFor }
      if (element !== null) taken.value = { ...element, until: now() + undoFor }
      carried.value = { turn, measure }
      return true
    },
    /** What somebody else has lifted is not offered for undo. */
    noticed: (notice: RoomNotice): void => {
      for (const hear of listeners) hear(notice)
      if (undoable.value !== null && holdsSince(notice, undoable.value.action.what) === false) undoable.value = null
    },
    forget: (): void => {
      rooms += 1
      undoable.value = null
      outlasted.value = null
      taken.value = null
      carried.value = null
    },
  }
}
