import { computed, onScopeDispose, useId, watch, type ComputedRef } from 'vue'
import { useShields } from './shields.ts'
import { useStreamingNow } from './streaming-now.ts'

/** Calls `hide` during a stream, and is true then. */
export function useScreenShield(shows: () => boolean, hide: () => void): ComputedRef<boolean> {
  const shields = useShields()
  const streaming = useStreamingNow()
  const name = useId()
  watch(shows, (on) => shields.set(name, on, window.sidestage), { immediate: true })
  watch(
    () => streaming.on && shows(),
    (told) => {
      if (told) hide()
    },
    { immediate: true, flush: 'sync' },
  )
  onScopeDispose(() => shields.set(name, false, window.sidestage))
  return computed(() => streaming.on)
}
