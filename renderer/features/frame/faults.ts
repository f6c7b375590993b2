import { defineStore } from 'pinia'
import { ref } from 'vue'

/** A fault that nobody caught, or a part of the page that could not be fetched. */
export type PageFault = 'thrown' | 'notLoaded'

/** Uncaught faults of the page: one notice for all of them, until it is dismissed. The console has the errors. */
export const useFaults = defineStore('faults', () => {
  const count = ref(0)
  /** A part of the page could not be fetched: only loading the page anew tries that again. */
  const isPartMissing = ref(false)
  /** The screen that was asked for last and could not be opened. */
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
