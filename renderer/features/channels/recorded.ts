import { defineStore } from 'pinia'
import { ref, shallowReactive, shallowRef } from 'vue'
import type { AppEvent, Delivery, RecordingState } from '../../../contract/rpc/index.ts'

/** The newest file of a channel. */
export type ReadyFile = Extract<AppEvent, { type: 'recorded' }>

/** Interval of events with the recorded length, in ms; the maximum of extrapolation. */
const toldEvery = 2_500

/** Running recordings, newest files and counters of changes. */
export const useRecordings = defineStore('recordings', () => {
  const states = shallowReactive(new Map<string, RecordingState>())
  const toldAt = new Map<string, number>()
  const ready = shallowReactive(new Map<string, ReadyFile>())
  const files = ref(0)
  const broadcasts = ref(0)
  const deliveries = ref(0)
  const newest = shallowRef<Delivery | null>(null)
  const receivers = shallowReactive(new Map<string, Extract<AppEvent, { type: 'receiver' }>['receiver']>())
  const key = (profileId: string, cid: string): string => `${profileId}/${cid}`

  return {
    /** Counts changes of files, after which lists are read again. */
    files,
    /** Counts changes of broadcasts. */
    broadcasts,
    deliveries,
    newest,
    receivers,
    stateOf: (profileId: string, cid: string): RecordingState | undefined => states.get(key(profileId, cid)),
    /** In ms; constant during a silence, null without recording. */
    recordedOf: (profileId: string, cid: string, now: number, isSilent: boolean): number | null => {
      const state = states.get(key(profileId, cid))
      if (state?.state !== 'recording') return null
      if (state.recorded === undefined) return state.since === null ? null : now - state.since
      const passed = now - (toldAt.get(key(profileId, cid)) ?? now)
      return state.recorded + (isSilent ? 0 : Math.min(Math.max(passed, 0), toldEvery))
    },
    readyOf: (profileId: string, cid: string): ReadyFile | undefined => ready.get(key(profileId, cid)),
    put: (profileId: string, cid: string, state: RecordingState): void => {
      toldAt.delete(key(profileId, cid))
      states.set(key(profileId, cid), state)
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'recording') {
        toldAt.set(key(event.profileId, event.cid), event.at)
        states.set(key(event.profileId, event.cid), event.recording)
      } else if (event.type === 'receiver') receivers.set(event.receiver.profileId, event.receiver)
      else if (event.type === 'delivery') {
        deliveries.value += 1
        newest.value = event.delivery
      } else if (event.type === 'broadcast') broadcasts.value += 1
      else if (event.type === 'unrecorded') {
        files.value += 1
        for (const [at, file] of ready)
          if (at.startsWith(`${event.profileId}/`) && event.vids.includes(file.vid)) ready.delete(at)
      } else if (event.type === 'recorded') {
        files.value += 1
        if (!event.merged) ready.set(key(event.profileId, event.cid), event)
      }
    },
  }
})
