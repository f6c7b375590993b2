import { onScopeDispose, ref, shallowRef, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { ListedFile, MergeTask } from '../../../contract/rpc/index.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'

/** What became of a clip. */
export type TrimState = 'none' | 'saving' | 'saved' | 'failed' | 'cancelled'

/** In ms. */
const lookEvery = 400
const never = 8.64e15

/** Saves a clip in a task of the service and follows it. */
export function useTrimTask(profileId: Readonly<Ref<string | null>>) {
  const { rpc } = useServices()
  const state = ref<TrimState>('none')
  const task = shallowRef<MergeTask | null>(null)
  const file = shallowRef<ListedFile | null>(null)
  const failure = ref<Failure | null>(null)
  let made: { readonly taskId: number; readonly vid: number } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0
  onScopeDispose(() => {
    turn += 1
    clearTimeout(timer)
  })

  const look = async (id: string): Promise<void> => {
    const mine = turn
    const wanted = made
    try {
      const { tasks } = await rpc.recordings.merges({ profileId: id })
      if (mine !== turn) return
      task.value = tasks?.find(({ taskId }) => taskId === wanted?.taskId) ?? null
      const now = task.value?.state ?? 'running'
      if (now === 'done') {
        const asked = { beginTime: 0, endTime: never, deletedOnly: false, limit: 50, before: null }
        const { files } = await rpc.recordings.all({ profileId: id, ...asked })
        if (mine !== turn) return
        file.value = files.find(({ vid }) => vid === wanted?.vid) ?? null
      }
      if (now !== 'running') {
        state.value = now === 'done' ? 'saved' : now
        return
      }
    } catch (error) {
      if (mine !== turn) return
      failure.value = failureOf(error)
    }
    timer = setTimeout(() => inBackground(look(id)), lookEvery)
  }

  return {
    state,
    task,
    /** What was saved. */
    file,
    failure,
    save: async (asked: { vids: number[]; from: number; to: number }, name: string): Promise<void> => {
      const id = profileId.value
      if (id === null || state.value === 'saving') return
      const mine = ++turn
      clearTimeout(timer)
      state.value = 'saving'
      task.value = null
      file.value = null
      failure.value = null
      try {
        made = await rpc.recordings.trim({ profileId: id, ...asked, name })
      } catch (error) {
        if (mine !== turn) return
        failure.value = failureOf(error)
        state.value = 'failed'
        return
      }
      if (mine === turn) await look(id)
    },
    cancel: async (): Promise<void> => {
      const id = profileId.value
      if (id === null || made === undefined) return
      failure.value = null
      await rpc.recordings.cancelMerge({ profileId: id, taskId: made.taskId }).catch((error: unknown) => {
        failure.value = failureOf(error)
      })
    },
    /** True when the name was taken. */
    rename: async (name: string): Promise<boolean> => {
      const id = profileId.value
      if (id === null || file.value === null) return false
      failure.value = null
      try {
        await rpc.recordings.renameClip({ profileId: id, vid: file.value.vid, name })
        file.value = { ...file.value, name }
        return true
      } catch (error) {
        failure.value = failureOf(error)
        return false
      }
    },
    /** The cut was changed: what was saved is another one. */
    forget: (): void => {
      if (state.value === 'saving') return
      state.value = 'none'
      failure.value = null
    },
  }
}
