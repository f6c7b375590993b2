const atOnce = 4

/** Runs work for each entry, four at a time; results in order. */
export async function each<T, R>(entries: readonly T[], work: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const run = async (): Promise<void> => {
    for (let at = next++; at < entries.length; at = next++) results[at] = await work(entries[at] as T)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, entries.length) }, run))
  return results
}
