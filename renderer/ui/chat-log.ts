import { computed, nextTick, ref, shallowRef } from 'vue'

/** The rendered part, and how many lines precede and follow it. */
export interface LogPart<T> {
  readonly earlier: number
  readonly lines: readonly T[]
  readonly later: number
}

const partOf = <T>(lines: readonly T[], from: number, to: number): LogPart<T> => ({
  earlier: from,
  lines: lines.slice(from, to),
  later: lines.length - to,
})

/** At most `most` lines on each side. */
export const around = <T>(lines: readonly T[], place: number, most: number): LogPart<T> =>
  partOf(lines, Math.max(0, place - most), Math.min(lines.length, place + most))

interface ChatLogOptions<T> {
  /** Oldest first. */
  readonly lines: () => readonly T[]
  /** Also the element's `data-id`. */
  readonly keyOf: (line: T) => string | number
  readonly drawn: number
  /** Index in the middle; otherwise the part ends at the newest line or a held one. */
  readonly place?: () => number
}

/** Renders a part of a log, at the newest line or at a held one. */
export function useChatLog<T>({ lines, keyOf, drawn, place }: ChatLogOptions<T>) {
  const element = ref<HTMLElement | null>(null)
  /** Key of the last rendered line; null follows the newest. */
  const lastKey = shallowRef<string | number | null>(null)
  const part = computed((): LogPart<T> => {
    const all = lines()
    if (place) return around(all, place(), drawn / 2)
    const held = all.findLastIndex((line) => lastKey.value === null || keyOf(line) === lastKey.value)
    // A missing held line was among the oldest.
    const last = held < 0 ? Math.min(drawn, all.length) : held + 1
    return partOf(all, Math.max(0, last - drawn), last)
  })
  const hold = (index: number): void => {
    const line = lines()[index - 1]
    lastKey.value = line === undefined ? null : keyOf(line)
  }
  const drawUpTo = (index: number): void => hold(Math.min(lines().length, Math.max(drawn, index)))
  const keepPlace = async (change: () => unknown): Promise<void> => {
    const rows = [...(element.value?.querySelectorAll('[data-id]') ?? [])]
    const tops = rows.map((row) => [row, row.getBoundingClientRect().top] as const)
    await change()
    await nextTick()
    const [row, top] = tops.find(([each]) => each.isConnected) ?? []
    if (element.value && row && top !== undefined) element.value.scrollTop += row.getBoundingClientRect().top - top
  }
  return {
    element,
    part,
    follows: computed(() => lastKey.value === null),
    hold,
    drawUpTo,
    keepPlace,
    moveBy: (by: number): Promise<void> => keepPlace(() => drawUpTo(part.value.earlier + part.value.lines.length + by)),
    follow: (): void => {
      lastKey.value = null
    },
    toEnd: async (): Promise<void> => {
      lastKey.value = null
      await nextTick()
      element.value?.scrollTo({ top: element.value.scrollHeight })
    },
  }
}
