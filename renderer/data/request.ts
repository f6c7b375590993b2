import { getCurrentScope, onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { failureOf, type Failure } from './failure.ts'

/** A read that may be repeated; the latest one counts. */
export interface Request<T> {
  readonly value: ShallowRef<T | null>
  readonly failure: ShallowRef<Failure | null>
  readonly busy: Ref<boolean>
  /** Undefined when it failed or was superseded, which `isLate` says meanwhile. */
  run(ask: (isLate: () => boolean) => Promise<T>): Promise<T | undefined>
  reload(): Promise<T | undefined>
  /** Also forgets the last answer and the failure. */
  drop(): void
}

/** Options of a request. */
export interface RequestOptions {
  /** Keep the failure until the next answer, not the next request. */
  readonly keepsFailure?: boolean
}

/** Ends with the scope of its component or store. */
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
