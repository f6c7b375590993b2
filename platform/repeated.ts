import type { Clock } from './clock.ts'

/** Repeats work with a delay in ms before each run, until the returned function is called. */
export function repeated(clock: Pick<Clock, 'after'>, every: number, work: () => void): () => void {
  const again = (): void => {
    stop = clock.after(every, again)
    work()
  }
  let stop = clock.after(every, again)
  return () => stop()
}
