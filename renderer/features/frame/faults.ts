import { defineStore } from 'pinia'
import { ref } from 'vue'

/** An uncaught fault, or a part of the page that could not be fetched. */
export type PageFault = 'thrown' | 'notLoaded'

/** Uncaught faults of the page, whose errors are in the console. */
export const useFaults = defineStore('faults', () => {
  const count = ref(0)
  /** Only a reload fetches the part again. */
  const isPartMissing = ref(false)
  /** The screen that could not be opened. */
  const missed = ref<string | null>(null)
  return {
    count,
    isPartMissing,
    missed,
    heard: (fault: PageFault): void => {
      count.value = Math.min(count.value + 1, 999)
      if (fault === 'notLoaded') isPartMissing.value = true
    },
    miss: (path: string): void => {
      missed.value = path
    },
    putAway: (): void => {
      count.value = 0
      isPartMissing.value = false
      missed.value = null
    },
  }
})
