import { computed, shallowRef, watch } from 'vue'

/** A row, or what it was before it went. */
interface StillRow<T> {
  readonly row: T
  readonly gone: boolean
}

/** Keeps rows in position while a mouse is over the list. A new value of `list` starts over. */
export function useStillList<T>(rows: () => readonly T[], keyOf: (row: T) => string, list: () => unknown = () => null) {
  const held = shallowRef<readonly T[] | null>(null)
  const goOn = (): void => {
    held.value = null
  }
  watch(list, goOn, { flush: 'sync' })
  return {
    rows: computed((): readonly StillRow<T>[] => {
      const now = rows()
      if (held.value === null) return now.map((row) => ({ row, gone: false }))
      const current = new Map(now.map((row) => [keyOf(row), row]))
      return held.value.map((row) => ({ row: current.get(keyOf(row)) ?? row, gone: !current.has(keyOf(row)) }))
    }),
    /** Changes that wait until the pointer leaves. */
    waiting: computed(() => {
      if (held.value === null) return 0
      const [shown, now] = [new Set(held.value.map(keyOf)), new Set(rows().map(keyOf))]
      return [...shown].filter((key) => !now.has(key)).length + [...now].filter((key) => !shown.has(key)).length
    }),
    hover: ({ pointerType }: PointerEvent): void => {
      if (pointerType === 'mouse') held.value ??= rows()
    },
    goOn,
  }
}
