import { ref, shallowRef } from 'vue'
import type { Measure, RoomAction } from '../../contract/rpc/index.ts'
import { inverseOf, undoFor } from './room-measures.ts'

/** Something that was done just now and can be taken back until `until`, in ms. */
export interface Undoable {
  readonly action: RoomAction
  readonly inverse: Measure
  readonly until: number
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

/** The measures that this page takes, and what can be said and taken back of the last one. */
export function createRoomActs(now: () => number) {
  const undoable = shallowRef<Undoable | null>(null)
  const taken = shallowRef<(Waiting & { readonly until: number }) | null>(null)
  const begun = ref(0)
  const carried = shallowRef<Carried | null>(null)
  return {
    undoable,
    taken,
    begun,
    carried,
    /** Takes a measure by what asks for it; `undoes` is the entry of the log that it takes back. Throws what refused it. */
    take: async (
      measure: Measure,
      undoes: number | undefined,
      work: () => Promise<{ readonly action: RoomAction; readonly taken: Waiting | null }>,
    ): Promise<void> => {
      const turn = ++begun.value
      const { action, taken: element } = await work()
      const inverse = undoes === undefined ? inverseOf(measure) : null
      undoable.value = inverse === null ? null : { action, inverse, until: now() + undoFor }
      if (element !== null) taken.value = { ...element, until: now() + undoFor }
      carried.value = { turn, measure }
    },
    /** Nothing of it is about another room. */
    forget: (): void => {
      undoable.value = null
      taken.value = null
      carried.value = null
    },
  }
}
