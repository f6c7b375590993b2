/** The accids of an application in ascending order of their characters, for pages. */
export interface AccountNames {
  /** Takes all of them at once, in any order. */
  load(accids: Iterable<string>): void
  add(accid: string): void
  /** Those behind one, which need not be there itself; all of them behind ''. */
  after(accid: string): Iterable<string>
}

/** Makes an empty list. */
export function createAccountNames(): AccountNames {
  let sorted: string[] = []
  /** Where the first accid behind this one stands. */
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
    load(accids) {
      sorted = [...accids].sort((one, other) => (one < other ? -1 : 1))
    },
    add: (accid) => void sorted.splice(placeBehind(accid), 0, accid),
    *after(accid) {
      for (let place = placeBehind(accid); place < sorted.length; place++) yield sorted[place]!
    },
  }
}
