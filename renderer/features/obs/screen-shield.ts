import { computed, onScopeDispose, useId, watch, type ComputedRef } from 'vue'
import { useShields } from './shields.ts'
import { useStreamingNow } from './streaming-now.ts'

/**
 * Keeps the window out of recordings of the screen while this part of it shows a secret, where the shell can. While something is
 * streamed nothing secret is shown: `hide` is called, also when an answer comes late. The answer is whether it is so now.
 */
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
