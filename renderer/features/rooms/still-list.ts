import { computed, shallowRef, watch } from 'vue'

/** A row of a list that stands still: what it is now, or what it was before it went. */
export interface StillRow<T> {
  readonly row: T
  readonly gone: boolean
}

/**
 * Keeps each row where it is seen for as long as a mouse is on the list, whoever comes and goes: a press is about the row that it was aimed at.
 * `list` names what is listed; another value is another list, which begins anew.
 */
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
    /** Rows that came or went since and wait until the pointer leaves. */
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
