/** Runs work without waiting; a failure becomes an uncaught exception. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => reportError(error))
}
