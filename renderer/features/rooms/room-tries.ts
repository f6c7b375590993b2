import { shallowRef } from 'vue'
import { failureOf, type Failure } from '../../data/failure.ts'

/** What is asked of a room's service, and what it refused last. */
export function createRoomTries() {
  const failure = shallowRef<Failure | null>(null)
  let refused = ''
  return {
    /** Stays until the same is done, or is forgotten. */
    failure,
    /** Does something by its name; resolves with whether it was done: not refused, and not answered with false. */
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

/** How something is asked of a room's service. */
export type RoomTries = ReturnType<typeof createRoomTries>
