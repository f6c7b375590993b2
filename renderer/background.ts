/** Lets work go on that nobody waits for. Should it fail unexpectedly, the page's last handler says so and the screen stays (`last-handler.ts`). */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => reportError(error))
}
