import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { RpcInputs } from '../../../contract/rpc/index.ts'
import type { Target } from '../../../contract/rpc/targets.ts'
import { useRequest } from '../../data/request.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'
import { useShareNews } from '../share/share-news.ts'
import { isGoing, useTargets } from '../channels/targets.ts'

type Input = RpcInputs['targets']
type Of<K extends keyof Input> = Omit<Input[K], 'profileId' | 'cid'>
type Kept = 'keychain' | 'session' | 'refused' | 'none'

/** Share by which the bitrate differs from what the targets need before that is read again. */
const noticed = 0.2

/** Targets of a channel with their present states, and what is done with them. */
export function useTargetBoard(
  at: Readonly<Ref<{ readonly profileId: string; readonly cid: string }>>,
  live: Ref<boolean>,
  /** Of the push, in kbit/s. */
  kbps: Ref<number | null>,
) {
  const { rpc } = useServices()
  const store = useTargets()
  const news = useShareNews()
  const { value, failure: loadFailure, run, reload, drop } = useRequest<Awaited<ReturnType<typeof rpc.targets.list>>>()
  const work = useTask<'start' | 'stop' | 'update' | 'add' | 'remove'>()
  const about = ref<number | null>(null)
  /** Names of targets whose key the keychain refused. */
  const refusedKeys = shallowRef<readonly string[]>([])
  const load = async (): Promise<void> => {
    const { profileId, cid } = at.value
    const board = await run(() => rpc.targets.list({ profileId, cid }))
    if (board) store.put(profileId, cid, board.targets)
  }
  const targets = computed<Target[]>(() =>
    (value.value?.targets ?? []).map((one) => ({
      ...one,
      ...store.stateOf(at.value.profileId, at.value.cid, one.targetId),
    })),
  )
  watch(
    () => `${at.value.profileId}/${at.value.cid}`,
    () => {
      drop()
      work.drop()
      refusedKeys.value = []
      inBackground(load())
    },
    { immediate: true },
  )
  watch([() => store.changesOf(at.value.profileId, at.value.cid), live, () => news.limits], () => inBackground(load()))
  // What all need together, and keys that the service has now, are not told with a state.
  const states = (all: readonly Target[]): string => all.map(({ targetId, state }) => `${targetId}${state}`).join(' ')
  watch(
    () => states(targets.value),
    (told) => {
      if (told !== states(value.value?.targets ?? [])) inBackground(load())
    },
  )
  watch(kbps, (now) => {
    const needs = value.value?.needs ?? 0
    const pushed = (now ?? 0) * targets.value.filter(({ state }) => isGoing(state)).length
    if (now !== null && Math.abs(pushed - needs) > needs * noticed) inBackground(load())
  })
  const noteKept = (name: string, kept: Kept): void => {
    if (kept === 'none') return
    const others = refusedKeys.value.filter((one) => one !== name)
    refusedKeys.value = kept === 'refused' ? [...others, name] : others
  }
  const act = (what: 'start' | 'stop' | 'update' | 'remove', targetId: number, call: () => Promise<unknown>) => {
    if (work.busy.value === null) about.value = targetId
    return work.run(what, async () => {
      await call()
      await load()
    })
  }

  return {
    targets,
    board: value,
    loadFailure,
    reload,
    busy: work.busy,
    /** The target that the work, or its failure, is about. */
    about,
    failure: work.failure,
    clear: () => work.drop(),
    refusedKeys,
    start: (targetId: number) => act('start', targetId, () => rpc.targets.start({ ...at.value, targetId })),
    stop: (targetId: number) => act('stop', targetId, () => rpc.targets.stop({ ...at.value, targetId })),
    remove: (targetId: number) => act('remove', targetId, () => rpc.targets.remove({ ...at.value, targetId })),
    update: ({ targetId, ...change }: Of<'update'>, name: string) =>
      act('update', targetId, async () =>
        noteKept(name, (await rpc.targets.update({ ...at.value, targetId, ...change })).key),
      ),
    add: (target: Of<'add'>) =>
      work.run('add', async () => {
        about.value = null
        noteKept(target.name, (await rpc.targets.add({ ...at.value, ...target })).key)
        await load()
      }),
  }
}
