import { computed, ref, watch, type Ref } from 'vue'
import type { MergeBoard, RecordedFile } from '../../../contract/rpc/index.ts'

/** What is chosen in the table, in order, and whether the merge of it is open. */
export function useChosenFiles(
  files: Readonly<Ref<readonly RecordedFile[] | null>>,
  board: Readonly<Ref<MergeBoard | null>>,
  selected: Ref<readonly number[]>,
) {
  // Chosen files stay known when the range changes.
  const known = ref<ReadonlyMap<number, RecordedFile>>(new Map())
  watch(files, (now) => {
    if (now)
      known.value = new Map([
        ...[...known.value].filter(([vid]) => selected.value.includes(vid)),
        ...now.map((file) => [file.vid, file] as const),
      ])
  })
  const chosen = computed(() => selected.value.flatMap((vid) => known.value.get(vid) ?? []))
  const isMerging = ref(false)
  watch(
    () => chosen.value.length > 0,
    (some) => {
      if (!some) isMerging.value = false
    },
  )
  /** Listed merges were closed. */
  const isPutAway = ref(false)
  return {
    chosen,
    /** Whether the place of each in the merge is shown. */
    isOrdered: computed(() => isMerging.value && chosen.value.length > 0),
    isTrayOpen: computed(() => isMerging.value || (!!board.value?.tasks?.length && !isPutAway.value)),
    choose: (vid: number, on: boolean): void => {
      const others = selected.value.filter((each) => each !== vid)
      selected.value = on ? [...others, vid] : others
    },
    openTray: (): void => {
      isMerging.value = true
      isPutAway.value = false
    },
    closeTray: (): void => {
      isMerging.value = false
      isPutAway.value = true
    },
  }
}
