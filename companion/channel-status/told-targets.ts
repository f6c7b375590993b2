import type { LocalEvent } from '../../contract/local-events.ts'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { targetStateOf } from '../targets/target-events.ts'

/** Targets of a channel that are told at a time; the one told first is dropped. Removed ones are among them. */
const most = 64

/** Passes on the states of targets, and drops them when they are known no more. */
export function createToldTargets(profileId: string, clock: Pick<Clock, 'now'>, post: (event: AppEvent) => void) {
  const told = new Map<string, Set<number>>()
  const dropOne = (cid: string, targetId: number): void =>
    post({ type: 'target', profileId, cid, at: clock.now(), targetId, target: null })
  const drop = (cid: string): void => {
    for (const targetId of told.get(cid) ?? []) dropOne(cid, targetId)
    told.delete(cid)
  }
  return {
    tell: (event: LocalEvent & { type: 'target' }) => {
      const { cid, at, targetId } = event
      const target = targetStateOf(event)
      if (!target) return
      const ids = told.get(cid) ?? new Set()
      told.set(cid, ids.add(targetId))
      const [first] = ids
      if (ids.size > most && first !== undefined && ids.delete(first)) dropOne(cid, first)
      post({ type: 'target', profileId, cid, at, targetId, target })
    },
    has: (cid: string): boolean => told.has(cid),
    drop,
    dropAll: () => {
      for (const cid of told.keys()) drop(cid)
    },
  }
}
