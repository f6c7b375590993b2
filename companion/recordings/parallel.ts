/** How many are worked on at the same time. */
const atOnce = 4

/** Carries out work for each entry, a few at a time, and gives the results in the entries' order. */
export async function each<T, R>(entries: readonly T[], work: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const run = async (): Promise<void> => {
    for (let at = next++; at < entries.length; at = next++) results[at] = await work(entries[at] as T)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, entries.length) }, run))
  return results
}
