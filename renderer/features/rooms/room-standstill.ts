import { computed, ref } from 'vue'

/**
 * Why the lines of a log stand still: somebody froze them or reads above, a line is marked, the pointer rests on them. `newest`: time of the newest
 * line, in ms. The first reason sets the moment; what comes later waits until the last reason is gone.
 */
export function createRoomStandstill(newest: () => number) {
  const reasons = {
    frozen: ref<number | null>(null),
    marked: ref<number | null>(null),
    hovered: ref<number | null>(null),
  }
  /** Time of the newest line that is shown, in ms; null while all are. */
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
    /** On purpose: by its key or button, or by scrolling up. Whoever ends it wants the newest lines, whatever else held them. */
    frozen: computed({
      get: () => isFrozen.value,
      set: (on: boolean) => {
        if (on) isFrozen.value = true
        else goOn()
      },
    }),
    /** So that the line that keys are about stays where it was seen. */
    marked: reason('marked'),
    /** So that nothing moves under the pointer. */
    hovered: reason('hovered'),
    follows: computed(() => at.value === null),
    goOn,
  }
}
