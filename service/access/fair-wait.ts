/** Lets so many callers wait at most, so that one source with many delays nobody else. */
export function createFairWait(most: number) {
  /** By source, the one whose turn is next first. */
  const sources = new Map<string, ((isTurn: boolean) => void)[]>()
  let size = 0

  /** The newest of the source with most goes, when that has more than the newcomer's would. */
  const makeRoom = (from: string): boolean => {
    let largest = from
    for (const [source, those] of sources)
      if (those.length > (sources.get(largest)?.length ?? 0) + (largest === from ? 1 : 0)) largest = source
    if (largest === from) return false
    sources.get(largest)!.pop()!(false)
    size -= 1
    return true
  }
  return {
    /** Resolves to true when it is the caller's turn, to false when there is no room. */
    wait: (from: string): Promise<boolean> =>
      new Promise((resolve) => {
        if (size >= most && !makeRoom(from)) return resolve(false)
        const those = sources.get(from) ?? []
        sources.set(from, those)
        those.push(resolve)
        size += 1
      }),
    /** Gives the turn to the next source; false when nobody waits. */
    next(): boolean {
      for (const [source, those] of sources) {
        sources.delete(source)
        const turn = those.shift()
        if (those.length > 0) sources.set(source, those)
        if (!turn) continue
        size -= 1
        turn(true)
        return true
      }
      return false
    },
  }
}
