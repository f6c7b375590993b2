/** Does work of one key when all that was begun before with the same key is done, however it ended. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Makes turns; nothing is kept of a key without work. */
export function createTurns(): Turns {
  const underWay = new Map<string, Promise<void>>()
  return async (key, work) => {
    const done = (underWay.get(key) ?? Promise.resolve()).then(work)
    const settled = done.then(
      () => undefined,
      () => undefined,
    )
    underWay.set(key, settled)
    try {
      return await done
    } finally {
      if (underWay.get(key) === settled) underWay.delete(key)
    }
  }
}
