/** Maximum over `slots` slots of `grain` ms each, on the clock of `now`; adding costs one comparison. */
export function createIngestWindow(slots: number, grain: number) {
  const values = new Float64Array(slots)
  const periods = new Float64Array(slots).fill(-Infinity)

  return {
    add(value: number, now: number) {
      const period = Math.floor(now / grain)
      const slot = period % slots
      if (periods[slot] !== period || value > values[slot]!) {
        periods[slot] = period
        values[slot] = value
      }
    },
    /** Maximum of the window ending at `now`; undefined when empty. */
    largest(now: number): number | undefined {
      const newest = Math.floor(now / grain)
      let largest: number | undefined
      for (let slot = 0; slot < slots; slot++) {
        if (periods[slot]! > newest - slots && (largest === undefined || values[slot]! > largest))
          largest = values[slot]!
      }
      return largest
    },
    /** Maximum of its oldest non-empty slot; undefined when empty. */
    oldest(now: number): number | undefined {
      const newest = Math.floor(now / grain)
      for (let period = Math.max(0, newest - slots + 1); period <= newest; period++)
        if (periods[period % slots] === period) return values[period % slots]!
      return undefined
    },
  }
}
