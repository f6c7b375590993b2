/** Makes an empty list. */
export function createAccountNames() {
  let sorted: string[] = []
  /** Index of the first accid after this one. */
  const placeBehind = (accid: string): number => {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sorted[middle]! > accid) high = middle
      else low = middle + 1
    }
    return low
  }
  return {
    /** Adds all, in any order. */
    load(accids: Iterable<string>): void {
      sorted = [...accids].sort((one, other) => (one < other ? -1 : 1))
    },
    add: (accid: string): void => void sorted.splice(placeBehind(accid), 0, accid),
    /** Those after `accid`, which may be unknown; all for ''. */
    *after(accid: string): Iterable<string> {
      for (let place = placeBehind(accid); place < sorted.length; place++) yield sorted[place]!
    },
  }
}

/** Sorted accids of an application, for pages. */
export type AccountNames = ReturnType<typeof createAccountNames>
