import { nextTick, onBeforeUnmount, onMounted } from 'vue'

/** Below the toasts, in px: the status bar begins there. */
const gap = 12
/** In a very low window they lie over the screen rather than take it away. */
const most = '40dvh'

/** Keeps the height of the toasts as `--toasts`: frame and dialogs end above them, so that they cover no control. */
export function useToastRoom(): void {
  const { style } = document.documentElement
  const observer = new ResizeObserver(([entry]) => {
    const height = Math.ceil(entry?.contentRect.height ?? 0)
    style.setProperty('--toasts', height === 0 ? '0px' : `min(${height + gap}px, ${most})`)
  })
  onMounted(async () => {
    await nextTick()
    const toasts = document.querySelector('ol[data-slot="viewport"]')
    if (toasts) observer.observe(toasts)
  })
  onBeforeUnmount(() => {
    observer.disconnect()
    style.removeProperty('--toasts')
  })
}
