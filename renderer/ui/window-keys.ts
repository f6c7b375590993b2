import { onBeforeUnmount } from 'vue'

/** Listens to the window's keys for as long as the component stands. */
export function useWindowKeys(listener: (event: KeyboardEvent) => void): void {
  window.addEventListener('keydown', listener)
  onBeforeUnmount(() => window.removeEventListener('keydown', listener))
}
