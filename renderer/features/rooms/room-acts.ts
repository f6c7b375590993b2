import { ref, shallowRef } from 'vue'
import type { Measure, RoomAction } from '../../../contract/rpc/index.ts'
import { failureOf } from '../../data/failure.ts'
import type { RoomNotice } from './room-log.ts'
import { holdsSince, inverseOf, undoes as takesBack, undoFor } from './room-measures.ts'

/** Something that was done just now and can be taken back until `until`, in ms. */
export interface Undoable {
  readonly action: RoomAction
  /** What takes it back at this moment. */
  readonly inverse: () => Measure
  readonly until: number
}
/** A timed mute that was not taken, since one that ends at `mutedUntil`, in ms, outlasts it; told until `until`. */
export interface Outlasted {
  readonly measure: Extract<Measure, { kind: 'temporaryMute' }>
  readonly mutedUntil: number
  readonly until: number
}
/** `undoes`: the entry of the log that a measure takes back; `shortens`: a mute may end a longer one; `upon`: the line it is taken upon. */
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
/** A measure that was carried out; `turn` counts from the first that was begun. */
export interface Carried {
  readonly turn: number
  readonly measure: Measure
}

/** For how long it is told that a mute was not taken, in ms. */
const outlastedFor = 15_000

/** The measures that this page takes, and what can be said and taken back of the last one. */
export function createRoomActs(now: () => number) {
  const undoable = shallowRef<Undoable | null>(null)
  const outlasted = shallowRef<Outlasted | null>(null)
  const taken = shallowRef<(Waiting & { readonly until: number }) | null>(null)
  const begun = ref(0)
  /** Rooms that were shown so far: an answer that comes for one before says nothing of this one. */
  let rooms = 0
  const carried = shallowRef<Carried | null>(null)
  /** What hears the notices that come while a measure is under way. */
  const listeners = new Set<(notice: RoomNotice) => void>()
  /** Carries a measure out; resolves with the answer, and whether a notice that came before it told that it was taken back already. */
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
    /** Takes a measure by what asks for it; false where it would end a longer mute. Throws what refused it. */
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
      /** What was offered before is none of what this press did. */
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
      /** When the mute that this one took the place of would have ended. */
      const former = now() + replaced * 1000
      if (room !== rooms) return true
      // Taking something back by hand is its undo.
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
    /** Others act too: what somebody has taken back is not offered any more. */
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
