/** Does work each time after a wait in ms, the first time after one, until the returned function is called. `after` calls once, and returns what takes that back. */
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
