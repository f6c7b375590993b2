/** Reports uncaught errors; a fault in one part must not end a broadcast (docs/decisions/012-unexpected-faults.md). */
export function hearEveryFault(
  source: {
    on(event: 'unhandledRejection' | 'uncaughtException', listener: (reason: unknown) => void): unknown
  },
  say: (what: string, reason: unknown) => void,
): void {
  source.on('unhandledRejection', (reason) => say('a promise failed and nobody waited for it; going on', reason))
  source.on('uncaughtException', (reason) => say('an exception was not caught; going on', reason))
}
