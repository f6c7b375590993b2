import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { OutgoingCallback } from '../../../contract/rpc/index.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

/** Newest callbacks that are known here. */
const known = 500
/** While some wait they are looked at when the next is due, within these bounds in ms. */
const [soonest, latest] = [1_000, 15_000]

/** Callbacks that the embedded service sends: which wait, which were delivered, which were given up. */
export const useCallbacks = defineStore('callbacks', () => {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const recordings = useRecordings()
  /** Newest first; null while nobody could be asked. */
  const list = shallowRef<readonly OutgoingCallback[] | null>(null)
  const waiting = ref(0)
  const { busy, failure, run } = useTask()
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0

  const profileId = computed(() =>
    companion.line === 'open' && companion.service?.phase === 'running' && companion.local
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
      // It is asked again; whoever asked for something by name is told by its own failure.
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
    /** The entry that is being sent again, by its nId. */
    busy,
    failure,
    /** What became of the callback of each file; the newest where there are several. */
    byVid: computed(
      () =>
        new Map(
          [...(list.value ?? [])].reverse().flatMap((each) => (each.vid === null ? [] : [[each.vid, each] as const])),
        ) as ReadonlyMap<number, OutgoingCallback>,
    ),
    look,
    /** Sends an entry again. */
    resend: async (nId: string): Promise<void> => {
      const id = profileId.value
      if (id === undefined || busy.value !== null) return
      await run(nId, () => rpc.recordings.resend({ profileId: id, nId }))
      await look()
    },
  }
})
