import { computed, ref, type Ref } from 'vue'
import { useElementSize } from './element-size.ts'

/** In px. */
const [head, foot, row] = [36, 44, 44]
const fewest = 6

/** Pages of as many rows as fit into an area. */
export function useTablePages<T>(rows: Readonly<Ref<readonly T[]>>, area: Readonly<Ref<HTMLElement | null>>) {
  const { height } = useElementSize(area)
  const wanted = ref(1)
  const shown = computed(() =>
    pageOf(rows.value, wanted.value, Math.max(fewest, Math.floor((height.value - head - foot) / row))),
  )
  const page = computed({
    get: () => shown.value.page,
    set: (to: number) => {
      wanted.value = to
    },
  })
  return { shown, page }
}

/** Limited to the existing pages. */
export function pageOf<T>(
  rows: readonly T[],
  page: number,
  size: number,
): { rows: T[]; page: number; pages: number; first: number; last: number } {
  const pages = Math.max(1, Math.ceil(rows.length / size))
  const within = Math.min(Math.max(1, page), pages)
  const from = (within - 1) * size
  const shown = rows.slice(from, from + size)
  return { rows: shown, page: within, pages, first: shown.length === 0 ? 0 : from + 1, last: from + shown.length }
}
