import { householdOf, siteOf } from '../../platform/address-group.ts'
import { createLru } from '../../platform/lru.ts'
import type { OfHousehold } from './household-tally.ts'

/** Households remembered; beyond it the one that was sent nothing for longest is forgotten. */
const maxHouseholds = 20_000

/** Counts bytes by the household of an address, and by its /48. In memory only: a restart begins anew. */
export function createHouseholdBytes(max = maxHouseholds) {
  let counts = createLru<{ bytes: number }>(max)
  const bytesOf = (name: string): number => counts.get(name)?.bytes ?? 0
  return {
    add(group: string, bytes: number) {
      for (const name of new Set([householdOf(group), siteOf(group)]))
        counts.of(name, () => ({ bytes: 0 })).bytes += bytes
    },
    of: (group: string): OfHousehold => ({ home: bytesOf(householdOf(group)), site: bytesOf(siteOf(group)) }),
    clear() {
      counts = createLru(max)
    },
  }
}
