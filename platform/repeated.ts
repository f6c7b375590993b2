/** Repeats work with a delay in ms before each run, until the returned function is called. */
export function repeated(
  after: (ms: number, call: () => void) => () => void,
  every: number,
  work: () => void,
): () => void {
  const again = (): void => {
    stop = after(every, again)
    work()
  }
  let stop = after(every, again)
  return () => stop()
}
