import { onBeforeUnmount, readonly, ref, type Ref } from 'vue'

/** Whether a query matches, while the component is mounted. */
export function useMedia(query: string): Readonly<Ref<boolean>> {
  const list = window.matchMedia(query)
  const holds = ref(list.matches)
  const changed = (): void => {
    holds.value = list.matches
  }
  list.addEventListener('change', changed)
  onBeforeUnmount(() => list.removeEventListener('change', changed))
  return readonly(holds)
}
