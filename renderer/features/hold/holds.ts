import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { HoldState } from '../../../contract/rpc/hold.ts'

/** Hold and delay of channels. */
export const useHolds = defineStore('holds', () => {
  const states = shallowReactive(new Map<string, HoldState>())
  const key = (profileId: string, cid: string): string => `${profileId}/${cid}`
  return {
    stateOf: (profileId: string, cid: string): HoldState | undefined => states.get(key(profileId, cid)),
    /** Since when viewers get the held picture; null while they do not. */
    heldSince: (profileId: string, cid: string): number | null => {
      const state = states.get(key(profileId, cid))
      return state?.holding ? state.since : null
    },
    put: (profileId: string, cid: string, state: HoldState): void => {
      states.set(key(profileId, cid), state)
    },
    apply: (event: AppEvent): void => {
      if (event.type !== 'hold') return
      const at = key(event.profileId, event.cid)
      if (event.hold) states.set(at, event.hold)
      else states.delete(at)
    },
  }
})
