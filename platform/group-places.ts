/** What is under way, counted by whom it is for: the group of an address (`addressGroup`), or a person. */
export interface GroupPlaces {
  /** Takes a place; undefined when the group has no more, else what gives it back, safe to call again. */
  enter(group: string): (() => void) | undefined
}

/** Makes the places; `most` is asked how many a group has. */
export function createGroupPlaces(most: (group: string) => number): GroupPlaces {
  const taken = new Map<string, { count: number; readonly most: number }>()
  return {
    enter(group) {
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
