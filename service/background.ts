import type { Log } from './log.ts'

/** Runs work without waiting; a failure is logged with what was being done. */
export function inBackground(work: Promise<unknown>, log: Pick<Log, 'warn'>, doing: string): void {
  work.catch((error: unknown) => log.warn({ err: error, doing }, `${doing} failed`))
}
