import type { Code } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { local } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'

/** Injected failures (behaviour.md#fault-injection); only with the start flag `--faults`. */
export type Faults = ReturnType<typeof createFaults>

/** Makes an empty set, bounded by applications times operations. */
export function createFaults() {
  const asked = new Map<string, { readonly code: Code; left: number }>()
  const key = (uid: number, path: string): string => `${uid} ${path}`
  return {
    /** Makes the next calls of an operation fail; 0 calls cancels. */
    inject(uid: number, path: string, { code, times }: { readonly code: Code; readonly times: number }) {
      if (times > 0) asked.set(key(uid, path), { code, left: times })
      else asked.delete(key(uid, path))
    },
    take(uid: number, path: string): Code | undefined {
      const fault = asked.get(key(uid, path))
      if (!fault) return undefined
      if (--fault.left === 0) asked.delete(key(uid, path))
      return fault.code
    },
  }
}

/** The operation that injects failures. */
export const faultOperations = (faults: Faults, operations: readonly Operation[]): Served[] => [
  serve(local.faults, ({ path, code, times }, { application }) => {
    const operation = operations.find((one) => one.path === path && !one.pending)
    if (!operation) throw new Refused(local.faults.unknown, 'there is no such operation')
    const listed = operation.codes.find((one) => one === code)
    if (listed === undefined) throw new Refused(local.faults.invalid, `${path} does not answer ${code}`)
    faults.inject(application.uid, path, { code: listed, times })
    return {}
  }),
]
