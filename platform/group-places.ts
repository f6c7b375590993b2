/** Counts work in progress per group of addresses (`addressGroup`) or person; `most` gives the limit of a group. */
export function createGroupPlaces(most: (group: string) => number) {
  const taken = new Map<string, { count: number; readonly most: number }>()
  return {
    /** Takes a place; returns its release (may be repeated), or undefined if there is none. */
    enter(group: string): (() => void) | undefined {
      let places = taken.get(group)
      if (!places) {
        places = { count: 0, most: most(group) }
        if (places.most > 0) taken.set(group, places)
      }
      if (places.count >= places.most) return undefined
      places.count += 1
      let held = true
      return () => {
        if (!held) return
        held = false
        places.count -= 1
        if (places.count === 0) taken.delete(group)
      }
    },
  }
}
