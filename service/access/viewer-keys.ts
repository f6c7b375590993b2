import { householdOf } from '../../platform/address-group.ts'
import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'
import { readTurn } from './turn-cookie.ts'
import type { DoorRequest } from './visitor.ts'

/** Longest User-Agent that tells players apart, in characters. */
const maxAgent = 200
/** How long a cookie is of the household that said it last, in ms, and of how many that is remembered. */
const ofHouseholdFor = 60_000
const maxCookies = 20_000
const byCookie = 'cookie '

/** Whether a key is of one player alone: several may be one by address and User-Agent. */
export const isOwnKey = (key: string): boolean => key.startsWith(byCookie)

/**
 * Tells players apart who only poll: by the cookie of a page, else by address and User-Agent. A cookie is of one
 * household, or those who invent one would have one place for all their addresses: of one by IPv4 and one by IPv6, as
 * a browser may change between them.
 */
export function createViewerKeys({ monotonic }: Pick<Clock, 'monotonic'>) {
  const households = createLru<{ at: number; v4?: string; v6?: string }>(maxCookies)
  return (cid: string, subnet: string, { cookie, 'user-agent': agent = '' }: DoorRequest['headers']): string => {
    const turn = readTurn(cookie)
    if (turn === undefined) return `${subnet} ${agent.slice(0, maxAgent)}`
    const name = `${cid} ${turn}`
    const known = households.get(name)
    const now = monotonic()
    const of = known && now - known.at <= ofHouseholdFor ? known : { at: now }
    const household = householdOf(subnet)
    const family = household.includes(':') ? 'v6' : 'v4'
    of[family] ??= household
    if (of[family] !== household) return `${byCookie}${household} ${turn}`
    of.at = now
    households.set(name, of)
    return `${byCookie}${turn}`
  }
}
