import { wordsOf } from './place-fault.ts'

const noted = new WeakSet<Error>()

/**
 * Notes an error as one of a connection to the database, which could not be opened or ended by itself, or of the object
 * store.
 */
export const noteAway = (error: unknown): void => {
  if (error instanceof Error) noted.add(error)
}
const isNoted = (error: Error): boolean => noted.has(error)

/** Of PostgreSQL: it is ending, starting, or has no place for another connection. */
const ofServer: ReadonlySet<unknown> = new Set(['53300', '57P01', '57P02', '57P03'])

/**
 * In the words of the system, what an error of an engine that is away tells: of a connection to the database, or of the
 * object store. Undefined for other errors, whose stack the log needs.
 */
export function awayReason(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++)
    if (isNoted(each) || ofServer.has((each as { code?: unknown }).code)) return wordsOf(each)
  return undefined
}
