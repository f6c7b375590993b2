import { setImmediate as nextTurn } from 'node:timers/promises'

/** Statements that follow each other without a turn of the event loop take no longer than this in all, in ms; the next one waits for a turn. */
export const maxStatements = 8

/** Sees to turns of the event loop between statements. */
export interface StatementTurns {
  /** Whether the statement to come must wait for a turn. */
  readonly isDue: () => boolean
  /** Waits for one. */
  readonly turn: () => Promise<void>
}

/**
 * node:sqlite works on the thread of its caller, and what awaits it goes on without a turn of the loop: a removal in small parts, or a
 * hundred statements of one request, would hold everything up as long as one large statement. `monotonic` is in ms.
 */
export function createStatementTurns(monotonic: () => number): StatementTurns {
  /** When the first statement since the last turn began. */
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
      const now = monotonic()
      watch()
      if (begun !== undefined) return now - begun > maxStatements
      begun = now
      return false
    },
    async turn() {
      await nextTurn()
      begun = monotonic()
      watch()
    },
  }
}
