/** Counts refusals and logs one line per interval, so that a flood does not flood the log. */
export type RefusalCount = ReturnType<typeof createRefusalCount>

/** Interval of lines, in ms. */
const sayEvery = 10_000

/** Makes the count; `say` gets the counts by reason since the last line. */
export function createRefusalCount(say: (counts: Readonly<Record<string, number>>) => void, every: number = sayEvery) {
  let counts: Record<string, number> = {}
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    const said = counts
    counts = {}
    if (Object.keys(said).length > 0) say(said)
  }
  return {
    add(why: string) {
      counts[why] = (counts[why] ?? 0) + 1
      timer ??= setTimeout(flush, every).unref()
    },
    /** Logs the rest and ends. */
    close() {
      clearTimeout(timer)
      flush()
    },
  }
}
