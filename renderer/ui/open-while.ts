import { computed, type Ref, type WritableComputedRef } from 'vue'

/** Open while there is a value; closing clears it. */
export const openWhile = <T>(about: Ref<T | null>): WritableComputedRef<boolean> =>
  computed({
    get: () => about.value !== null,
    set: (open) => {
      if (!open) about.value = null
    },
  })
