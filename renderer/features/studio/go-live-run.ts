import { computed, onScopeDispose, ref, shallowReactive, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { Channel } from '../../../contract/rpc/index.ts'
import { lookAtFlv, type FlvSeen } from '../../player/flv-look.ts'
import { lookAtHls, type HlsSeen } from '../../player/hls-look.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useChannels } from '../channels/channels.ts'
import { useCompanion } from '../../data/companion.ts'
import type { TargetBoard } from '../../../contract/rpc/targets.ts'
import type { RoomSeen, ShareSeen, Tried } from './go-live-facts.ts'
import { goLiveLines } from './go-live-lines.ts'
import { useHolds } from '../hold/holds.ts'
import { useLive } from '../channels/live.ts'
import { lastRefusal, refusalOf } from '../channels/push-refusals.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useSeats } from '../moderators/seats.ts'
import { useServices } from '../../data/services.ts'
import { measuredRates, steadyRate } from './stream-health.ts'
import { onAir } from '../../ui/tally.ts'

/** In ms; long for tests that read a stream. */
const againAfter = { bad: 3_000, good: 15_000, stream: 30_000, calm: 60_000 } as const

interface Results {
  profile: Tried<{ readonly milliseconds: number }>
  card: Tried<{ readonly expires: number | null }>
  flv: Tried<FlvSeen | null>
  hls: Tried<HlsSeen | null>
  share: Tried<ShareSeen | null>
  targets: Tried<TargetBoard | null>
  room: Tried<RoomSeen | null>
  seats: Tried<true>
}
const nothing: Results = {
  profile: null,
  card: null,
  flv: null,
  hls: null,
  share: null,
  targets: null,
  room: null,
  seats: null,
}

/** Repeats all tests until it is cancelled or its scope ends; calmly where nobody waits for a line. */
export function useGoLiveRun(profileId: string, channel: Ref<Channel>, isCalm = false) {
  const { rpc } = useServices()
  const companion = useCompanion()
  const channels = useChannels()
  const live = useLive()
  const holds = useHolds()
  const recordings = useRecordings()
  const seats = useSeats()
  const results = shallowReactive<Results>({ ...nothing })
  const running = ref(false)
  let turn = new AbortController()
  /** Ends pauses early. */
  const pokes = new Set<() => void>()

  const lamp = computed(() => channels.lamp(channel.value))
  const isLive = computed(() => onAir(lamp.value) && companion.fault === null)
  const on = computed(() => ({ profileId, cid: channel.value.cid }))

  /** Why results may be stale. */
  const lost = computed<Failure | null>(() => {
    const none = { code: null, skewSeconds: null, detail: '' }
    if (companion.line !== 'open') return { kind: 'offline', ...none }
    if (companion.fault !== null) return { kind: 'down', ...none }
    if (companion.local) return companion.busy || channels.unsure ? { kind: 'late', ...none } : null
    return channels.unsure ? channels.hostFault : null
  })

  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        pokes.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      pokes.add(done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  const poke = (): void => {
    for (const each of pokes) each()
  }
  const keep = async <K extends keyof Results>(
    name: K,
    signal: AbortSignal,
    work: () => Promise<Results[K]>,
    rest: (result: Results[K]) => number,
  ): Promise<void> => {
    while (!signal.aborted) {
      let found: Results[K]
      try {
        found = await work()
      } catch (error) {
        found = { failure: failureOf(error) } as Results[K]
      }
      if (signal.aborted) return
      results[name] = found
      await pause(isCalm ? againAfter.calm : rest(found), signal)
    }
  }
  const usual = (tried: Tried<unknown>): number =>
    tried === null || 'failure' in tried ? againAfter.bad : againAfter.good
  const streamRest =
    <T>(isWhole: (seen: T) => boolean) =>
    (tried: Tried<T | null>): number =>
      tried !== null && 'value' in tried && (tried.value === null || isWhole(tried.value))
        ? againAfter.stream
        : againAfter.bad
  const readSeats = async (): Promise<Tried<true>> => {
    await seats.read()
    const failure = seats.failureAt('read')
    return failure ? { failure } : { value: true }
  }
  const stream = async <T>(
    kind: 'flv' | 'hls',
    signal: AbortSignal,
    look: (url: string, signal: AbortSignal) => Promise<T>,
  ): Promise<Tried<T | null>> => {
    if (!isLive.value) return null
    const url = (await rpc.preview.open(on.value))[kind]
    return { value: url === null ? null : await look(url, signal) }
  }
  const readShare = async (): Promise<Tried<ShareSeen>> => {
    const { access, reach } = rpc.operations
    const [entry, far] = await Promise.all([
      access.access({ profileId, call: { cid: channel.value.cid } }),
      reach.reach({ profileId, call: {} }),
    ])
    return { value: { access: entry.ret, reach: far.ret } }
  }
  const readTargets = async (): Promise<Tried<TargetBoard>> => ({ value: await rpc.targets.list(on.value) })
  const readRoom = async (): Promise<Tried<RoomSeen | null>> => {
    const { roomid } = await rpc.rooms.linked(on.value)
    if (roomid === null) return { value: null }
    const { chatroom } = await rpc.operations.chatrooms.get({ profileId, call: { roomid, needOnlineUserCount: true } })
    return {
      value: {
        roomid,
        name: chatroom.name,
        valid: chatroom.valid,
        muted: chatroom.muted,
        online: chatroom.onlineusercount ?? null,
      },
    }
  }
  const start = (): void => {
    turn.abort()
    turn = new AbortController()
    const { signal } = turn
    Object.assign(results, nothing)
    running.value = true
    inBackground(keep('profile', signal, async () => ({ value: await rpc.profiles.test({ profileId }) }), usual))
    inBackground(keep('card', signal, async () => ({ value: await rpc.push.card(on.value) }), usual))
    const flvRest = streamRest<FlvSeen>(({ keyFrame, audio }) => keyFrame && audio)
    inBackground(keep('flv', signal, () => stream('flv', signal, lookAtFlv), flvRest))
    const hlsRest = streamRest<HlsSeen>(({ readable }) => readable)
    inBackground(keep('hls', signal, () => stream('hls', signal, lookAtHls), hlsRest))
    inBackground(
      keep('room', signal, readRoom, (tried) =>
        tried !== null && 'value' in tried && tried.value?.valid ? againAfter.good : againAfter.bad,
      ),
    )
    inBackground(keep('seats', signal, readSeats, usual))
    if (companion.extended) {
      inBackground(keep('share', signal, readShare, () => againAfter.bad))
      inBackground(keep('targets', signal, readTargets, () => againAfter.bad))
      inBackground(
        rpc.recordings.state(on.value).then(
          (state) => {
            if (state && !signal.aborted) recordings.put(profileId, on.value.cid, state)
          },
          () => undefined,
        ),
      )
    }
  }
  const cancel = (): void => {
    turn.abort()
    running.value = false
  }
  // A change of these affects the results: repeat all tests.
  watch([isLive, () => lost.value === null, () => companion.line, () => channels.slice.channels], () => {
    if (!running.value) return
    if (!isLive.value) Object.assign(results, { flv: null, hls: null })
    poke()
  })
  onScopeDispose(cancel)

  const refused = computed(() => {
    const last = lastRefusal(live.logOf(profileId, channel.value.cid))
    return last && refusalOf(last)
  })
  const lines = computed(() => {
    const told = recordings.stateOf(profileId, channel.value.cid) ?? null
    const room = results.room
    const roomid = room !== null && 'value' in room ? (room.value?.roomid ?? null) : null
    const slice = live.figuresOf(profileId, channel.value.cid)
    const figures = isLive.value ? (slice?.figures ?? null) : null
    const hold = holds.stateOf(profileId, channel.value.cid)
    return goLiveLines({
      ...results,
      lost: lost.value,
      local: companion.local,
      extended: companion.extended,
      now: companion.clock,
      live: isLive.value,
      held: hold?.holding ? { lost: hold.until !== null } : null,
      disabled: lamp.value === 'disabled',
      figures,
      rate: steadyRate(
        figures?.fpsDeclared ?? null,
        measuredRates(slice?.history ?? [], channels.tally(channel.value).since ?? 0),
      ),
      refused: refused.value,
      recording: { wished: channel.value.needRecord, running: lamp.value === 'recording', state: told },
      diskFree: companion.service?.diskFree ?? null,
      recordingRoom: companion.service?.recordingRoom ?? null,
      recordedKbps: live.recordedKbps(profileId, channel.value.cid),
      seats:
        results.seats === null || 'failure' in results.seats
          ? results.seats
          : {
              value: {
                listening: seats.listener?.phase === 'listening',
                seats: seats.seatsOf(profileId).filter((seat) => seat.state !== 'revoked' && seat.roomid === roomid),
              },
            },
    })
  })

  return {
    lines,
    room: computed(() => (results.room !== null && 'value' in results.room ? results.room.value : null)),
    start,
    cancel,
    again: poke,
  }
}
