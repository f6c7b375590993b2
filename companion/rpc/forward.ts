import { isContractProcedure } from '@orpc/contract'
import { rpc } from '../../contract/rpc/index.ts'
import type { RpcImplementer } from './implementer.ts'

type Groups = Omit<RpcImplementer, 'operations'>
type HandlerOf<P> = P extends { handler: (handler: infer H) => unknown } ? H : never
type InputOf<P> =
  HandlerOf<P> extends (options: infer O, ...rest: never[]) => unknown
    ? O extends { input: infer I }
      ? I
      : never
    : never
type OutputOf<P> = HandlerOf<P> extends (...args: never[]) => infer R ? R : never
type Implemented<P> = P extends { handler: (...args: never[]) => infer H } ? H : never
type Forwarded<G, Part> = {
  [K in keyof G & keyof Part as Part[K] extends (input: InputOf<G[K]>) => OutputOf<G[K]> ? K : never]: Implemented<G[K]>
}
interface Procedure {
  handler(handle: (options: { readonly input: unknown }) => unknown): unknown
}

/** Handlers of a group's procedures that call the part's method of the same name with the input. */
export function forwarded<N extends keyof Groups & keyof typeof rpc, Part extends object>(
  name: N,
  os: RpcImplementer[N],
  part: Part,
): Forwarded<RpcImplementer[N], Part> {
  const methods = part as Readonly<Record<string, (input?: unknown) => unknown>>
  const procedures = os as unknown as Readonly<Record<string, Procedure>>
  // Also made where no method suits: the type then lacks the procedure, and the router takes none but its own handler.
  return Object.fromEntries(
    Object.entries(rpc[name])
      .filter(([, route]) => isContractProcedure(route))
      .map(([key]) => [
        key,
        procedures[key]!.handler(({ input }) => (input === undefined ? methods[key]!() : methods[key]!(input))),
      ]),
  ) as Forwarded<RpcImplementer[N], Part>
}
