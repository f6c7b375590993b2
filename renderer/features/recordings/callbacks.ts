import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { OutgoingCallback } from '../../../contract/rpc/index.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

const known = 500
/** Bounds of the pause between reads, in ms. */
const [soonest, latest] = [1_000, 15_000]

/** Pending, delivered and abandoned callbacks of the embedded service. */
export const useCallbacks = defineStore('callbacks', () => {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const recordings = useRecordings()
  /** Newest first. */
  const list = shallowRef<readonly OutgoingCallback[] | null>(null)
  const waiting = ref(0)
  const { busy, failure, run } = useTask()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0

  const profileId = computed(() =>
    companion.line === 'open' && companion.extended && (!companion.local || companion.service?.phase === 'running')
      ? companion.profile?.id
      : undefined,
  )
  const look = async (): Promise<void> => {
    const [id, mine] = [profileId.value, ++turn]
    clearTimeout(timer)
    if (id === undefined) {
      list.value = null
      waiting.value = 0
      return
    }
    try {
      const told = await rpc.recordings.callbacks({ profileId: id, limit: known })
      if (mine !== turn) return
      list.value = told.list
      waiting.value = told.waiting
    } catch {
      // Read again later; calls by name have their own failure.
      if (mine !== turn) return
    }
    if (waiting.value === 0) return
    const due = Math.min(...(list.value ?? []).map((each) => each.due ?? Infinity)) - now()
    timer = setTimeout(() => inBackground(look()), Math.min(Math.max(due, soonest), latest))
  }
  watch([profileId, () => recordings.files, () => recordings.deliveries], () => inBackground(look()), {
    immediate: true,
  })
  onScopeDispose(() => {
    turn += 1
    clearTimeout(timer)
  })

  return {
    list,
    waiting,
    /** The nId of the callback that is sent again. */
    busy,
    failure,
    byVid: computed(
      () =>
        new Map(
          [...(list.value ?? [])].reverse().flatMap((each) => (each.vid === null ? [] : [[each.vid, each] as const])),
        ) as ReadonlyMap<number, OutgoingCallback>,
    ),
    look,
    resend: async (nId: string): Promise<void> => {
      const id = profileId.value
      if (id === undefined || busy.value !== null) return
      await run(nId, () => rpc.recordings.resend({ profileId: id, nId }))
      await look()
    },
  }
})
