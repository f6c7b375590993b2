import { computed, ref } from 'vue'

/** Keeps a log still for any of three reasons, from the time of the first one. Times of lines in ms. */
export function createRoomStandstill(newest: () => number) {
  const reasons = {
    frozen: ref<number | null>(null),
    marked: ref<number | null>(null),
    hovered: ref<number | null>(null),
  }
  /** Time of the newest line shown, in ms; null for all. */
  const at = computed(() => reasons.frozen.value ?? reasons.marked.value ?? reasons.hovered.value)
  const goOn = (): void => {
    for (const reason of Object.values(reasons)) reason.value = null
  }
  const reason = (of: keyof typeof reasons) =>
    computed({
      get: () => reasons[of].value !== null,
      set: (on: boolean) => {
        reasons[of].value = on ? (at.value ?? newest()) : null
      },
    })
  const isFrozen = reason('frozen')
  return {
    at,
    /** By key, button or scrolling up; its end clears the other reasons too. */
    frozen: computed({
      get: () => isFrozen.value,
      set: (on: boolean) => {
        if (on) isFrozen.value = true
        else goOn()
      },
    }),
    marked: reason('marked'),
    hovered: reason('hovered'),
    follows: computed(() => at.value === null),
    goOn,
  }
}
