import { LruMap } from 'toad-cache'

/** A map of limited size that drops the least recently used entry. */
export type Lru<V> = ReturnType<typeof createLru<V>>

/** Makes an empty map of at most `max` entries (at least 1). `gone` is called for each dropped entry. */
export function createLru<V>(max: number, gone?: (value: V) => void) {
  const entries = new LruMap<V>(max)
  const set = (key: string, value: V): void => {
    const oldest = gone && entries.size === max && !entries.items.has(key) ? (entries.first as { value: V }) : undefined
    entries.set(key, value)
    if (oldest) gone?.(oldest.value)
  }
  return {
    get: (key: string) => entries.get(key),
    /** The entry of a key, made if missing. */
    of(key: string, make: () => V): V {
      const known = entries.get(key)
      if (known !== undefined) return known
      const made = make()
      set(key, made)
      return made
    },
    set,
    delete: (key: string) => entries.delete(key),
    keys: () => entries.keys() as Iterable<string>,
  }
}
