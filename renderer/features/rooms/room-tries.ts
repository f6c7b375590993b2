import { shallowRef, type ShallowRef } from 'vue'
import { failureOf, type Failure } from '../../data/failure.ts'

/** What is asked of a room's service, and what it refused last. */
export interface RoomTries {
  /** Stays until the same is done, or is forgotten. */
  readonly failure: ShallowRef<Failure | null>
  /** Does something by its name; resolves with whether it was done: nothing refused it, and it did not answer false. */
  readonly trying: (what: string, work: () => Promise<unknown>) => Promise<boolean>
}

/** Begins with nothing refused. */
export function createRoomTries(): RoomTries {
  const failure = shallowRef<Failure | null>(null)
  let refused = ''
  return {
    failure,
    trying: async (what, work) => {
      try {
        const answer = await work()
        if (refused === what) failure.value = null
        return answer !== false
      } catch (error) {
        refused = what
        failure.value = failureOf(error)
        return false
      }
    },
  }
}
