import { defineStore } from 'pinia'
import { computed } from 'vue'
import { useChannels } from './channels.ts'
import { useCompanion } from '../../data/companion.ts'

/** What prevents changes in the chosen profile. */
export const useBlocker = defineStore('blocker', () => {
  const companion = useCompanion()
  const channels = useChannels()
  const cause = computed(() =>
    companion.line === 'lost'
      ? 'offline'
      : companion.fault !== null
        ? 'down'
        : channels.hostFault !== null
          ? 'host'
          : null,
  )
  return { cause }
})
