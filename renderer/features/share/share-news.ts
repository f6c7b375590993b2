import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'

/** Counts what was told, so that an open sheet reads again. */
export const useShareNews = defineStore('shareNews', () => {
  const access = shallowRef({ cid: '', count: 0 })
  const reach = shallowRef(0)
  const limits = shallowRef(0)
  return {
    access,
    reach,
    limits,
    apply(event: AppEvent): void {
      if (event.type === 'access') access.value = { cid: event.cid, count: access.value.count + 1 }
      else if (event.type === 'reach') reach.value += 1
      else if (event.type === 'limits') limits.value += 1
    },
  }
})
