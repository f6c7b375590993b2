import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { Delivery, Marker, MergeBoard, RecordedFile } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useServices } from '../../data/services.ts'
import type { Broadcast } from './broadcast-groups.ts'
import type { Range } from './time-line.ts'

interface Wanted {
  readonly profileId: string
  readonly cids: readonly string[]
  readonly range: Range
  /** Its service has the extension operations. */
  readonly extended: boolean
}

/** In ms. */
const lookEvery = 1_000
const maxDeliveries = 500
const maxBroadcasts = 1000
/** Broadcasts that began so long before a range, in ms, are known in it; others show their files alone. */
const longestBroadcast = 31 * 86_400_000

/** Files, broadcasts, markers, callbacks and merges of channels in a range; read again after changes. */
export function useRecordedFiles(wanted: Readonly<Ref<Wanted | null>>) {
  const { rpc } = useServices()
  const store = useRecordings()
  const files = shallowRef<readonly RecordedFile[] | null>(null)
  const broadcasts = shallowRef<readonly Broadcast[]>([])
  const markers = shallowRef<readonly Marker[]>([])
  const board = shallowRef<MergeBoard | null>(null)
  const received = shallowRef<ReadonlyMap<number, Delivery>>(new Map())
  const failure = ref<Failure | null>(null)
  const loading = ref(false)
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const boardOf = (profileId: string): Promise<MergeBoard | null> =>
    rpc.recordings.merges({ profileId }).catch(() => null)
  /** Of the channels; without them, as of a service that has none, files stand by themselves. */
  const broadcastsOf = async ({ profileId, cids, range, extended }: Wanted): Promise<readonly Broadcast[]> => {
    if (!extended) return []
    const call = {
      ...(cids.length === 1 && { cid: cids[0] }),
      beginTime: Math.max(0, range.begin - longestBroadcast),
      endTime: range.end,
      limit: maxBroadcasts,
    }
    const answer = await rpc.operations.broadcast.broadcasts({ profileId, call }).catch(() => null)
    return answer?.ret.list.filter(({ cid }) => cids.includes(cid)) ?? []
  }
  const show = (next: MergeBoard | null): void => {
    board.value = next
    clearTimeout(timer)
    if (next?.tasks?.some((task) => task.state === 'running'))
      timer = setTimeout(() => inBackground(looked()), lookEvery)
  }
  const looked = async (): Promise<void> => {
    const at = wanted.value
    clearTimeout(timer)
    if (!at) return
    const mine = turn
    const next = await boardOf(at.profileId)
    if (mine === turn) show(next)
  }
  const callbacks = async (): Promise<void> => {
    const at = wanted.value
    if (!at) return
    const mine = turn
    const list = await rpc.receivers.deliveries({ profileId: at.profileId, limit: maxDeliveries }).catch(() => [])
    if (mine === turn)
      received.value = new Map(
        list.flatMap((each) => (each.verdict === 'accepted' ? [[Number(each.fields['vid']), each] as const] : [])),
      )
  }
  const load = async (): Promise<void> => {
    const at = wanted.value
    const mine = ++turn
    failure.value = null
    if (!at || at.cids.length === 0) {
      files.value = at ? [] : null
      broadcasts.value = []
      markers.value = []
      return
    }
    loading.value = true
    const { profileId, range } = at
    const input = { profileId, cids: [...at.cids], beginTime: range.begin, endTime: range.end }
    try {
      const [list, marked, shows] = await Promise.all([
        rpc.recordings.list(input),
        rpc.recordings.markers(input),
        broadcastsOf(at),
      ])
      // After the files, so that a merge with a listed result is not shown as running.
      const next = await boardOf(profileId)
      if (mine !== turn) return
      files.value = list.files
      broadcasts.value = shows
      markers.value = marked
      show(next)
    } catch (error) {
      if (mine !== turn) return
      failure.value = failureOf(error)
      inBackground(looked())
    } finally {
      if (mine === turn) loading.value = false
    }
    if (mine === turn) await callbacks()
  }
  const about = computed(() => JSON.stringify(wanted.value))
  watch(
    about,
    (now, before) => {
      if (
        before === undefined ||
        (JSON.parse(now) as Wanted | null)?.profileId !== (JSON.parse(before) as Wanted | null)?.profileId
      ) {
        files.value = null
        broadcasts.value = []
        board.value = null
        received.value = new Map()
      }
      inBackground(load())
    },
    { immediate: true },
  )
  watch(
    () => [store.files, store.broadcasts],
    () => inBackground(load()),
  )
  watch(
    () => store.deliveries,
    () => inBackground(callbacks()),
  )
  onScopeDispose(() => {
    turn += 1
    clearTimeout(timer)
  })
  return { files, broadcasts, markers, board, received, failure, loading, load, look: looked }
}
