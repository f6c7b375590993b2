import { householdOf, siteOf } from '../../platform/address-group.ts'

/** How many things a household has, and all of its /48. */
export interface OfHousehold {
  readonly home: number
  readonly site: number
}

/** Counts things by the household of an address. */
export type HouseholdTally = ReturnType<typeof createHouseholdTally>

/** Makes an empty one. */
export function createHouseholdTally() {
  const counts = new Map<string, number>()
  return {
    /** Counts one more, or less, for a group of addresses. */
    add(group: string, by: 1 | -1) {
      for (const name of new Set([householdOf(group), siteOf(group)])) {
        const count = (counts.get(name) ?? 0) + by
        if (count > 0) counts.set(name, count)
        else counts.delete(name)
      }
    },
    of: (group: string): OfHousehold => ({
      home: counts.get(householdOf(group)) ?? 0,
      site: counts.get(siteOf(group)) ?? 0,
    }),
  }
}
