import type { Operation } from '../../contract/operation.ts'
import { pageOperations } from '../../contract/rpc/operations.ts'
import type { Client } from '../client/client.ts'
import type { RpcImplementer } from './implementer.ts'

type Implementers = RpcImplementer['operations']
type Handlers = {
  [G in keyof Implementers]: {
    [K in keyof Implementers[G]]: Implementers[G][K] extends { handler: (...args: never[]) => infer H } ? H : never
  }
}
interface Procedure {
  handler(
    handle: (options: { readonly input: { readonly profileId: string; readonly call: never } }) => Promise<unknown>,
  ): unknown
}

/** The operations that pages call, by signed calls. */
export function operationsRouter(os: Implementers, client: (profileId: string) => Promise<Client>): Handlers {
  const handled = (procedure: Procedure, operation: Operation): unknown =>
    procedure.handler(async ({ input }) => (await client(input.profileId)).call(operation, input.call))
  const procedures = os as unknown as Readonly<Record<string, Readonly<Record<string, Procedure>>>>
  return Object.fromEntries(
    Object.entries(pageOperations).map(([group, operations]) => [
      group,
      Object.fromEntries(
        Object.entries(operations).map(([name, operation]) => [
          name,
          handled(procedures[group]![name]!, operation as Operation),
        ]),
      ),
    ]),
  ) as Handlers
}
