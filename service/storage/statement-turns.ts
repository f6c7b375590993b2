import type { Clock } from '../../platform/clock.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest run of statements without an event-loop turn, in ms. */
export const maxStatements = 8

/** Awaiting node:sqlite gives no event-loop turn: many small statements would block as long as one large one. */
export function createStatementTurns(clock: Pick<Clock, 'monotonic'>) {
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
    isDue(): boolean {
      const now = clock.monotonic()
      watch()
      if (begun !== undefined) return now - begun > maxStatements
      begun = now
      return false
    },
    async turn(): Promise<void> {
      await nextTurn()
      begun = clock.monotonic()
      watch()
    },
  }
}

/** Inserts event-loop turns between statements. */
export type StatementTurns = ReturnType<typeof createStatementTurns>
