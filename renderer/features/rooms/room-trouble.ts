import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { Failure } from '../../data/failure.ts'
import { useRoom } from './room.ts'
import { useStandingCauses } from '../../data/standing-causes.ts'

/** Why the app is outside the shown room or could not read it, until closed. */
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
    close: (): void => {
      closed.value = shown.value
    },
    /** Refused measures first; false where nothing was shown. */
    closeNext: (): boolean => {
      if (room.refusals.length > 0) room.closeRefusals()
      else if (shown.value !== null) closed.value = shown.value
      else return false
      return true
    },
  }
})
