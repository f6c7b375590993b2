import { computed, type Ref, type WritableComputedRef } from 'vue'

/** Whether a dialog about something is open: while there is something. Closing it forgets what it was about. */
export const openWhile = <T>(about: Ref<T | null>): WritableComputedRef<boolean> =>
  computed({
    get: () => about.value !== null,
    set: (open) => {
      if (!open) about.value = null
    },
  })
