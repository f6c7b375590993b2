import { useToast } from '@nuxt/ui/composables'
import { nextTick, watch } from 'vue'

/**
 * The kit puts hidden stops around its toasts that the Tab key reaches but nobody can see or hear. They are taken out of the order of
 * the Tab key: a toast's own buttons stay in it, and F8 still leads there.
 */
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
