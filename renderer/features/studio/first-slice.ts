import { computed, shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { maxListRange } from '../../../contract/operations/recordings.ts'
import { useRequest } from '../../data/request.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useServices } from '../../data/services.ts'

/** How much earlier than its push a recording may begin, in ms. */
const before = 5_000

/** The current push, or the last one that this page saw. */
export interface Broadcast {
  readonly profileId: string
  readonly cid: string
  /** Null while off air. */
  readonly since: number | null
}

/** Also after the end of the push; null until there is one. */
export function useFirstSlice(broadcast: Readonly<Ref<Broadcast | null>>): Readonly<Ref<RecordedFile | null>> {
  const { rpc, now } = useServices()
  const store = useRecordings()
  const { value: first, run, drop } = useRequest<RecordedFile | null>()
  const begun = shallowRef<{ readonly profileId: string; readonly cid: string; readonly since: number } | null>(null)

  const load = async (): Promise<void> => {
    const at = begun.value
    if (!at || first.value) return
    const beginTime = Math.max(at.since - before, now() - maxListRange + 60_000)
    await run(async () => {
      const wanted = { profileId: at.profileId, cids: [at.cid], beginTime, endTime: now() }
      const { files } = await rpc.recordings.list(wanted)
      const own = files.filter((file) => file.merged !== true && file.begin !== null && file.begin >= beginTime)
      return own.reduce<RecordedFile | null>(
        (one, file) => (one?.begin != null && one.begin <= (file.begin ?? 0) ? one : file),
        null,
      )
    })
  }
  watch(
    broadcast,
    (next) => {
      const same = next !== null && begun.value?.profileId === next.profileId && begun.value.cid === next.cid
      if (same && (next.since === null || next.since === begun.value?.since)) return
      begun.value = next === null || next.since === null ? null : { ...next, since: next.since }
      drop()
      inBackground(load())
    },
    { immediate: true },
  )
  watch(
    () => store.files,
    () => inBackground(load()),
  )
  return computed(() => first.value)
}
