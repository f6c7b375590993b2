/** Lets so much begin in a turn of the event loop; the rest waits for the turns after it, in its order. */
export interface TurnPlaces {
  /** Resolves once there is a place in a turn; undefined where there is one in this turn. */
  enter(): Promise<void> | undefined
}

/** Makes the places; `most` is how many a turn has. Whoever enters is one of a bounded number and waits for one place at a time. */
export function createTurnPlaces(most: number): TurnPlaces {
  const waiting: (() => void)[] = []
  let taken = 0
  let isDue = false

  const renew = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      const entering = waiting.splice(0, most)
      taken = entering.length
      if (taken > 0) renew()
      // Each in a callback of its own: what it takes is counted until nothing of that is left.
      for (const enter of entering) setImmediate(enter)
    })
  }
  return {
    enter() {
      renew()
      if (waiting.length > 0 || taken >= most)
        return new Promise((resolve) => {
          waiting.push(resolve)
        })
      taken++
      return undefined
    },
  }
}
