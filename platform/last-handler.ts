/**
 * Reports uncaught errors and keeps the process running: a fault in one part must not end a broadcast. Stored data is
 * consistent, as every change is a transaction or a rename. A process that no longer works stops answering and is
 * restarted by its supervisor. See `docs/decisions/`, "Faults that nobody expected".
 */
export function hearEveryFault(
  source: {
    on(event: 'unhandledRejection' | 'uncaughtException', listener: (reason: unknown) => void): unknown
  },
  say: (what: string, reason: unknown) => void,
): void {
  source.on('unhandledRejection', (reason) => say('a promise failed and nobody waited for it; going on', reason))
  source.on('uncaughtException', (reason) => say('an exception was not caught; going on', reason))
}
