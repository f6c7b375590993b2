/** Runs work without waiting; reports a failure as an uncaught exception. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => reportError(error))
}
