/** Counts what a listener turned away, and says it in one line an interval, so that a flood does not become a flood of lines. */
export interface RefusalCount {
  add(why: string): void
  /** Says what was not said yet, and ends. */
  close(): void
}

/** How often a line may be said, in ms. */
const sayEvery = 10_000

/** Makes the count; `say` gets the counts since the last line by their reasons. */
export function createRefusalCount(
  say: (counts: Readonly<Record<string, number>>) => void,
  every: number = sayEvery,
): RefusalCount {
  let counts: Record<string, number> = {}
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    const said = counts
    counts = {}
    if (Object.keys(said).length > 0) say(said)
  }
  return {
    add(why) {
      counts[why] = (counts[why] ?? 0) + 1
      timer ??= setTimeout(flush, every).unref()
    },
    close() {
      clearTimeout(timer)
      flush()
    },
  }
}
