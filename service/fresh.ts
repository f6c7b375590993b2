import type { Served } from './http/dispatch.ts'
import type { LinkHandlers } from './link/handlers.ts'

/** Resolves once this service knows all that any service has answered before. */
export type Fresh = () => Promise<void>

/** Operations that answer by all that was answered before, by whichever service; unchanged for one that is alone. */
export const freshOperations = (fresh: Fresh | undefined, served: readonly Served[]): readonly Served[] =>
  fresh
    ? served.map((each): Served => {
        const { answer } = each
        if (!answer) return each
        return {
          ...each,
          async answer(parameters, caller) {
            await fresh()
            return answer(parameters, caller)
          },
        }
      })
    : served

/** The same of requests of the link. */
export const freshHandlers = (fresh: Fresh | undefined, handlers: LinkHandlers): LinkHandlers =>
  fresh
    ? (Object.fromEntries(
        Object.entries(handlers).map(([kind, handler]) => [
          kind,
          async (...given: Parameters<typeof handler>) => {
            await fresh()
            return (handler as (...all: typeof given) => unknown)(...given)
          },
        ]),
      ) as unknown as LinkHandlers)
    : handlers
