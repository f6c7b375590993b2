import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Target, TargetState } from '../../../contract/rpc/targets.ts'

/** Names a target in logs and maps. */
export const targetKey = (profileId: string, cid: string, targetId: number): string => `${profileId}/${cid}/${targetId}`

/** States that end with the push. */
const going: ReadonlySet<TargetState['state']> = new Set(['connecting', 'waiting', 'sending', 'stalled', 'retrying'])
/** Whether the push goes, or tries to go, to a target. */
export const isGoing = (state: TargetState['state']): boolean => going.has(state)

/** States that somebody should see to, the worst first. */
const troubled = ['refused', 'noKey', 'retrying', 'stalled'] as const

/** States of targets, and the names that were read. */
export const useTargets = defineStore('targets', () => {
  const states = shallowReactive(new Map<string, TargetState>())
  const names = shallowReactive(new Map<string, string>())
  const changes = shallowReactive(new Map<string, number>())

  return {
    stateOf: (profileId: string, cid: string, targetId: number): TargetState | undefined =>
      states.get(targetKey(profileId, cid, targetId)),
    nameAt: (key: string): string | undefined => names.get(key),
    /** Counts changes of the list of a channel, after which it is read again. */
    changesOf: (profileId: string, cid: string): number => changes.get(`${profileId}/${cid}`) ?? 0,
    /** Whether all targets to which the push goes wait for a picture. */
    isWaiting: (profileId: string, cid: string): boolean => {
      const those = [...states].filter(([key, { state }]) => key.startsWith(`${profileId}/${cid}/`) && isGoing(state))
      return those.length > 0 && those.every(([, { state }]) => state === 'waiting')
    },
    /** Names of the targets that end with the push; null for one that is not known. */
    goingOf: (profileId: string, cid: string): (string | null)[] =>
      [...states].flatMap(([key, { state }]) =>
        key.startsWith(`${profileId}/${cid}/`) && isGoing(state) ? [names.get(key) ?? null] : [],
      ),
    /** The target of a channel that needs somebody most. */
    troubledOf: (
      profileId: string,
      cid: string,
    ): { readonly name: string; readonly state: (typeof troubled)[number] } | undefined => {
      const those = [...states].filter(([key]) => key.startsWith(`${profileId}/${cid}/`))
      for (const state of troubled) {
        const found = those.find(([, one]) => one.state === state)
        if (found) return { name: names.get(found[0]) ?? '', state }
      }
      return undefined
    },
    put: (profileId: string, cid: string, targets: readonly Target[]): void => {
      for (const target of targets) {
        const { targetId, name, preset: _, url: __, start: ___, hasKey: ____, keyEnd: _____, ...rest } = target
        const { keyForgotten: ______, keyGone: _______, ...state } = rest
        const key = targetKey(profileId, cid, targetId)
        names.set(key, name)
        // An event that came meanwhile is newer.
        if ((states.get(key)?.since ?? 0) <= state.since) states.set(key, state)
      }
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'target') {
        const key = targetKey(event.profileId, event.cid, event.targetId)
        if (event.target) states.set(key, event.target)
        else states.delete(key)
      } else if (event.type === 'targets') {
        const key = `${event.profileId}/${event.cid}`
        changes.set(key, (changes.get(key) ?? 0) + 1)
      }
    },
  }
})
