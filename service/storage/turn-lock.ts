/** A first-in, first-out mutex. */
export interface TurnLock {
  /** Resolves when the caller has the lock. */
  take(): Promise<void>
  /** Passes it to the longest waiter. */
  give(): void
}

/** Makes a free lock. Wakes one waiter at a time: waking all would cost quadratic time. */
export function createTurnLock(): TurnLock {
  const waiting: (() => void)[] = []
  let isTaken = false
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve))
      isTaken = true
      return Promise.resolve()
    },
    give() {
      const next = waiting.shift()
      if (next) next()
      else isTaken = false
    },
  }
}
