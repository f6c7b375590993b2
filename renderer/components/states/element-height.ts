import { onBeforeUnmount, ref, watch, type Ref } from 'vue'

/** Height in px of whatever element the reference holds, 0 while it holds none. */
export function useElementHeight(element: Readonly<Ref<HTMLElement | null>>): Ref<number> {
  const height = ref(0)
  const observer = new ResizeObserver(([entry]) => {
    height.value = entry?.contentRect.height ?? 0
  })
  watch(
    element,
    (now, before) => {
      if (before) observer.unobserve(before)
      if (now) observer.observe(now)
    },
    { immediate: true },
  )
  onBeforeUnmount(() => observer.disconnect())
  return height
}
