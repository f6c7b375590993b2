/** Lets work go on without waiting. A failure is reported as an uncaught exception. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => reportError(error))
}
