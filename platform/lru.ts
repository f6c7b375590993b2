import { LruMap } from 'toad-cache'

/** A map of limited size that drops the least recently used entry. */
export interface Lru<V> {
  get(key: string): V | undefined
  /** The entry of a key, made if missing. */
  of(key: string, make: () => V): V
  set(key: string, value: V): void
  delete(key: string): void
  keys(): Iterable<string>
}

/** Makes an empty map of at most `max` entries (at least 1). `gone` is called for each dropped entry. */
export function createLru<V>(max: number, gone?: (value: V) => void): Lru<V> {
  const entries = new LruMap<V>(max)
  const set = (key: string, value: V): void => {
    const oldest = gone && entries.size === max && !entries.items.has(key) ? (entries.first as { value: V }) : undefined
    entries.set(key, value)
    if (oldest) gone?.(oldest.value)
  }
  return {
    get: (key) => entries.get(key),
    of(key, make) {
      const known = entries.get(key)
      if (known !== undefined) return known
      const made = make()
      set(key, made)
      return made
    },
    set,
    delete: (key) => entries.delete(key),
    keys: () => entries.keys() as Iterable<string>,
  }
}
