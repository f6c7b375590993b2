import { defineStore } from 'pinia'
import { computed, inject, ref } from 'vue'
import type { WebLink } from '../../contract/web-link.ts'
import { joinedSessionKey } from '../data/joined-session.ts'
import { useTask } from '../data/task.ts'
import { useOutside } from './outside.ts'

/** One link at a time for the page, opened after a confirmation. */
export const useAskedLink = defineStore('askedLink', () => {
  const outside = useOutside()
  const joined = inject(joinedSessionKey, null)
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
    leave: (): void => {
      link.value = null
    },
    open: async (): Promise<void> => {
      const pressed = link.value
      if (pressed === null) return
      await run('open', async () => {
        // On a moderator's page in the app, their own companion opens it.
        if (joined) {
          if (!(await joined.openLink(pressed.href))) throw new Error('the system did not open it')
        } else await outside.open(pressed.href)
        link.value = null
      })
    },
  }
})
