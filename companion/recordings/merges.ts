import { receivedReason } from '../../contract/catalogue/reasons.ts'
import { local, recordings } from '../../contract/operations/index.ts'
import type { MergeBoard, MergeTask, RpcInputs } from '../../contract/rpc/index.ts'
import { callsOf, type Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { extendedOnly, type IsExtended } from '../profiles/profiles.ts'
import { oneOf } from './one-of.ts'

type Input = RpcInputs['recordings']

const minute = 60_000

/** Makes them; requests are counted for the limit per minute. */
export function createMerges(clock: Clock, client: (profileId: string) => Promise<Client>, isExtended: IsExtended) {
  const asked = new Map<string, number[]>()
  const call = callsOf(client)
  const recent = (profileId: string): number[] => (asked.get(profileId) ?? []).filter((at) => at > clock.now() - minute)

  return {
    merge: async ({ profileId, outputName, vids }: Input['merge']) => {
      const caller = await client(profileId)
      asked.set(profileId, [...recent(profileId), clock.now()])
      await caller.call(recordings.merge, { outputName, vidList: vids })
    },
    merges: async ({ profileId }: Input['merges']): Promise<MergeBoard> => {
      if (!isExtended(profileId)) return { tasks: null, calls: recent(profileId) }
      const { ret } = await call(profileId, local.mergeTasks, {})
      const tasks = ret.list.map(({ taskId, outputName, state, reason, done, total }): MergeTask => ({
        taskId,
        outputName,
        done,
        total,
        state: oneOf(state, 'running', 'done', 'cancelled', 'failed'),
        reason: reason ? receivedReason('merge', reason) : null,
      }))
      return { tasks, calls: recent(profileId) }
    },
    cancelMerge: async ({ profileId, taskId }: Input['cancelMerge']) => {
      extendedOnly(isExtended, profileId)
      await call(profileId, local.cancelMerge, { taskId })
    },
  }
}
