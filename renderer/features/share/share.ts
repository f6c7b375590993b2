import { computed, onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import type { local } from '../../../contract/operations/index.ts'
import type { Answer } from '../../../contract/operation.ts'
import { watchPath } from '../../../contract/watch.ts'
import { inBackground } from '../../background.ts'
import { useCompanion } from '../../data/companion.ts'
import { useCopiedMark } from '../../ui/copied-mark.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'
import { missingOf } from './reach-reasons.ts'
import { useShareNews } from './share-news.ts'

/** Who may watch a channel, with its named links. */
export type ChannelAccess = Answer<typeof local.access>['ret']
/** A named link. */
export type NamedLink = ChannelAccess['links'][number]
/** How far the service is reached. */
export type Reach = Answer<typeof local.reach>['ret']
/** Limits of viewers, and what was used. */
export type WatchLimits = Answer<typeof local.watchLimits>['ret']
/** A visit from outside. */
export type Visit = Answer<typeof local.visits>['ret']['list'][number]

/** How often limits and players are read while the sheet is open, in ms. */
const readEvery = 5_000

/** What the sheet shows of a channel, read again as it changes. */
export function useShare(on: Ref<{ readonly profileId: string; readonly cid: string }>) {
  const { rpc } = useServices()
  const news = useShareNews()
  const companion = useCompanion()
  const access = shallowRef<ChannelAccess | null>(null)
  const reach = shallowRef<Reach | null>(null)
  const limits = shallowRef<WatchLimits | null>(null)
  const visits = shallowRef<readonly Visit[]>([])
  const schedule = shallowRef<Answer<typeof local.schedule>['ret']>({})
  const failure = shallowRef<Failure | null>(null)
  const task = useTask()
  /** A change of the way or its address is under way: what was read is of the one before. */
  const moving = shallowRef(false)
  /** Whether what was read last is what is: nothing says more while the service cannot be asked. */
  const isKnown = computed(() => companion.line !== 'lost' && failure.value === null)
  /** What was copied last: `link`, or the number of a named link; `refused` where the browser does not allow it. */
  const { copied, copy } = useCopiedMark()
  const { profileId } = on.value
  const call = rpc.operations

  const readAccess = async (): Promise<void> => {
    const { cid } = on.value
    access.value = (await call.access.access({ profileId, call: { cid } })).ret
  }
  const readReach = async (): Promise<void> => {
    const [now, list] = await Promise.all([
      call.reach.reach({ profileId, call: {} }),
      call.reach.visits({ profileId, call: {} }),
    ])
    reach.value = now.ret
    visits.value = list.ret.list
  }
  const readLimits = async (): Promise<void> => {
    limits.value = (await call.access.watchLimits({ profileId, call: {} })).ret
  }
  const readSchedule = async (): Promise<void> => {
    schedule.value = (await call.access.schedule({ profileId, call: { cid: on.value.cid } })).ret
  }
  const reading = async (...reads: readonly (() => Promise<void>)[]): Promise<void> => {
    try {
      await Promise.all(reads.map((read) => read()))
      failure.value = null
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  const readAll = (): Promise<void> => reading(readAccess, readReach, readLimits, readSchedule)
  inBackground(readAll())
  watch(
    () => news.access,
    ({ cid }) => inBackground(reading(readLimits, ...(cid === on.value.cid ? [readAccess] : []))),
  )
  watch(
    () => news.reach,
    () => inBackground(reading(readReach)),
  )
  watch(
    () => news.limits,
    () => inBackground(reading(readLimits)),
  )
  const timer = setInterval(() => inBackground(reading(readLimits, readAccess)), readEvery)
  onScopeDispose(() => clearInterval(timer))

  /** Why a link would lead nowhere; null while it may work. */
  const missing = computed(() => (moving.value ? 'measuring' : reach.value ? missingOf(reach.value) : null))
  /** The watch page as others reach it. */
  const address = computed(() => (reach.value ? `${reach.value.url}${watchPath}${on.value.cid}` : ''))
  /** Whether a link may be given away: it leads somewhere, and opens something. */
  const isGiven = computed(() => reach.value !== null && missing.value === null && access.value?.closed === false)
  /** Whether the link for everybody is: where only named links get in, alone it opens nothing. */
  const isForEverybody = computed(() => isGiven.value && access.value?.mode !== 'links')
  // What was copied is of the link that stood here.
  watch([address, isGiven, isForEverybody], () => (copied.value = ''))

  return {
    access,
    reach,
    limits,
    visits,
    schedule,
    failure,
    isKnown,
    task,
    readAll,
    readAccess: (): Promise<void> => reading(readAccess),
    copied,
    copy,
    address,
    missing,
    isGiven,
    isForEverybody,
    update: (change: Omit<Parameters<typeof rpc.access.update>[0], 'profileId' | 'cid'>): Promise<boolean> =>
      task.run('update', async () => {
        await rpc.access.update({ ...on.value, ...change })
        await Promise.all([readAccess(), readLimits()])
      }),
    updateReach: (change: Parameters<typeof call.reach.updateReach>[0]['call']): Promise<boolean> =>
      task.run('reach', async () => {
        moving.value = ['reach', 'publicUrl', 'port'].some((name) => name in change)
        try {
          reach.value = (await call.reach.updateReach({ profileId, call: change })).ret
        } finally {
          moving.value = false
        }
      }),
    checkReach: (): Promise<boolean> =>
      task.run('check', async () => {
        reach.value = (await call.reach.checkReach({ profileId, call: {} })).ret
      }),
    addLink: (link: Omit<Parameters<typeof rpc.access.addLink>[0], 'profileId' | 'cid'>) =>
      task.ask('addLink', async () => {
        const made = await rpc.access.addLink({ ...on.value, ...link })
        await readAccess()
        return made
      }),
    linkAddress: async (linkId: number): Promise<string | undefined> =>
      (await task.ask(`address ${linkId}`, () => rpc.access.linkAddress({ ...on.value, linkId })))?.url,
    revokeLink: (linkId: number): Promise<boolean> =>
      task.run(`revoke ${linkId}`, async () => {
        await call.access.revokeNamedLink({ profileId, call: { cid: on.value.cid, linkId } })
        await Promise.all([readAccess(), readLimits()])
      }),
    restoreLink: (linkId: number): Promise<boolean> =>
      task.run(`restore ${linkId}`, async () => {
        await call.access.restoreNamedLink({ profileId, call: { cid: on.value.cid, linkId } })
        await readAccess()
      }),
    removeLink: (linkId: number): Promise<boolean> =>
      task.run(`remove ${linkId}`, async () => {
        await call.access.removeNamedLink({ profileId, call: { cid: on.value.cid, linkId } })
        await readAccess()
      }),
    updateLimits: (change: Parameters<typeof call.access.updateWatchLimits>[0]['call']): Promise<boolean> =>
      task.run('limits', async () => {
        await call.access.updateWatchLimits({ profileId, call: change })
        await readLimits()
      }),
    setSchedule: (next: number | undefined, title: string | undefined): Promise<boolean> =>
      task.run('schedule', async () => {
        await call.access.setSchedule({ profileId, call: { cid: on.value.cid, next, title } })
        await readSchedule()
      }),
    startVisit: () => task.ask('visit', () => rpc.access.startVisit(on.value)),
    snippet: async (server: 'nginx' | 'caddy', publicUrl: string) =>
      (
        await task.ask('snippet', () =>
          call.reach.proxySnippet({ profileId, call: { server, ...(publicUrl !== '' && { publicUrl }) } }),
        )
      )?.ret,
  }
}

/** What the sheet has. */
export type Share = ReturnType<typeof useShare>
