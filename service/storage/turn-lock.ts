/** A first-in, first-out mutex. Wakes one waiter at a time: waking all would cost quadratic time. */
export function createTurnLock() {
  const waiting: (() => void)[] = []
  let isTaken = false
  return {
    /** Resolves when the caller has the lock. */
    take(): Promise<void> {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve))
      isTaken = true
      return Promise.resolve()
    },
    /** Passes it to the longest waiter. */
    give(): void {
      const next = waiting.shift()
      if (next) next()
      else isTaken = false
    },
  }
}
