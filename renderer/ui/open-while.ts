import { computed, type Ref, type WritableComputedRef } from 'vue'

/** Whether a dialog about a value is open: while there is a value. Closing clears it. */
export const openWhile = <T>(about: Ref<T | null>): WritableComputedRef<boolean> =>
  computed({
    get: () => about.value !== null,
    set: (open) => {
      if (!open) about.value = null
    },
  })
