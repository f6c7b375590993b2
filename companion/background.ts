import { reasonOf } from './failure.ts'

/** Lets work go on that nobody waits for. Should it fail, the log says what was being done and why it failed; nothing else is undone. */
export function inBackground(work: Promise<unknown>, log: (line: string) => void, doing: string): void {
  work.catch((error: unknown) => log(`${doing} failed: ${reasonOf(error)}`))
}
