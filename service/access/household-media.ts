import { householdOf } from '../../platform/address-group.ts'
import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'

/** Media that a place has at once, and how many times as fast as it passes: more than a player needs. */
const atOnce = 30_000
const times = 2
/** Households whose media are remembered. */
const maxHouseholds = 20_000

/**
 * Counts media, in ms, that each household takes of a channel beyond what it plays: what is asked for again and again,
 * by whatever names, would be a multiple of the upload that its places are for.
 */
export function createHouseholdMedia({ monotonic }: Pick<Clock, 'monotonic'>) {
  const known = createLru<{ taken: number; at: number }>(maxHouseholds)
  const settled = (cid: string, from: string, places: number) => {
    const one = known.of(`${cid} ${householdOf(from)}`, () => ({ taken: 0, at: monotonic() }))
    const now = monotonic()
    one.taken = Math.max(0, one.taken - (now - one.at) * times * places)
    one.at = now
    return one
  }
  return {
    /** Whether a household with so many places may take more of a channel. */
    hasLeft: (cid: string, from: string, places: number): boolean => settled(cid, from, places).taken < atOnce * places,
    take(cid: string, from: string, places: number, media: number): void {
      settled(cid, from, places).taken += media
    },
  }
}
