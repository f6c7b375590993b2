import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { Failure } from '../rpc/failure.ts'
import { useRoom } from './room.ts'
import { useStandingCauses } from './standing-causes.ts'

/** Why the app is not in the room that is shown, or the last refusal there, until it is closed. */
export const useRoomTrouble = defineStore('roomTrouble', () => {
  const room = useRoom()
  const causes = useStandingCauses()
  const closed = shallowRef<Failure | null>(null)
  const shown = computed(() => [room.outside, room.failure].find((each) => each !== null && each !== closed.value && !causes.isOver(each)) ?? null)
  return {
    shown,
    /** Puts it away; the next one is told again. */
    close: (): void => {
      closed.value = shown.value
    },
  }
})
