import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { Failure } from '../../data/failure.ts'
import { useRoom } from './room.ts'
import { useStandingCauses } from '../../data/standing-causes.ts'

/** Why the app is not in the room that is shown, or what could not be read there, and what was refused, until it is closed. */
export const useRoomTrouble = defineStore('roomTrouble', () => {
  const room = useRoom()
  const causes = useStandingCauses()
  const closed = shallowRef<Failure | null>(null)
  const shown = computed(
    () =>
      [room.outside, room.failure].find((each) => each !== null && each !== closed.value && !causes.isOver(each)) ??
      null,
  )
  return {
    shown,
    /** Puts it away; the next one is told again. */
    close: (): void => {
      closed.value = shown.value
    },
    /** Puts away what is told first, measures that were refused before the rest; false for nothing. */
    closeNext: (): boolean => {
      if (room.refusals.length > 0) room.closeRefusals()
      else if (shown.value !== null) closed.value = shown.value
      else return false
      return true
    },
  }
})
