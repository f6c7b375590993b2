import { onScopeDispose, useId, watch } from 'vue'
import { useShields } from '../../stores/shields.ts'

/** Keeps the window out of recordings of the screen while this part of it shows a secret, where the shell can. */
export function useScreenShield(shows: () => boolean): void {
  const shields = useShields()
  const name = useId()
  watch(shows, (on) => shields.set(name, on, window.sidestage), { immediate: true })
  onScopeDispose(() => shields.set(name, false, window.sidestage))
}
