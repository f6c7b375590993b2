import { addressGroup } from '../../platform/address-group.ts'

/** Counts players that only ask again and again. */
export interface HlsViewers {
  /** A player at this address that calls itself so asked for the playlist. */
  seen(address: string, agent: string): void
  /** A player at this address that calls itself so plays over a connection from now on, which counts by itself. */
  left(address: string, agent: string): void
  /** Players that asked within three target durations (s), at least within 10 s. */
  count(targetDuration: number): number
}

/** Players remembered per channel; beyond it new ones are not counted until others have gone. */
const rememberedMax = 10_000
/** Players of one address, IPv6 by /64: names that players give themselves cost nothing. */
const perAddress = 50
const windowMin = 10_000
/** Counting goes through all of them, so it is repeated at most this often; ms. */
const countEvery = 500

/** Makes a counter; `clock` counts ms and never jumps. */
export function createHlsViewers(clock: () => number): HlsViewers {
  const last = new Map<string, { readonly at: number; readonly group: string }>()
  const ofGroup = new Map<string, number>()
  let counted = 0
  let countedAt = -Infinity
  let changed = false
  const add = (group: string, more: 1 | -1): void => {
    const left = (ofGroup.get(group) ?? 0) + more
    if (left === 0) ofGroup.delete(group)
    else ofGroup.set(group, left)
  }
  const forgetBefore = (since: number): void => {
    // In order of the last request, so the first that is recent ends the search.
    for (const [viewer, { at, group }] of last) {
      if (at >= since) break
      last.delete(viewer)
      add(group, -1)
    }
  }
  return {
    seen(address, agent) {
      const group = addressGroup(address)
      const viewer = `${group} ${agent}`
      const known = last.delete(viewer)
      if (!known) {
        if (last.size >= rememberedMax || (ofGroup.get(group) ?? 0) >= perAddress) return
        add(group, 1)
        changed = true
      }
      last.set(viewer, { at: clock(), group })
    },
    left(address, agent) {
      const group = addressGroup(address)
      if (!last.delete(`${group} ${agent}`)) return
      add(group, -1)
      changed = true
    },
    count(targetDuration) {
      const now = clock()
      if (!changed && now - countedAt < countEvery) return counted
      forgetBefore(now - Math.max(windowMin, targetDuration * 3000))
      countedAt = now
      changed = false
      counted = last.size
      return counted
    },
  }
}
