import type { Clock } from '../../platform/clock.ts'
import type { Waiting } from './line-options.ts'

/**
 * When viewers get a moving picture again, in ms: once what came at `first` is due, or, where nothing has come that it
 * can begin with, what comes now. Undefined while they get one or it is held by hand, and where it is not known.
 */
export function goesOn(
  waiting: Waiting | undefined,
  line: { readonly first: number | undefined; readonly delay: number; readonly isPushed: boolean },
  clock: Pick<Clock, 'now' | 'monotonic'>,
): number | undefined {
  const { first, delay, isPushed } = line
  if (!waiting || waiting.byHand !== undefined) return undefined
  if (first === undefined && (delay === 0 || !isPushed)) return undefined
  const now = clock.monotonic()
  return Math.round(clock.now() + (first ?? now) + delay - now)
}
