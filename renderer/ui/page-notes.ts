import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

/** Where notes about the whole page stand: below the screen, or at the lower end of a room's lines. */
export type NotePlace = 'frame' | 'room'

/** Notes about the whole page, as that the service is down, and the place that they have now. */
export const usePageNotes = defineStore('pageNotes', () => {
  const count = ref(0)
  const places = { frame: shallowRef<HTMLElement | null>(null), room: shallowRef<HTMLElement | null>(null) }
  return {
    /** How many are shown. */
    count,
    place: computed(() => places.room.value ?? places.frame.value),
    /** Offers a place; call what it returns when it goes. */
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
