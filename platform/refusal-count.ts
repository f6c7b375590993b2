/** Interval of lines, in ms. */
const sayEvery = 10_000

/** Counts refusals; `say` gets the counts by reason once per interval, so that a flood does not flood the log. */
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
    close() {
      clearTimeout(timer)
      flush()
    },
  }
}
