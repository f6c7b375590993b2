/** The time of a process; tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since some moment, which no change of the computer's time moves: for lives and waits that end with this process. */
  monotonic(): number
  /** Calls back once after `ms`; the returned function cancels it. A pending call does not keep the process alive. */
  after(ms: number, call: () => void): () => void
}

/** The computer's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    timer.unref()
    return () => {
      clearTimeout(timer)
    }
  },
}

/** Resolves after `ms` by the given clock, or at once when the signal aborts. */
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

/** Settles as the work does, or rejects with `late()` after `ms` by the given clock. The work itself goes on. */
export const within = <T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      reject(late())
    })
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
