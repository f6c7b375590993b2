import { reasonOf } from './failure.ts'

/** Lets work go on that nobody waits for; a failure is logged. */
export function inBackground(work: Promise<unknown>, log: (line: string) => void, doing: string): void {
  work.catch((error: unknown) => log(`${doing} failed: ${reasonOf(error)}`))
}
