import { useToast } from '@nuxt/ui/composables'
import { nextTick, watch } from 'vue'

/** Takes the kit's hidden tab stops around toasts out of the tab order; F8 leads to the toasts. */
export function useToastProxies(): void {
  const { toasts } = useToast()
  watch(
    toasts,
    async () => {
      await nextTick()
      for (const proxy of document.querySelectorAll<HTMLElement>(
        '[role="region"] > span[aria-hidden="true"][tabindex="0"]',
      ))
        proxy.tabIndex = -1
    },
    { deep: true, flush: 'post' },
  )
}
