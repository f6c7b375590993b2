import { defineStore } from 'pinia'
import { computed } from 'vue'
import { useLive } from '../channels/live.ts'
import { useObs } from './obs.ts'
import { lampOf, onAir } from '../../ui/tally.ts'

/** A channel of any profile is on air, or OBS streams: viewers may see this screen. */
export const useStreamingNow = defineStore('streamingNow', () => {
  const live = useLive()
  const obs = useObs()
  const channels = computed(() =>
    [...live.tallies.values()].some(({ byCid }) =>
      [...byCid.values()].some(({ status }) => onAir(lampOf(status, false))),
    ),
  )
  return { on: computed(() => channels.value || (obs.state?.streaming ?? 'off') !== 'off') }
})
