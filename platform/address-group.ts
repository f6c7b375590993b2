import { isIPv4, isIPv6 } from 'node:net'

/** The eight 16-bit groups of an IPv6 address without zone. */
function groupsOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const text = dotted
    ? `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
    : address
  const [head = '', tail] = text.split('::', 2)
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const before = read(head)
  if (tail === undefined) return before
  const after = read(tail)
  return [...before, ...Array.from<number>({ length: Math.max(0, 8 - before.length - after.length) }).fill(0), ...after]
}

/** Key of limits per address: IPv4 whole, also IPv4-mapped; IPv6 by its /64, as a host commonly has all of it. */
export function addressGroup(address: string): string {
  const bare = address.replace(/%.*$/, '')
  if (isIPv4(bare) || !isIPv6(bare)) return bare
  const groups = groupsOf(bare.toLowerCase())
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The part of a /64 that its /56 and its /48 have in common with others; undefined for other groups. */
function widerOf(group: string): { readonly wide: string; readonly wider: string } | undefined {
  const [, network, last] = /^((?:[\da-f]+:){3})([\da-f]+)::\/64$/.exec(group) ?? []
  if (network === undefined || isLoopbackGroup(group)) return undefined
  return { wide: `${network}${(Number.parseInt(last!, 16) & 0xff00).toString(16)}::/56`, wider: `${network}:/48` }
}

/** The /56 of a /64, as a household commonly has; other groups unchanged. */
export const householdOf = (group: string): string => widerOf(group)?.wide ?? group

/** A network that one may have as a whole, and how many times the limit of one address it has. */
export interface NetworkShare {
  readonly network: string
  readonly share: number
}
/**
 * The networks that a limit per address holds for, as whoever has a /56 or a /48 has many /64: a /64 once, its /56
 * twice, its /48 four times. Other groups stand alone.
 */
export function networksOf(group: string): readonly NetworkShare[] {
  const own = { network: group, share: 1 }
  const found = widerOf(group)
  return found ? [own, { network: found.wide, share: 2 }, { network: found.wider, share: 4 }] : [own]
}

/** The /48 of a /64, which one owner may have; other groups unchanged. */
export function siteOf(group: string): string {
  const site = /^((?:[\da-f]+:){2}[\da-f]+):[\da-f]+::\/64$/.exec(group)?.[1]
  return site === undefined || isLoopbackGroup(group) ? group : `${site}::/48`
}

/** Whether a group is this computer: 127.0.0.0/8, or the /64 of ::1. */
export const isLoopbackGroup = (group: string): boolean =>
  (group.startsWith('127.') || group.startsWith('0:')) && /^127\.\d+\.\d+\.\d+$|^0:0:0:0::\/64$/.test(group)
