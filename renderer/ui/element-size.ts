import { onBeforeUnmount, ref, watch, type Ref } from 'vue'

/** In px; 0 without an element. */
export function useElementSize(element: Readonly<Ref<HTMLElement | null>>): {
  readonly width: Ref<number>
  readonly height: Ref<number>
} {
  const [width, height] = [ref(0), ref(0)]
  const observer = new ResizeObserver(([entry]) => {
    width.value = entry?.contentRect.width ?? 0
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
  return { width, height }
}
