/** The time of a process; tests pass their own. */
export interface Clock {
  /** ms since 1970. */
  now(): number
  /** ms, unaffected by changes of the system time. */
  monotonic(): number
  /** Calls back once after `ms`; returns a cancel function. Does not keep the process alive. */
  after(ms: number, call: () => void): () => void
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Both times are read so often at most, until the process did not pause between them. */
const reads = 5

/** What `monotonic` was at a system time, in ms. */
export function monotonicOf(clock: Pick<Clock, 'now' | 'monotonic'>, at: number): number {
  let found = 0
  let least = Infinity
  for (let read = 0; read < reads && least >= 1; read++) {
    const before = clock.monotonic()
    const passed = clock.now() - at
    const pause = clock.monotonic() - before
    if (pause >= least) continue
    least = pause
    found = before + pause / 2 - passed
  }
  return found
}

/** Resolves after `ms`, or when the signal aborts. */
export const pause = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal?.addEventListener('abort', done, { once: true })
  })

/** Settles as the work does, or rejects with `late()` after `ms`; the work goes on. */
export const within = <T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(late()))
    work.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error: unknown) => {
        cancel()
        reject(error instanceof Error ? error : new Error(String(error)))
      },
    )
  })
