import { watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRequest } from '../../data/request.ts'
import { useServices } from '../../data/services.ts'
import { useRecordings } from '../channels/recorded.ts'
import { useBroadcastNews } from './broadcast-news.ts'

type Calls = RpcClient['operations']['broadcast']
/** A broadcast with its pushes, figures, events, files, markers and chat. */
export type Broadcast = Awaited<ReturnType<Calls['broadcast']>>['ret']
/** What was measured in some seconds. */
export type Sample = Broadcast['samples'][number]
/** A broadcast, as lists have it. */
export type ListedBroadcast = Awaited<ReturnType<Calls['broadcasts']>>['ret']['list'][number]

/** How often a broadcast on air is read again, in ms. */
const readEvery = 10_000

/** Reads a broadcast, and again after changes of it and of recorded files; while it is on air every 10 s. */
export function useBroadcast(wanted: Readonly<Ref<{ readonly profileId: string; readonly broadcastId: string }>>) {
  const { rpc } = useServices()
  const companion = useCompanion()
  const news = useBroadcastNews()
  const recordings = useRecordings()
  const { value, failure, busy, run, drop } = useRequest<Broadcast>({ keepsFailure: true })
  let readAt = 0
  const read = async (): Promise<void> => {
    const { profileId, broadcastId } = wanted.value
    readAt = companion.clock
    await run(async () => (await rpc.operations.broadcast.broadcast({ profileId, call: { broadcastId } })).ret)
  }
  watch(
    () => `${wanted.value.profileId}/${wanted.value.broadcastId}`,
    () => {
      drop()
      inBackground(read())
    },
    { immediate: true },
  )
  watch([() => news.changes, () => recordings.files], () => inBackground(read()))
  watch(
    () => companion.fault === null && companion.line === 'open',
    (isThere) => isThere && inBackground(read()),
  )
  watch(
    () => companion.clock,
    (now) => {
      if (value.value && value.value.ended === undefined && !busy.value && now - readAt >= readEvery)
        inBackground(read())
    },
  )
  return { broadcast: value, failure, read }
}
