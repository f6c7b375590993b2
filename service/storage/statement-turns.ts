import type { Clock } from '../../platform/clock.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest run of statements without an event-loop turn, in ms. */
export const maxStatements = 8

/** Inserts event-loop turns between statements. */
export interface StatementTurns {
  /** Whether the next statement must wait for a turn. */
  readonly isDue: () => boolean
  /** Waits for a turn. */
  readonly turn: () => Promise<void>
}

/**
 * node:sqlite is synchronous, and awaiting it gives no event-loop turn: many small statements would block as long as
 * one large one.
 */
export function createStatementTurns(clock: Pick<Clock, 'monotonic'>): StatementTurns {
  /** Start of the first statement since the last turn. */
  let begun: number | undefined
  let isWatched = false

  const watch = (): void => {
    if (isWatched) return
    isWatched = true
    setImmediate(() => {
      isWatched = false
      begun = undefined
    })
  }
  return {
    isDue() {
      const now = clock.monotonic()
      watch()
      if (begun !== undefined) return now - begun > maxStatements
      begun = now
      return false
    },
    async turn() {
      await nextTurn()
      begun = clock.monotonic()
      watch()
    },
  }
}
