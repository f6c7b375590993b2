import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

/** Below the screen, or at the end of a room's log. */
export type NotePlace = 'frame' | 'room'

/** Notes about the whole page, such as that the service is down. */
export const usePageNotes = defineStore('pageNotes', () => {
  const count = ref(0)
  const places = { frame: shallowRef<HTMLElement | null>(null), room: shallowRef<HTMLElement | null>(null) }
  return {
    count,
    place: computed(() => places.room.value ?? places.frame.value),
    /** Offers a place; returns a function that withdraws it. */
    offer: (at: NotePlace, element: HTMLElement): (() => void) => {
      places[at].value = element
      return () => {
        if (places[at].value === element) places[at].value = null
      }
    },
    came: (): void => {
      count.value += 1
    },
    went: (): void => {
      count.value -= 1
    },
  }
})
