import { vi } from 'vitest'

/** Repeats an assertion until it holds; fails with the last error after 150 s. */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: 150_000, interval: 5 })
