import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { rateWindow } from '../../../contract/on-air.ts'
import type { Tally } from '../../../contract/rpc/state.ts'
import { shortId } from '../../format/figures.ts'
import { useChannels } from '../channels/channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { useLive, type FigureSlice } from '../channels/live.ts'
import { useOnAir } from '../channels/on-air.ts'
import { useRecordings } from '../channels/recorded.ts'

/** A channel out of sight that went off the air, or lost its picture or recording. */
export interface AirLoss {
  readonly profileId: string
  readonly cid: string
  readonly name: string
  /** In ms. */
  readonly at: number
  readonly what: 'offAir' | 'noPicture' | 'notRecorded'
}

/** Time without a picture until it counts as lost, in ms: an encoder may pause between scenes. */
export const pictureless = 5_000

const isAir = ({ status }: Tally): boolean => status === 1 || status === 3
const keyOf = (profileId: string, cid: string): string => `${profileId}/${cid}`

/** When the picture was lost, in ms of the figures; null while there is one, or none is expected. */
function pictureLostAt(slice: FigureSlice | undefined): number | null {
  if (!slice?.figures || slice.figures.videoCodec === null || slice.figures.fps !== 0) return null
  const last = slice.history.findLastIndex(({ figures }) => figures.fps !== 0)
  // Rates are means: the picture ended this long before the first rate of 0.
  const first = slice.history[last + 1]
  return first && slice.at - first.at >= pictureless ? first.at - rateWindow : null
}

/** Losses in all profiles, until the channel is back, shown in Studio, or stopped here. */
export const useAirLosses = defineStore('airLosses', () => {
  const companion = useCompanion()
  const channels = useChannels()
  const live = useLive()
  const onAir = useOnAir()
  const recordings = useRecordings()
  const shown = ref<string | null>(null)
  const losses = shallowRef<ReadonlyMap<string, AirLoss>>(new Map())
  /** Channels on air by the last fresh state, by profile. */
  const before = new Map<string, ReadonlySet<string>>()

  const forget = (key: string): void => {
    if (losses.value.has(key)) losses.value = new Map([...losses.value].filter(([each]) => each !== key))
  }
  /** Omits what the title bar or Studio shows. */
  const isOutOfSight = (profileId: string, cid: string, what: AirLoss['what']): boolean => {
    if (shown.value !== null) return keyOf(profileId, cid) !== shown.value
    if (what === 'notRecorded') return true
    return onAir.channels.some((one) => !one.stale && (one.cid !== cid || one.profileId !== profileId))
  }
  const lose = (profileId: string, cid: string, what: AirLoss['what'], at: number): void => {
    if (!isOutOfSight(profileId, cid, what)) return
    const name = channels.nameIn(profileId, cid) ?? shortId(cid)
    losses.value = new Map([...losses.value, [keyOf(profileId, cid), { profileId, cid, name, at, what }]])
  }
  watch(
    () => [...live.tallies],
    (all) => {
      for (const [profileId, { fault, byCid }] of all) {
        if (fault !== null) continue
        const [then, now] = [
          before.get(profileId),
          new Set([...byCid.values()].filter((tally) => isAir(tally)).map(({ cid }) => cid)),
        ]
        before.set(profileId, now)
        for (const cid of now) if (!then?.has(cid)) forget(keyOf(profileId, cid))
        // Deleted or disabled channels were ended on purpose.
        for (const cid of then ?? [])
          if (!now.has(cid) && byCid.has(cid) && byCid.get(cid)?.status !== 2)
            lose(profileId, cid, 'offAir', companion.clock)
      }
    },
    { flush: 'sync' },
  )
  /** Hosted services give no figures. */
  const blind = computed(() =>
    onAir.channels.flatMap(({ profileId, cid, stale }) => {
      const at = stale ? null : pictureLostAt(live.figuresOf(profileId, cid))
      return at === null ? [] : [{ profileId, cid, at }]
    }),
  )
  const follow = (
    what: 'noPicture' | 'notRecorded',
    list: () => readonly { readonly profileId: string; readonly cid: string; readonly at?: number }[],
  ): void => {
    watch(list, (now, was) => {
      const [keys, known] = [now, was].map((each) => new Set(each.map(({ profileId, cid }) => keyOf(profileId, cid))))
      for (const key of known ?? []) if (!keys?.has(key) && losses.value.get(key)?.what === what) forget(key)
      for (const { profileId, cid, at = companion.clock } of now)
        if (!known?.has(keyOf(profileId, cid))) lose(profileId, cid, what, at)
    })
  }
  follow('noPicture', () => blind.value)
  const unrecorded = computed(() =>
    onAir.channels.filter(
      ({ profileId, cid, stale }) => !stale && recordings.stateOf(profileId, cid)?.state === 'stopped',
    ),
  )
  follow('notRecorded', () => unrecorded.value)
  return {
    losses,
    /** Sets the channel that Studio shows; null on other screens. */
    show: (profileId: string | null, cid: string | null): void => {
      shown.value = profileId === null || cid === null ? null : keyOf(profileId, cid)
      if (shown.value !== null) forget(shown.value)
    },
  }
})
