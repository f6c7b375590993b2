/** The largest value of a window of time, counted in slots so that adding costs nothing but a comparison. */
export interface IngestWindow {
  add(value: number, now: number): void
  /** The largest value of the window that ends at `now`; undefined when nothing came in it. */
  largest(now: number): number | undefined
  /** The largest value of its oldest slot in which something came; undefined when nothing came in it. */
  oldest(now: number): number | undefined
}

/** Makes a window of `slots` slots, each `grain` ms of the clock that `now` is from. */
export function createIngestWindow(slots: number, grain: number): IngestWindow {
  const values = new Float64Array(slots)
  const periods = new Float64Array(slots).fill(-Infinity)

  return {
    add(value, now) {
      const period = Math.floor(now / grain)
      const slot = period % slots
      if (periods[slot] !== period || value > values[slot]!) {
        periods[slot] = period
        values[slot] = value
      }
    },
    largest(now) {
      const newest = Math.floor(now / grain)
      let largest: number | undefined
      for (let slot = 0; slot < slots; slot++) {
        if (periods[slot]! > newest - slots && (largest === undefined || values[slot]! > largest))
          largest = values[slot]!
      }
      return largest
    },
    oldest(now) {
      const newest = Math.floor(now / grain)
      for (let period = Math.max(0, newest - slots + 1); period <= newest; period++)
        if (periods[period % slots] === period) return values[period % slots]!
      return undefined
    },
  }
}
