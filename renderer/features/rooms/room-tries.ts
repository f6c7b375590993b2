import { shallowRef } from 'vue'
import { failureOf, type Failure } from '../../data/failure.ts'

/** Requests of a room, with the last failure. */
export function createRoomTries() {
  const failure = shallowRef<Failure | null>(null)
  let refused = ''
  return {
    /** Stays until the same request succeeds. */
    failure,
    /** False where the request failed or answered false. */
    trying: async (what: string, work: () => Promise<unknown>): Promise<boolean> => {
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

/** Requests of a room. */
export type RoomTries = ReturnType<typeof createRoomTries>
