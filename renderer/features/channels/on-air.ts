import { defineStore } from 'pinia'
import { computed } from 'vue'
import { onAirOf, type OnAirChannel } from '../../../contract/on-air.ts'
import { useChannels } from './channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { useLive } from './live.ts'
import { useRecordings } from './recorded.ts'
import type { LampState } from '../../ui/tally.ts'

/** On-air state of all profiles: a channel on air, otherwise the one opened last. */
export const useOnAir = defineStore('onAir', () => {
  const companion = useCompanion()
  const channels = useChannels()
  const live = useLive()
  const recordings = useRecordings()
  const isServiceDown = computed(
    () =>
      companion.service !== null && (companion.service.phase === 'restarting' || companion.service.phase === 'stopped'),
  )
  const all = computed(() =>
    onAirOf(
      [...live.tallies].map(([profileId, told]) => [profileId, { ...told, tallies: told.byCid.values() }] as const),
      { isServiceDown: isServiceDown.value, opened: channels.opened, now: companion.clock },
    ),
  )
  /** `name` is null until its list was read; `recorded` is in ms, null for none. */
  const titled = ({ profileId, cid, since }: Pick<OnAirChannel, 'profileId' | 'cid' | 'since'>) => {
    const isSilent = live.figuresOf(profileId, cid)?.figures?.kbps === 0
    const recorded = recordings.recordedOf(profileId, cid, companion.clock, isSilent)
    return { profileId, cid, since, recorded, name: channels.nameIn(profileId, cid) ?? null }
  }
  const title = computed(() => {
    if (all.value.channel) return titled(all.value.channel)
    const { first, profileId } = channels
    return first && profileId !== null
      ? titled({ profileId, cid: first.cid, since: channels.tally(first).since })
      : null
  })
  const state = computed<LampState>(() => {
    if (companion.line === 'lost') return 'fault'
    if (all.value.lamp !== 'idle') return all.value.lamp
    return channels.unsure ? 'fault' : channels.first ? channels.lamp(channels.first) : 'idle'
  })
  /** False before the first tally and while not signed in. */
  const isKnown = computed(
    () =>
      companion.line === 'lost' ||
      (companion.line === 'open' && (all.value.lamp !== 'idle' || channels.unsure || channels.tallies !== undefined)),
  )
  return {
    title,
    isKnown,
    state,
    channels: computed(() =>
      all.value.channels.map((each) => ({
        ...each,
        stale: each.stale || companion.line === 'lost',
        name: titled(each).name,
      })),
    ),
  }
})
