import { ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { failureOf, type Failure } from './failure.ts'

/** Named work, one piece at a time, and its last failure. */
export interface Task<Name extends string = string> {
  readonly busy: Ref<Name | null>
  readonly failure: ShallowRef<Failure | null>
  /** True when it succeeded; false also when other work runs. */
  run(name: Name, work: () => Promise<unknown>): Promise<boolean>
  ask<T>(name: Name, work: () => Promise<T>): Promise<T | undefined>
  failureAt(name: Name): Failure | null
  /** Discards the result of running work. */
  drop(): void
}

/** Other work waits for this instead of being ignored. */
export const reading = 'read'

/** A task of a component or a store. */
export function useTask<Name extends string = string>(): Task<Name> {
  const busy = ref(null) as Ref<Name | null>
  const failure = shallowRef<Failure | null>(null)
  const failed = ref<string | null>(null)
  let read: Promise<unknown> | undefined
  let turn = 0
  const begin = async <T>(name: Name, work: () => Promise<T>): Promise<{ readonly answer: T } | undefined> => {
    const mine = ++turn
    busy.value = name
    failure.value = null
    try {
      const answer = await work()
      return mine === turn ? { answer } : undefined
    } catch (error) {
      if (mine === turn) {
        failed.value = name
        failure.value = failureOf(error)
      }
      return undefined
    } finally {
      if (mine === turn) busy.value = null
    }
  }
  const attempt = async <T>(name: Name, work: () => Promise<T>): Promise<{ readonly answer: T } | undefined> => {
    if (name !== reading && read) await read
    if (busy.value !== null) return undefined
    const begun = begin(name, work)
    if (name !== reading) return begun
    read = begun
    const done = await begun
    if (read === begun) read = undefined
    return done
  }
  return {
    busy,
    failure,
    run: async (name, work) => (await attempt(name, work)) !== undefined,
    ask: async (name, work) => (await attempt(name, work))?.answer,
    failureAt: (name) => (failed.value === name ? failure.value : null),
    drop: () => {
      turn += 1
      read = undefined
      busy.value = null
      failure.value = null
    },
  }
}
