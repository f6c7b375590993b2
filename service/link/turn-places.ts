/** Limits what begins per event-loop turn; the rest waits in order. */
export interface TurnPlaces {
  /** Resolves with a place in a later turn; undefined if there is one now. */
  enter(): Promise<void> | undefined
}

/** Makes it with `max` places per turn. The number of waiters must be bounded by the caller. */
export function createTurnPlaces(max: number): TurnPlaces {
  const waiting: (() => void)[] = []
  let taken = 0
  let isDue = false

  const renew = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      const entering = waiting.splice(0, max)
      taken = entering.length
      if (taken > 0) renew()
      // Separate callbacks, so that each one's time is measured alone.
      for (const enter of entering) setImmediate(enter)
    })
  }
  return {
    enter() {
      renew()
      if (waiting.length > 0 || taken >= max)
        return new Promise((resolve) => {
          waiting.push(resolve)
        })
      taken++
      return undefined
    },
  }
}
