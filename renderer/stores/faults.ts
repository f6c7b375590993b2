import { defineStore } from 'pinia'
import { ref } from 'vue'

/** Faults of the page that nobody caught: one notice for all of them, until it is put away. What went wrong is in the console. */
export const useFaults = defineStore('faults', () => {
  const count = ref(0)
  return {
    count,
    heard: (): void => {
      count.value = Math.min(count.value + 1, 999)
    },
    putAway: (): void => {
      count.value = 0
    },
  }
})
