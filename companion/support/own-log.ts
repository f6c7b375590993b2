import type { Clock } from '../../platform/clock.ts'
import { logRing } from '../supervisor/log-ring.ts'
import type { KnownSecrets } from './known-secrets.ts'

/** Writes to the shell's log, and keeps the last lines for support bundles. */
export function createOwnLog(known: KnownSecrets, clock: Pick<Clock, 'now'>, write: (line: string) => void) {
  const ring = logRing(() => known.all())
  return {
    log: (line: string) => {
      ring.add(`${new Date(clock.now()).toISOString()} ${line}`)
      write(line)
    },
    /** The last lines, with their times and without known secrets. */
    lines: (): string[] => ring.lines(),
  }
}
