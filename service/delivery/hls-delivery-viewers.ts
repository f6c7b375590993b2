import type { Clock } from '../../platform/clock.ts'
import { addressGroup, networksOf } from '../../platform/address-group.ts'

/** Counts HLS players, which only poll. */
export type HlsViewers = ReturnType<typeof createHlsViewers>

/** Players remembered per channel; at the limit new ones are not counted. */
const maxRemembered = 10_000
/** Players per address (IPv6: /64; its networks have more), since a User-Agent can be invented. */
const perAddress = 50
const minWindow = 10_000
/** Minimum interval of counting, which visits all players; ms. */
const countEvery = 500

/** Makes a counter. */
export function createHlsViewers(clock: Pick<Clock, 'monotonic'>) {
  const last = new Map<string, { readonly at: number; readonly group: string }>()
  const ofGroup = new Map<string, number>()
  let counted = 0
  let countedAt = -Infinity
  let changed = false
  const add = (group: string, more: 1 | -1): void => {
    for (const { network } of networksOf(group)) {
      const left = (ofGroup.get(network) ?? 0) + more
      if (left === 0) ofGroup.delete(network)
      else ofGroup.set(network, left)
    }
  }
  const isFull = (group: string): boolean =>
    last.size >= maxRemembered ||
    networksOf(group).some(({ network, share }) => (ofGroup.get(network) ?? 0) >= perAddress * share)
  const forgetBefore = (since: number): void => {
    // Ordered by last request: the first recent one ends the search.
    for (const [viewer, { at, group }] of last) {
      if (at >= since) break
      last.delete(viewer)
      add(group, -1)
    }
  }
  return {
    seen(address: string, agent: string) {
      const group = addressGroup(address)
      const viewer = `${group} ${agent}`
      const known = last.delete(viewer)
      if (!known) {
        if (isFull(group)) return
        add(group, 1)
        changed = true
      }
      last.set(viewer, { at: clock.monotonic(), group })
    },
    /** The player changed to a connection, which is counted by itself. */
    left(address: string, agent: string) {
      const group = addressGroup(address)
      if (!last.delete(`${group} ${agent}`)) return
      add(group, -1)
      changed = true
    },
    /** Players that polled within three target durations (s), at least 10 s. */
    count(targetDuration: number) {
      const now = clock.monotonic()
      if (!changed && now - countedAt < countEvery) return counted
      forgetBefore(now - Math.max(minWindow, targetDuration * 3000))
      countedAt = now
      changed = false
      counted = last.size
      return counted
    },
  }
}
