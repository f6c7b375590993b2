/** How far something has come, and who waits for it. */
export interface Places {
  /** The last place that is done. */
  at: number
  /** Resolves once a place is done; rejects where the service closes before. */
  reached(place: number): Promise<void>
  /** After `at` has changed. */
  wake(): void
  /** Rejects whoever still waits. */
  close(): void
}

/** Makes it, with everything up to `at` done. */
export function createPlaces(at: number): Places {
  const waiting = new Map<PromiseWithResolvers<void>, number>()
  return {
    at,
    reached(place) {
      if (place <= this.at) return Promise.resolve()
      const waiter = Promise.withResolvers<void>()
      waiting.set(waiter, place)
      return waiter.promise
    },
    wake() {
      for (const [waiter, place] of waiting)
        if (place <= this.at) {
          waiting.delete(waiter)
          waiter.resolve()
        }
    },
    close() {
      for (const waiter of waiting.keys()) waiter.reject(new Error('the service closes'))
      waiting.clear()
    },
  }
}
