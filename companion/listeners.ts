/** Callbacks of whoever wants to know of something. */
interface Listeners<A extends unknown[]> {
  /** Adds one; the returned function removes it. */
  on(listener: (...args: A) => void): () => void
  /** Calls all in the order in which they were added. */
  tell(...args: A): void
}

/** Makes an empty set of callbacks. */
export function createListeners<A extends unknown[]>(): Listeners<A> {
  const listeners = new Set<(...args: A) => void>()
  return {
    on: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell: (...args) => {
      for (const listener of listeners) listener(...args)
    },
  }
}
