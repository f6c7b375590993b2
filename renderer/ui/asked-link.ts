import { defineStore } from 'pinia'
import { computed, inject, ref } from 'vue'
import type { WebLink } from '../../contract/web-link.ts'
import { joinedDoorKey } from '../data/joined-door.ts'
import { useTask } from '../data/task.ts'
import { useOutside } from './outside.ts'

/** The pressed link that is opened only after a confirmation. One at a time, for the whole page. */
export const useAskedLink = defineStore('askedLink', () => {
  const outside = useOutside()
  const joined = inject(joinedDoorKey, null)
  const link = ref<WebLink | null>(null)
  const { busy, failure, run } = useTask()
  return {
    link,
    busy: computed(() => busy.value !== null),
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
      const pressed = link.value
      if (pressed === null) return
      await run('open', async () => {
        // What a moderator presses opens in their own browser; in the app, by their companion, which the door of the room reaches.
        if (joined) {
          if (!(await joined.openLink(pressed.href))) throw new Error('the system did not open it')
        } else await outside.open(pressed.href)
        link.value = null
      })
    },
  }
})
