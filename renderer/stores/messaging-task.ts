import { ref, type Ref } from 'vue'
import { failureOf, type Failure } from '../rpc/failure.ts'

/** One thing at a time that a part of the screen does, by name, and why the last one did not happen. */
export interface Task {
  readonly busy: Ref<string | null>
  readonly failure: Ref<Failure | null>
  /** Does a piece of work unless another runs; true when it was done. */
  run(name: string, work: () => Promise<unknown>): Promise<boolean>
}

/** A task of a component. */
export function useTask(): Task {
  const busy = ref<string | null>(null)
  const failure = ref<Failure | null>(null)
  return {
    busy,
    failure,
    run: async (name, work) => {
      if (busy.value !== null) return false
      busy.value = name
      failure.value = null
      try {
        await work()
        return true
      } catch (error) {
        failure.value = failureOf(error)
        return false
      } finally {
        busy.value = null
      }
    },
  }
}
