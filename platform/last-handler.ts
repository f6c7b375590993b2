/** Where the last handler listens; a process, or a double of it. */
export interface FaultSource {
  on(event: 'unhandledRejection' | 'uncaughtException', listener: (reason: unknown) => void): unknown
}

/**
 * Hears what nobody else heard, says it, and lets the process go on: a broadcast is not ended by a fault in one part. What was thrown ended
 * the work that threw; what is stored is whole, since every change is one transaction or one rename. A process that cannot work any more stops
 * answering, and whoever supervises it starts it again. See `docs/decisions/`, "Faults that nobody expected".
 */
export function hearEveryFault(source: FaultSource, say: (what: string, reason: unknown) => void): void {
  source.on('unhandledRejection', (reason) => say('a promise failed and nobody waited for it; going on', reason))
  source.on('uncaughtException', (reason) => say('an exception was not caught; going on', reason))
}
