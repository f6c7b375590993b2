import { isLoopbackGroup } from '../../platform/address-group.ts'
import type { OfHousehold } from './household-tally.ts'
import type { Ground } from './players.ts'

/** Places that a household has in any case, and a /48, which may be of many households. */
const least: OfHousehold = { home: 4, site: 8 }
/** A household has no more places than so many times those that are free, so that others find some. */
const times: OfHousehold = { home: 1, site: 2 }
/** By a named link, which its owner can revoke: a school behind one address has most places, others still find some. */
const timesByLink: OfHousehold = { home: 3, site: 3 }

/**
 * Whether a household that has so many places may take another one while `free` are left: alone half of all, and ever
 * less the fewer there are. Nobody is put out for it. Behind a proxy that names nobody all viewers seem to be here.
 */
export function isWithinShare(group: string, has: OfHousehold, free: number, { kind }: Ground): boolean {
  if (free === Infinity || isLoopbackGroup(group)) return true
  const { home, site } = kind === 'link' ? timesByLink : times
  return has.home < Math.max(least.home, home * free) && has.site < Math.max(least.site, site * free)
}

/** As `isWithinShare`, for the bytes of a month: there is nothing that a household has in any case. */
export function isWithinByteShare(group: string, has: OfHousehold, free: number, { kind }: Ground): boolean {
  if (free === Infinity || isLoopbackGroup(group)) return true
  const { home, site } = kind === 'link' ? timesByLink : times
  return has.home < home * free && has.site < site * free
}
