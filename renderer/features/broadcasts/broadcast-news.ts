import { defineStore } from 'pinia'
import { ref, shallowReactive } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'

/** Broadcasts that ended while the page is open, and a counter of changes, after which they are read again. */
export const useBroadcastNews = defineStore('broadcastNews', () => {
  const changes = ref(0)
  const ended = shallowReactive(new Map<string, string>())
  const keyOf = (profileId: string, cid: string): string => `${profileId}/${cid}`
  return {
    changes,
    /** The broadcast of a channel that ended last; undefined once it goes on, another begins, or it is dismissed. */
    endedOf: (profileId: string, cid: string): string | undefined => ended.get(keyOf(profileId, cid)),
    dismiss: (profileId: string, cid: string): void => {
      ended.delete(keyOf(profileId, cid))
    },
    apply: (event: AppEvent): void => {
      if (event.type !== 'broadcast') return
      const { profileId, cid, broadcastId, change } = event
      const key = keyOf(profileId, cid)
      changes.value += 1
      if (change === 'ended') ended.set(key, broadcastId)
      else if (change === 'began' || change === 'wentOn' || (change === 'removed' && ended.get(key) === broadcastId))
        ended.delete(key)
    },
  }
})
