import { addressGroup, householdOf, isLoopbackGroup, networksOf } from './address-group.ts'

/** Connections of a listener. */
export interface PlaceLimits {
  readonly all: number
  /** Per address: IPv4 whole, IPv6 by /64; its /56 and /48 have more (`networksOf`). */
  readonly perAddress: number
  readonly perLoopback: number
  /** Idle ones among these; the oldest of the address with most (IPv6: /56) makes room. By default unlimited. */
  readonly idle?: { readonly all: number; readonly perAddress: number }
}

/** Why a connection was refused or replaced. */
export type PlaceRefusal = 'full' | 'address' | 'idle' | 'share'

/** Counts connections, in all and per address. */
export type ConnectionPlaces<Holder> = ReturnType<typeof createConnectionPlaces<Holder>>

interface Group {
  count: number
  /** In order of becoming idle. */
  readonly idle: Set<unknown>
  readonly household: Household
  /** Networks around it that have a limit too. */
  readonly around: readonly string[]
}
/** Groups that share one limit when places are scarce: an IPv6 /56. */
interface Household {
  readonly name: string
  readonly idle: Set<unknown>
  /** Busy holders, oldest first; may contain duplicates and holders that left. */
  began: unknown[]
  busy: number
  count: number
  /** Many peers, or this computer: never counts as larger than one when something must be replaced. */
  readonly isMany: boolean
}

/** A household keeps this many busy connections under any load. */
const busyKept = 16

/** Households by number of holders, each in order of reaching it. */
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

/** Makes the places of a listener. */
export function createConnectionPlaces<Holder>(options: {
  readonly limits: PlaceLimits
  /** Takes a further resource (a descriptor); false if there is none. Released by the holder. */
  readonly take?: () => boolean
  /** Ends a holder at once and releases its resource. */
  readonly evict: (holder: Holder) => void
  readonly refused: (why: PlaceRefusal) => void
  /** Trusted proxies, which only the total limit applies to. None by default. */
  readonly shared?: ((address: string) => boolean) | undefined
  /** Busy connections can be replaced too, by shares, when none is idle; by default they keep their places. */
  readonly givesWayAtWork?: boolean
}) {
  const { limits, take = () => true, evict, refused, shared = () => false, givesWayAtWork = false } = options
  const { idle: idleLimits = { all: limits.all, perAddress: limits.all } } = limits
  const held = new Map<Holder, Group>()
  const groups = new Map<string, Group>()
  const names = new Map<Group, string>()
  /** Connections of networks with many groups. */
  const around = new Map<string, number>()
  let idleCount = 0
  const households = new Map<string, Household>()
  const [byIdle, byBusy] = [createRanking(), createRanking()]
  const sizeOf = ({ isMany }: Household, count: number): number => (isMany ? Math.min(1, count) : count)
  /** Counts a holder as busy in its household, or not. */
  const setBusy = (household: Household, holder: Holder, yes: boolean): void => {
    const before = sizeOf(household, household.busy)
    household.busy += yes ? 1 : -1
    if (yes) household.began.push(holder)
    // Amortised removal of holders that left or became idle.
    if (household.began.length > 2 * household.busy + busyKept)
      household.began = household.began.filter((one) => isBusy(one as Holder, household))
    byBusy.change(household, before, sizeOf(household, household.busy))
  }
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
    for (const network of group.around) {
      const left = around.get(network)! - 1
      if (left > 0) around.set(network, left)
      else around.delete(network)
    }
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
  /** From the household with most idle ones, so that nobody loses a place to one that has hundreds. */
  const makeWayForAll = (): boolean => byIdle.first !== undefined && makeWay(byIdle.first.idle)
  /** Replaces the newest busy connection of the largest household, if larger than the newcomer's would be. */
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

  /** Whether an address has a place, perhaps after replacing its longest idle holder. */
  const hasPlace = (name: string, address: string): boolean => {
    if (shared(address)) return true
    const isFull = networksOf(name).some(
      ({ network, share }) => share > 1 && (around.get(network) ?? 0) >= limits.perAddress * share,
    )
    if (isFull) return makeWay(households.get(householdOf(name))?.idle ?? new Set())
    const present = groups.get(name)
    if (!present) return true
    const most = isLoopbackGroup(name) ? limits.perLoopback : limits.perAddress
    const over = present.count >= most || present.idle.size >= idleLimits.perAddress
    return !over || makeWay(present.idle)
  }
  const count = (holder: Holder, name: string, address: string): void => {
    // The group may be gone with the replaced holder.
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
      const networks = shared(address) ? [] : networksOf(name).slice(1)
      group = { count: 0, idle: new Set(), household, around: networks.map(({ network }) => network) }
      groups.set(name, group)
      names.set(group, name)
    }
    group.count += 1
    for (const network of group.around) around.set(network, (around.get(network) ?? 0) + 1)
    setIdle(group, holder, true)
    held.set(holder, group)
  }

  return {
    /** Takes a place, initially idle. False if there is none, even by replacement. */
    enter(holder: Holder, address: string) {
      const name = addressGroup(address)
      if (!hasPlace(name, address)) return refuse('address')
      if ((held.size >= limits.all || idleCount >= idleLimits.all) && !makeWayForAll() && !makeWayByShare(name))
        return refuse('full')
      if (!take() && !((makeWayForAll() || makeWayByShare(name)) && take())) return refuse('full')
      count(holder, name, address)
      return true
    },
    /** Moves a holder to its real address. False if there is no place; it keeps its own then. */
    move(holder: Holder, address: string) {
      const name = addressGroup(address)
      if (!held.has(holder) || groups.get(name) === held.get(holder)) return held.has(holder)
      if (!hasPlace(name, address)) return refuse('address')
      leave(holder)
      count(holder, name, address)
      return true
    },
    /** Releases the place; may be repeated. */
    leave,
    idle(holder: Holder, yes: boolean) {
      const group = held.get(holder)
      if (!group) return
      const wasIdle = group.idle.has(holder)
      // Newest among the idle.
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
