import { computed, nextTick, ref, shallowRef } from 'vue'

/** The drawn part of many lines, and how many there are before and after it. */
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

/** The part of many lines around a place: at most so many before it and so many after it. */
export const around = <T>(lines: readonly T[], place: number, most: number): LogPart<T> =>
  partOf(lines, Math.max(0, place - most), Math.min(lines.length, place + most))

interface ChatLogOptions<T> {
  /** All lines, the oldest first. */
  readonly lines: () => readonly T[]
  /** What a line is known by while others come and go; its element has it as `data-id`. */
  readonly keyOf: (line: T) => string | number
  /** Lines that are drawn at most. */
  readonly drawn: number
  /** The place in the middle of what is drawn; without it, that is the newest lines or those up to a held one. */
  readonly place?: () => number
}

/** A log of which only a part is drawn, at the newest line or at one that keeps its place. For `chat-log.vue`. */
export function useChatLog<T>({ lines, keyOf, drawn, place }: ChatLogOptions<T>) {
  const element = ref<HTMLElement | null>(null)
  /** Key of the last drawn line; null follows the newest. */
  const lastKey = shallowRef<string | number | null>(null)
  const part = computed((): LogPart<T> => {
    const all = lines()
    if (place) return around(all, place(), drawn / 2)
    const held = all.findLastIndex((line) => lastKey.value === null || keyOf(line) === lastKey.value)
    // A held line that is gone was among the oldest.
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
    /** The element that scrolls. */
    element,
    part,
    follows: computed(() => lastKey.value === null),
    /** The line before an index is the last that is drawn, from now on. */
    hold,
    /** Draws as many lines as there may be, up to an index. */
    drawUpTo,
    /** What is seen stays where it is while something changes above or below it. */
    keepPlace,
    /** Draws lines that many further, or back with less than 0; what is seen stays where it is. */
    moveBy: (by: number): Promise<void> => keepPlace(() => drawUpTo(part.value.earlier + part.value.lines.length + by)),
    /** Draws the newest line whenever one comes. */
    follow: (): void => {
      lastKey.value = null
    },
    /** Follows the newest lines, and scrolls to them. */
    toEnd: async (): Promise<void> => {
      lastKey.value = null
      await nextTick()
      element.value?.scrollTo({ top: element.value.scrollHeight })
    },
  }
}
