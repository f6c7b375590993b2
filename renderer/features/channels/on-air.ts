import { defineStore } from 'pinia'
import { computed } from 'vue'
import { onAirOf, type OnAirChannel } from '../../../contract/on-air.ts'
import { useChannels } from './channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { useLive } from './live.ts'
import { useRecordings } from './recorded.ts'
import type { LampState } from '../../ui/tally.ts'

/** What the window says of all profiles: what is on air wins, else the channel last opened. */
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
  /** With its name, null while its list is not there, and how much of it was recorded in ms, null for nothing. */
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
  /** Whether the lamp is known: not before a tally was told, nor without leave to ask. */
  const isKnown = computed(
    () =>
      companion.line === 'lost' ||
      (companion.line === 'open' && (all.value.lamp !== 'idle' || channels.unsure || channels.tallies !== undefined)),
  )
  return {
    title,
    isKnown,
    /** The lamp of the window. */
    state,
    /** What is on air; stale entries stand at the end. */
    channels: computed(() =>
      all.value.channels.map((each) => ({
        ...each,
        doubted: each.doubted || companion.line === 'lost',
        name: titled(each).name,
      })),
    ),
  }
})
