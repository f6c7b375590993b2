import type { Operation } from '../../../contract/operation.ts'
import type { Client } from '../../client/client.ts'

/** A client whose calls are answered by a test, with paths and arguments in their order. */
export function answeringClient(answer: (operation: Operation, args: Readonly<Record<string, unknown>>) => unknown) {
  const calls: [operation: Operation, args: object][] = []
  const client: Client = {
    call: async (operation, args) => {
      const called = operation as unknown as Operation
      calls.push([called, args])
      return (await answer(called, args as Readonly<Record<string, unknown>>)) as never
    },
    exchange: () => Promise.reject(new Error('not asked for here')),
    stream: () => Promise.reject(new Error('not asked for here')),
  }
  return { client, calls }
}
