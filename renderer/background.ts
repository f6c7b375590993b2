/** Lets work go on that nobody waits for. Should it fail unexpectedly, the page reports it as an uncaught exception (the console shows it), and the screen stays. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => reportError(error))
}
