import { getCurrentScope, onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { failureOf, type Failure } from './failure.ts'

/** Something that is read, and may be asked for again before it is answered: the latest question counts. */
export interface Request<T> {
  /** The last answer; null until there is one. */
  readonly value: ShallowRef<T | null>
  readonly failure: ShallowRef<Failure | null>
  readonly busy: Ref<boolean>
  /** Asks. Resolves with the answer; undefined when it failed or a later question was asked, which `isLate` tells meanwhile. */
  run(ask: (isLate: () => boolean) => Promise<T>): Promise<T | undefined>
  /** Asks the last question again; undefined where there was none. */
  reload(): Promise<T | undefined>
  /** What is asked counts no more, and the last answer and failure are forgotten. */
  drop(): void
}

/** How a request is made. */
export interface RequestOptions {
  /** The failure stands until the next answer, for what is asked again by itself: else it goes as soon as it is asked again. */
  readonly keepsFailure?: boolean
}

/** A request of a component or a store; it ends with its scope. */
export function useRequest<T>({ keepsFailure = false }: RequestOptions = {}): Request<T> {
  const value = shallowRef<T | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const busy = ref(false)
  let turn = 0
  let last: ((isLate: () => boolean) => Promise<T>) | undefined
  const run: Request<T>['run'] = async (ask) => {
    const mine = ++turn
    const isLate = (): boolean => mine !== turn
    last = ask
    busy.value = true
    if (!keepsFailure) failure.value = null
    try {
      const answer = await ask(isLate)
      if (isLate()) return undefined
      value.value = answer
      failure.value = null
      return answer
    } catch (error) {
      if (!isLate()) failure.value = failureOf(error)
      return undefined
    } finally {
      if (!isLate()) busy.value = false
    }
  }
  const drop = (): void => {
    turn += 1
    last = undefined
    value.value = null
    failure.value = null
    busy.value = false
  }
  if (getCurrentScope())
    onScopeDispose(() => {
      turn += 1
      last = undefined
    })
  return { value, failure, busy, run, reload: async () => (last ? run(last) : undefined), drop }
}
