import { defineStore } from 'pinia'
import { inject, ref } from 'vue'
import type { WebLink } from '../../contract/web-link.ts'
import { failureOf, type Failure } from '../data/failure.ts'
import { joinedDoorKey } from '../data/joined-door.ts'
import { useOutside } from './outside.ts'

/** The link that somebody pressed and that is opened only after a yes. One at a time, for the whole page. */
export const useAskedLink = defineStore('askedLink', () => {
  const outside = useOutside()
  const joined = inject(joinedDoorKey, null)
  const link = ref<WebLink | null>(null)
  const busy = ref(false)
  const failure = ref<Failure | null>(null)
  return {
    link,
    busy,
    failure,
    ask: (pressed: WebLink): void => {
      failure.value = null
      link.value = pressed
    },
    /** Leaves it closed. */
    leave: (): void => {
      link.value = null
    },
    /** Opens it: in the browser that the page lies in, or by the companion, which reads it once more. */
    open: async (): Promise<void> => {
      if (link.value === null || busy.value) return
      busy.value = true
      failure.value = null
      try {
        // What a moderator presses opens in their own browser, not on the streamer's computer.
        // In the app only its companion can, which their page reaches by way of the room's door.
        if (joined) {
          if (!(await joined.openLink(link.value.href))) throw new Error('the system did not open it')
        } else await outside.open(link.value.href)
        link.value = null
      } catch (error) {
        failure.value = failureOf(error)
      }
      busy.value = false
    },
  }
})
