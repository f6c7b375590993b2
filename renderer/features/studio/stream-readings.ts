import { computed, ref, shallowRef, watch, type Ref, type UnwrapNestedRefs } from 'vue'
import type { Channel, PushCard } from '../../../contract/rpc/index.ts'
import { useCompanion } from '../../data/companion.ts'
import { useServices } from '../../data/services.ts'
import type { PreviewSample, TransportKind } from '../../player/transport.ts'
import { onAir } from '../../ui/tally.ts'
import { useChannels } from '../channels/channels.ts'
import { pushOf, useLive } from '../channels/live.ts'
import { useHolds } from '../hold/holds.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useCallbacks } from '../recordings/callbacks.ts'
import { shownState } from '../recordings/recording-card.ts'
import { useFirstSlice } from './first-slice.ts'
import { goLiveChecks, type GoLiveInput, type GoLiveRecording } from './go-live.ts'
import { healthCells } from './health.ts'
import { lastEnd } from './push-drops.ts'
import { judgeStream, measuredRates, steadyRate, usualRate, type StreamHealth } from './stream-health.ts'

/** Health, figures and go-live check of a channel. */
export function useStreamReadings(cid: Readonly<Ref<string | null>>, channel: Readonly<Ref<Channel | undefined>>) {
  const companion = useCompanion()
  const { now, rpc } = useServices()
  const holds = useHolds()
  const channels = useChannels()
  const live = useLive()
  const recordings = useRecordings()
  const callbacks = useCallbacks()

  const lamp = computed(() => (channel.value ? channels.lamp(channel.value) : 'idle'))
  const tally = computed(() => (channel.value ? channels.tally(channel.value) : null))
  const isLive = computed(() => onAir(lamp.value) && companion.fault === null)
  /** On air, and the state is fresh. */
  const isKnown = computed(() => isLive.value && !channels.unsure)
  const disabled = computed(() => lamp.value === 'disabled')
  const slice = computed(() =>
    channel.value && channels.profileId ? live.figuresOf(channels.profileId, channel.value.cid) : undefined,
  )
  const log = computed(() =>
    channel.value && channels.profileId ? live.logOf(channels.profileId, channel.value.cid) : [],
  )

  // A page that was loaded or connected again has missed what the companion kept.
  watch(
    [() => channels.profileId, cid, () => companion.line],
    async ([profileId, one, line]) => {
      if (profileId === null || one === null || line !== 'open' || !companion.extended) return
      try {
        live.recall(profileId, one, (await rpc.health.recent({ profileId, cid: one })).turns)
      } catch {
        // The log has what comes from now on.
      }
    },
    { immediate: true },
  )

  const end = computed(() => (companion.extended && !isLive.value ? lastEnd(pushOf(log.value)) : null))
  const hold = computed(() =>
    channel.value && channels.profileId && isLive.value
      ? holds.stateOf(channels.profileId, channel.value.cid)
      : undefined,
  )
  /** When the encoder was lost whose picture is held; by hand it is held since another time. */
  const heldLostAt = computed(() => {
    if (!hold.value?.holding || (hold.value.byHand && hold.value.until === null)) return null
    const told = hold.value.byHand ? log.value.find(({ kind }) => kind === 'held')?.at : hold.value.since
    return told ?? hold.value.since
  })
  const lostAt = computed(() => heldLostAt.value ?? (end.value?.lost && !disabled.value ? end.value.at : null))

  const kind = ref<TransportKind>('flv')
  const samples = ref<PreviewSample[]>([])
  const played = ref<GoLiveInput['played']>(null)
  /** Since when the preview of this channel and transport is open. */
  let opened = now()
  const card = ref<PushCard | null>(null)
  watch(cid, () => {
    opened = now()
    samples.value = []
    played.value = null
    card.value = null
  })
  watch(kind, () => {
    opened = now()
  })
  // Samples of another push or transport.
  watch([() => tally.value?.since, kind], () => {
    samples.value = []
    played.value = null
  })
  const sampled = (sample: PreviewSample): void => {
    samples.value = [...samples.value.slice(-119), sample]
  }

  const health = shallowRef<StreamHealth>({ word: 'unknown', cause: 'idle', value: null, next: null, settles: null })
  const judged = ref<string | null>(null)
  let returned: number | null = null
  let wasLost = false
  watch(
    [slice, isKnown, cid, () => companion.extended, lostAt],
    () => {
      const at = companion.clock
      const since = tally.value?.since ?? 0
      if (judged.value !== cid.value) returned = null
      else if (wasLost && heldLostAt.value === null) returned = isKnown.value ? at : null
      wasLost = heldLostAt.value !== null
      const reading = {
        local: companion.extended,
        live: isKnown.value,
        lost: lostAt.value !== null,
        ofNode: heldLostAt.value === null && end.value?.ofNode === true,
        since: tally.value?.since ?? null,
        returned,
        figures: slice.value?.figures ?? null,
        fpsUsual: usualRate(measuredRates(slice.value?.history ?? [], since)),
      }
      health.value = judgeStream(judged.value === cid.value ? health.value : null, reading, slice.value?.at ?? at)
      judged.value = cid.value
    },
    { immediate: true },
  )
  const cells = computed(() =>
    healthCells({
      slice: isKnown.value ? slice.value : slice.value && { ...slice.value, figures: null },
      health: health.value,
      viewers: tally.value?.viewers ?? null,
      preview: samples.value,
      transport: kind.value,
      live: isKnown.value,
      local: companion.extended,
    }),
  )
  const kbps = computed(() => (isKnown.value ? (slice.value?.figures?.kbps ?? null) : null))
  const starts = computed(() => [
    ...log.value.filter(({ kind }) => kind === 'started').map(({ at }) => at),
    ...(tally.value?.since ? [tally.value.since] : []),
  ])
  const first = useFirstSlice(
    computed(() =>
      companion.extended && channel.value && channels.profileId
        ? {
            profileId: channels.profileId,
            cid: channel.value.cid,
            since: isLive.value ? (tally.value?.since ?? null) : null,
          }
        : null,
    ),
  )
  const recorded = computed<GoLiveRecording | null>(() => {
    if (!companion.extended || !channel.value || !channels.profileId) return null
    const { state, reason, bytes } = shownState(
      recordings.stateOf(channels.profileId, channel.value.cid),
      channel.value,
      isLive.value ? (tally.value?.status ?? 0) : 0,
    )
    if (state === 'off' && !first.value) return null
    const callback =
      callbacks.list === null || !first.value ? undefined : (callbacks.byVid.get(first.value.vid) ?? null)
    return { state, reason, bytes, first: first.value, callback }
  })
  const checks = computed(() =>
    goLiveChecks({
      local: companion.extended,
      unsure: channels.unsure,
      service: companion.local ? companion.service : undefined,
      card: card.value,
      now: companion.clock,
      live: isLive.value,
      disabled: disabled.value,
      held: hold.value?.holding === true,
      since: tally.value?.since ?? null,
      figures: slice.value?.figures ?? null,
      rate: steadyRate(
        slice.value?.figures?.fpsDeclared ?? null,
        measuredRates(slice.value?.history ?? [], tally.value?.since ?? 0),
      ),
      log: log.value,
      played: played.value,
      recording: recorded.value,
    }),
  )
  return {
    lamp,
    tally,
    isLive,
    isKnown,
    disabled,
    log,
    end,
    lostAt,
    kind,
    card,
    health,
    cells,
    kbps,
    starts,
    checks,
    sampled,
    played: (at: number, how: TransportKind): void => {
      played.value ??= { at, from: opened, kind: how }
    },
  }
}

/** What the Studio reads of a push. */
export type StreamReadings = UnwrapNestedRefs<ReturnType<typeof useStreamReadings>>
