/** Something that one has at a time, handed on in the order in which it was asked for. */
export interface TurnLock {
  /** Resolves when it is the caller's. */
  take(): Promise<void>
  /** Hands it to whoever waited longest. */
  give(): void
}

/** Makes a lock that nobody has. Who waits is woken once: a lock whose waiters all wake each time costs the square of their number. */
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
