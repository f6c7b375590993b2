/** What is under way, counted by whom it is for: the group of an address (`addressGroup`), or a person. */
export interface GroupPlaces {
  /** Takes a place; undefined when the group has no more, else what gives it back, safe to call again. */
  enter(group: string): (() => void) | undefined
}

/** Makes the places; `most` is asked how many a group has. */
export function createGroupPlaces(most: (group: string) => number): GroupPlaces {
  const counts = new Map<string, number>()
  return {
    enter(group) {
      const count = counts.get(group) ?? 0
      if (count >= most(group)) return undefined
      counts.set(group, count + 1)
      let held = true
      return () => {
        if (!held) return
        held = false
        const left = counts.get(group)! - 1
        if (left === 0) counts.delete(group)
        else counts.set(group, left)
      }
    },
  }
}
