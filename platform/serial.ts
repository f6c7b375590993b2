/** Runs one piece of work at a time, each when all that was given before it is done, however that ended. */
export interface Serial {
  <T>(work: () => T | Promise<T>): Promise<T>
  /** Resolves when all that was given is done. */
  idle(): Promise<void>
}

/** Makes a serial queue. How much waits in it is bounded by who gives the work. */
export function createSerial(): Serial {
  let last = Promise.resolve()
  const run = <T>(work: () => T | Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.then(ignore, ignore)
    return done
  }
  return Object.assign(run, { idle: () => last })
}

/** Serial queues by key: work of different keys runs side by side. */
export interface KeyedSerial<K> {
  <T>(key: K, work: () => T | Promise<T>): Promise<T>
  /** Resolves when all that was given is done. */
  idle(): Promise<void>
}

/** Makes serial queues by key. Nothing is kept of a key without work. */
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
