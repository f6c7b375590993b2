import type { AnyProcedure } from '@orpc/server'
import type { ProcedurePath } from './memory-client.ts'

type PathsOf<R> = {
  [K in keyof R & string]: R[K] extends AnyProcedure ? K : `${K}.${PathsOf<R[K]>}`
}[keyof R & string]

/**
 * A router that answers every procedure of the contract but those named here, each with the reason; a type error names
 * what is neither answered nor named, and what is named although it is answered.
 */
export const wholeRouter = <R extends object>(
  router: R,
  _unanswered: Readonly<Record<Exclude<ProcedurePath, PathsOf<R>>, string>>,
): R => router
