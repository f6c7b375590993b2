import { computed, ref } from 'vue'
import { reaches } from '../../../contract/operations/reach.ts'
import type { Share } from './share.ts'

/** A way that the service is reached. */
export type Way = (typeof reaches)[number]

/** The choice of how far it reaches. */
export function useReachChoice(share: Share) {
  /** Choices may come faster than doors open: the last one counts. */
  const wished = ref<Way | null>(null)
  /** A way about which is asked, as it ends who came through the present one. */
  const asked = ref<Way | null>(null)
  const present = computed<Way>(() => reaches.find((one) => one === share.reach.value?.reach) ?? 'computer')
  const watching = computed(() => share.limits.value?.viewers ?? share.access.value?.viewers ?? 0)
  const choose = async (way: Way): Promise<void> => {
    const isUnderWay = wished.value !== null
    wished.value = way
    if (isUnderWay) return
    let sent: Way | null = null
    while (wished.value !== null && wished.value !== sent) {
      sent = wished.value
      if (!(await share.updateReach({ reach: sent }))) break
    }
    wished.value = null
  }

  return {
    chosen: computed<Way>(() => wished.value ?? present.value),
    asked,
    /** Viewers of all channels. */
    watching,
    press: async (way: Way): Promise<void> => {
      const closes = way !== present.value && (share.reach.value?.doors.some(({ name }) => name === 'media') ?? false)
      if (closes && watching.value > 0) asked.value = way
      else await choose(way)
    },
    confirm: async (): Promise<void> => {
      const way = asked.value
      asked.value = null
      if (way) await choose(way)
    },
  }
}
