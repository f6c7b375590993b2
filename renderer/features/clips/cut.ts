import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { ordered, type Cut, type Reel } from './reel.ts'

/** An end of a cut. */
export type CutEnd = keyof Cut

const most = 200

/** In and Out of a reel, all of it at first, with what they were before. */
export function useCut(reel: Readonly<Ref<Reel>>) {
  const cut = shallowRef<Cut>({ from: 0, to: 0 })
  const past = shallowRef<readonly Cut[]>([])
  /** Of a drag, only its begin is gone back to. */
  const isHeld = ref(false)
  watch(
    () => reel.value.length,
    (length) => {
      cut.value = { from: 0, to: length }
      past.value = []
    },
    { immediate: true },
  )
  const remember = (): void => {
    past.value = [...past.value.slice(-most), cut.value]
  }
  const put = (from: number, to: number): void => {
    const next = ordered(Math.min(reel.value.length, Math.max(0, from)), Math.min(reel.value.length, Math.max(0, to)))
    if (next.from === cut.value.from && next.to === cut.value.to) return
    if (!isHeld.value) remember()
    cut.value = next
  }
  return {
    cut,
    put,
    /** Moves an end; gives which end it is then, as it takes the part of the other one that it passes. */
    move: (end: CutEnd, at: number): CutEnd => {
      const other = end === 'from' ? cut.value.to : cut.value.from
      put(at, other)
      return at === other ? end : at < other ? 'from' : 'to'
    },
    hold: (): void => {
      remember()
      isHeld.value = true
    },
    release: (): void => {
      isHeld.value = false
      const last = past.value.at(-1)
      if (last?.from === cut.value.from && last.to === cut.value.to) past.value = past.value.slice(0, -1)
    },
    undo: (): void => {
      const last = past.value.at(-1)
      if (!last) return
      past.value = past.value.slice(0, -1)
      cut.value = last
    },
    canUndo: computed(() => past.value.length > 0),
    isChanged: computed(() => cut.value.from > 0 || cut.value.to < reel.value.length),
  }
}
