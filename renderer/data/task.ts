import { ref, type Ref } from 'vue'
import { failureOf, type Failure } from './failure.ts'

/** One thing at a time that a part of the screen does, by name, and why the last one did not happen. */
export interface Task {
  readonly busy: Ref<string | null>
  readonly failure: Ref<Failure | null>
  /** Does a piece of work unless another runs; true when it was done. */
  run(name: string, work: () => Promise<unknown>): Promise<boolean>
}

/** The name of work that only reads: what a person asks for meanwhile waits for it, and is not lost. */
export const reading = 'read'

/** A task of a component. */
export function useTask(): Task {
  const busy = ref<string | null>(null)
  const failure = ref<Failure | null>(null)
  let read: Promise<boolean> | undefined
  const begin = async (name: string, work: () => Promise<unknown>): Promise<boolean> => {
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
  }
  return {
    busy,
    failure,
    run: async (name, work) => {
      if (name !== reading && read) await read
      if (busy.value !== null) return false
      if (name !== reading) return begin(name, work)
      read = begin(name, work)
      const done = await read
      read = undefined
      return done
    },
  }
}
