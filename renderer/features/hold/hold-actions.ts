import { computed, shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { HoldState } from '../../../contract/rpc/hold.ts'
import { useCompanion } from '../../data/companion.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices, type Services } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'
import { useLive } from '../channels/live.ts'
import { useHolds } from './holds.ts'

type Answered = Awaited<ReturnType<Services['rpc']['operations']['hold']['hold']>>['ret']

/** As events have it. */
const stateOf = (from: Answered): HoldState => ({
  holdSeconds: from.holdSeconds,
  delaySeconds: from.delaySeconds,
  holding: from.holding,
  byHand: from.byHand ?? false,
  noPicture: from.noPicture ?? false,
  since: from.since ?? null,
  until: from.until ?? null,
  lastHeld: from.lastHeld ?? null,
  lastHeldFor: from.lastHeldFor ?? null,
  goesOn: from.goesOn ?? null,
  nextHeldUntil: from.nextHeldUntil ?? null,
  delayed: from.delayed ?? null,
  delayChanging: from.delayChanging ?? false,
  delayFault: from.delayFault === undefined ? null : 'disk',
})

/** Hold and delay of a channel, and what is done with them. */
export function useHoldActions(
  at: Readonly<Ref<{ readonly profileId: string; readonly cid: string }>>,
  live: Ref<boolean>,
) {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const log = useLive()
  const store = useHolds()
  const { busy, failure, run, drop } = useTask<'now' | 'back' | 'update' | 'dump'>()
  const loadFailure = shallowRef<Failure | null>(null)
  const discarded = shallowRef<number | null>(null)
  const put = ({ ret }: { readonly ret: Answered }): void => store.put(at.value.profileId, at.value.cid, stateOf(ret))
  const load = async (): Promise<void> => {
    const asked = at.value
    try {
      const answer = await rpc.operations.hold.hold({ profileId: asked.profileId, call: { cid: asked.cid } })
      store.put(asked.profileId, asked.cid, stateOf(answer.ret))
      loadFailure.value = null
    } catch (error) {
      if (asked.cid === at.value.cid) loadFailure.value = failureOf(error)
    }
  }
  watch(
    // What was told is dropped with a service that is gone.
    () => `${at.value.profileId}/${at.value.cid}/${live.value}/${companion.fault === null}`,
    () => {
      drop()
      discarded.value = null
      inBackground(load())
    },
    { immediate: true },
  )
  const asked = () => ({ profileId: at.value.profileId, call: { cid: at.value.cid } })

  return {
    state: computed(() => store.stateOf(at.value.profileId, at.value.cid)),
    busy,
    failure,
    loadFailure,
    load,
    /** Media in ms that nobody got. */
    discarded,
    clear: drop,
    now: () => run('now', async () => put(await rpc.operations.hold.holdNow(asked()))),
    back: () => run('back', async () => put(await rpc.operations.hold.holdBack(asked()))),
    update: (change: { readonly holdSeconds?: number; readonly delaySeconds?: number }) =>
      run('update', async () => {
        discarded.value = null
        const { profileId, cid } = at.value
        const before = store.stateOf(profileId, cid)?.delaySeconds
        put(await rpc.operations.hold.updateHold({ profileId, call: { cid, ...change } }))
        const { delaySeconds } = change
        if (live.value && delaySeconds !== undefined && delaySeconds !== before)
          log.done({ profileId, cid }, { at: now(), kind: 'delaySet', count: delaySeconds })
      }),
    dump: () =>
      run('dump', async () => {
        const on = at.value
        discarded.value = (await rpc.operations.hold.dumpDelay(asked())).ret.discarded
        log.done(on, { at: now(), kind: 'dumped', count: Math.round(discarded.value / 1_000) })
      }),
  }
}
