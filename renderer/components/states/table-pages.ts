import { computed, ref, type Ref } from 'vue'
import { pageOf } from '../../stores/rows.ts'
import { useElementSize } from './element-size.ts'

/** Heights of head, foot and one row of a table. */
const [head, foot, row] = [36, 44, 44]
/** Rows that are shown however small the window is. */
const fewest = 6

/** As many rows of a table as fit into an area, with the page that is shown; only these are drawn, however many there are. */
export function useTablePages<T>(rows: Readonly<Ref<readonly T[]>>, area: Readonly<Ref<HTMLElement | null>>) {
  const { height } = useElementSize(area)
  const wanted = ref(1)
  const shown = computed(() =>
    pageOf(rows.value, wanted.value, Math.max(fewest, Math.floor((height.value - head - foot) / row))),
  )
  /** The page from 1; one beyond the last is the last. */
  const page = computed({
    get: () => shown.value.page,
    set: (to: number) => {
      wanted.value = to
    },
  })
  return { shown, page }
}
