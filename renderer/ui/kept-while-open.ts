import { computed, type ComputedRef } from 'vue'

/** A value as it is while something is open, and as it was last while that closes: it is still seen then. */
export const keptWhileOpen = <T>(open: () => boolean, now: () => T): ComputedRef<T> =>
  computed<T>((before) => (open() || before === undefined ? now() : before))
