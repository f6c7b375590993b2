import { onBeforeUnmount } from 'vue'

/** Listens to the window's keys for as long as the component stands. */
export function useWindowKeys(listener: (event: KeyboardEvent) => void): void {
  window.addEventListener('keydown', listener)
  onBeforeUnmount(() => window.removeEventListener('keydown', listener))
}

/** Whether keys write into what has the focus. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
