/** Runs work in sequence, whether or not earlier work failed. */
export interface Serial {
  <T>(work: () => T | Promise<T>): Promise<T>
  /** Resolves when all added work has ended. */
  idle(): Promise<void>
}

/** Makes a serial queue; its length is bounded by the caller. */
export function createSerial(): Serial {
  let last = Promise.resolve()
  const run = <T>(work: () => T | Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.then(ignore, ignore)
    return done
  }
  return Object.assign(run, { idle: () => last })
}

/** Serial queues by key; different keys run concurrently. */
export interface KeyedSerial<K> {
  <T>(key: K, work: () => T | Promise<T>): Promise<T>
  /** Resolves when all added work has ended. */
  idle(): Promise<void>
}

/** Makes serial queues by key; idle keys use no memory. */
export function createKeyedSerial<K>(): KeyedSerial<K> {
  const last = new Map<K, Promise<void>>()
  const none = Promise.resolve()
  const run = <T>(key: K, work: () => T | Promise<T>): Promise<T> => {
    const done = (last.get(key) ?? none).then(work)
    const forget = (): void => {
      if (last.get(key) === over) last.delete(key)
    }
    const over = done.then(forget, forget)
    last.set(key, over)
    return done
  }
  return Object.assign(run, { idle: async () => void (await Promise.all(last.values())) })
}

function ignore(): void {}
