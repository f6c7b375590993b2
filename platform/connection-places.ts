import { addressGroup, householdOf, isLoopbackGroup } from './address-group.ts'

/** How many connections a listener holds. */
export interface PlaceLimits {
  readonly all: number
  /** Of one address: IPv4 whole, IPv6 by /64. */
  readonly perAddress: number
  /** The same for an address of this computer. */
  readonly perLoopback: number
  /** Of these, connections that have nothing under way: one gives way to a new one, the oldest of the address that has most (of IPv6 of the /56). As many as there are places when absent. */
  readonly idle?: { readonly all: number; readonly perAddress: number }
}

/** Why a connection was turned away, or why one that was held had to go. */
export type PlaceRefusal = 'full' | 'address' | 'idle' | 'share'

/** The connections of a listener, counted in all and by address. */
export interface ConnectionPlaces<Holder> {
  /** Takes a place; it begins idle. False when there is none, even after an idle holder had to go. */
  enter(holder: Holder, address: string): boolean
  /** Counts a holder for another address, whose connection it turned out to be. False when that one has no place; the holder keeps its own then. */
  move(holder: Holder, address: string): boolean
  /** Gives the place back; safe to call again. */
  leave(holder: Holder): void
  /** Says whether nothing is under way for a holder, so that it may have to go for another. */
  idle(holder: Holder, yes: boolean): void
  readonly size: number
  readonly idleSize: number
}

interface Group {
  count: number
  /** In the order in which they became idle. */
  readonly idle: Set<unknown>
  readonly household: Household
}
/** The groups of which one gives way when there are too many in all: of IPv6 a /56 together. */
interface Household {
  readonly name: string
  readonly idle: Set<unknown>
  /** Holders with something under way, in the order in which they began; some have left since, or stand there twice. */
  began: unknown[]
  /** How many of those are there. */
  busy: number
  /** Groups in it. */
  count: number
  /** Stands for many peers, or for this computer's own: it is no larger than one of one when somebody has to go. */
  readonly isMany: boolean
}

/** A household with no more connections than this at work keeps them, however many want to come. */
const busyKept = 16

/** Households by how many holders of a kind they have, each in the order in which they came to so many. */
function createRanking(): {
  change(household: Household, before: number, now: number): void
  readonly first: Household | undefined
} {
  const bySize: Set<Household>[] = []
  let largest = 0
  return {
    change(household, before, now) {
      if (now === before) return
      bySize[before]?.delete(household)
      if (now > 0) (bySize[now] ??= new Set()).add(household)
      largest = Math.max(largest, now)
      while (largest > 0 && !bySize[largest]?.size) largest -= 1
    },
    get first() {
      const [household] = bySize[largest] ?? []
      return household
    },
  }
}

/** Makes the places of one listener. */
export function createConnectionPlaces<Holder>(options: {
  readonly limits: PlaceLimits
  /** Takes what a connection costs besides (a descriptor); false when there is none. Whoever holds the place gives it back. */
  readonly take?: () => boolean
  /** Ends a holder at once, and gives back what `take` took for it. */
  readonly evict: (holder: Holder) => void
  readonly refused: (why: PlaceRefusal) => void
  /** Addresses that stand for many peers (a trusted proxy): only the limit in all counts for them. None when absent. */
  readonly shared?: ((address: string) => boolean) | undefined
  /** Whether connections at work give way too, by shares, once none is idle; otherwise those who came first keep all places. False when absent. */
  readonly givesWayAtWork?: boolean
}): ConnectionPlaces<Holder> {
  const { limits, take = () => true, evict, refused, shared = () => false, givesWayAtWork = false } = options
  const { idle: idleLimits = { all: limits.all, perAddress: limits.all } } = limits
  const held = new Map<Holder, Group>()
  const groups = new Map<string, Group>()
  const names = new Map<Group, string>()
  let idleCount = 0
  const households = new Map<string, Household>()
  const [byIdle, byBusy] = [createRanking(), createRanking()]
  const sizeOf = ({ isMany }: Household, count: number): number => (isMany ? Math.min(1, count) : count)
  /** Counts a holder among those of its household that have something under way, or no longer. */
  const setBusy = (household: Household, holder: Holder, yes: boolean): void => {
    const before = sizeOf(household, household.busy)
    household.busy += yes ? 1 : -1
    if (yes) household.began.push(holder)
    // Those that left or became idle are let go of together.
    if (household.began.length > 2 * household.busy + busyKept)
      household.began = household.began.filter((one) => isBusy(one as Holder, household))
    byBusy.change(household, before, sizeOf(household, household.busy))
  }
  /** Adds a holder to the idle ones of its group, or takes it away. */
  const setIdle = (group: Group, holder: Holder, yes: boolean): void => {
    if (group.idle.has(holder) === yes) return
    const { household } = group
    const before = sizeOf(household, household.idle.size)
    if (yes) {
      group.idle.add(holder)
      household.idle.add(holder)
    } else {
      group.idle.delete(holder)
      household.idle.delete(holder)
    }
    idleCount += yes ? 1 : -1
    byIdle.change(household, before, sizeOf(household, household.idle.size))
  }
  const isBusy = (holder: Holder, household: Household): boolean => {
    const group = held.get(holder)
    return group?.household === household && !group.idle.has(holder)
  }

  const leave = (holder: Holder): void => {
    const group = held.get(holder)
    if (!group) return
    held.delete(holder)
    if (group.idle.has(holder)) setIdle(group, holder, false)
    else setBusy(group.household, holder, false)
    group.count -= 1
    if (group.count > 0) return
    groups.delete(names.get(group) ?? '')
    names.delete(group)
    group.household.count -= 1
    if (group.household.count === 0) households.delete(group.household.name)
  }
  const makeWay = (among: ReadonlySet<unknown>): boolean => {
    for (const oldest of among as ReadonlySet<Holder>) {
      leave(oldest)
      refused('idle')
      evict(oldest)
      return true
    }
    return false
  }
  /** Of those that have most, so that nobody loses a place to whoever has hundreds. */
  const makeWayForAll = (): boolean => byIdle.first !== undefined && makeWay(byIdle.first.idle)
  /** Of connections at work the newest of the household that has most, if that has more than the newcomer's with it. */
  const makeWayByShare = (name: string): boolean => {
    const most = byBusy.first
    const own = households.get(householdOf(name))
    if (!givesWayAtWork || !most || most.isMany || most.busy <= Math.max(busyKept, (own?.busy ?? 0) + 1)) return false
    for (let newest = most.began.pop(); newest !== undefined; newest = most.began.pop()) {
      if (!isBusy(newest as Holder, most)) continue
      leave(newest as Holder)
      refused('share')
      evict(newest as Holder)
      return true
    }
    return false
  }
  const refuse = (why: 'full' | 'address'): false => {
    refused(why)
    return false
  }

  /** Whether an address has a place, after the one of its holders that is idle longest had to go for it. */
  const hasPlace = (name: string, address: string): boolean => {
    const present = groups.get(name)
    if (!present || shared(address)) return true
    const most = isLoopbackGroup(name) ? limits.perLoopback : limits.perAddress
    const over = present.count >= most || present.idle.size >= idleLimits.perAddress
    return !over || makeWay(present.idle)
  }
  const count = (holder: Holder, name: string, address: string): void => {
    // The group may have gone with the holder that gave way.
    let group = groups.get(name)
    if (!group) {
      const home = householdOf(name)
      const household = households.get(home) ?? {
        name: home,
        idle: new Set(),
        began: [],
        busy: 0,
        count: 0,
        isMany: isLoopbackGroup(name) || shared(address),
      }
      households.set(home, household)
      household.count += 1
      group = { count: 0, idle: new Set(), household }
      groups.set(name, group)
      names.set(group, name)
    }
    group.count += 1
    setIdle(group, holder, true)
    held.set(holder, group)
  }

  return {
    enter(holder, address) {
      const name = addressGroup(address)
      if (!hasPlace(name, address)) return refuse('address')
      if ((held.size >= limits.all || idleCount >= idleLimits.all) && !makeWayForAll() && !makeWayByShare(name))
        return refuse('full')
      if (!take() && !((makeWayForAll() || makeWayByShare(name)) && take())) return refuse('full')
      count(holder, name, address)
      return true
    },
    move(holder, address) {
      const name = addressGroup(address)
      if (!held.has(holder) || groups.get(name) === held.get(holder)) return held.has(holder)
      if (!hasPlace(name, address)) return refuse('address')
      leave(holder)
      count(holder, name, address)
      return true
    },
    leave,
    idle(holder, yes) {
      const group = held.get(holder)
      if (!group) return
      const wasIdle = group.idle.has(holder)
      // Who is idle anew is the newest of them.
      setIdle(group, holder, false)
      if (yes) setIdle(group, holder, true)
      if (wasIdle === yes) return
      setBusy(group.household, holder, !yes)
    },
    get size() {
      return held.size
    },
    get idleSize() {
      return idleCount
    },
  }
}
