import { onBeforeUnmount } from 'vue'

/** Listens while the component is mounted. */
export function useWindowKeys(listener: (event: KeyboardEvent) => void): void {
  window.addEventListener('keydown', listener)
  onBeforeUnmount(() => window.removeEventListener('keydown', listener))
}

/** Whether key presses go into the focused element. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
