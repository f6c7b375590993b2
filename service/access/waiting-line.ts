import type { Clock } from '../../platform/clock.ts'
import { householdOf } from '../../platform/address-group.ts'
import { createHouseholdTally, type OfHousehold } from './household-tally.ts'

/** A page that has not asked for this long does not wait any more; ms. */
const waitingFor = 15_000
/** Pages that wait at most. */
const maxWaiting = 10_000
/** Of them, pages of one household, and of a /48, which may be of many, so that nobody fills the queue alone. */
const maxWaitingOf: OfHousehold = { home: 64, site: 128 }
/** How long the place of a page whose player left is kept, in ms, and of how many pages. */
const keptFor = 8_000
const maxKept = 1_000

/** A household with pages that wait. */
interface Household {
  readonly name: string
  /** Its place among the households, by when its first page came; behind all others once a page of it has got in. */
  number: number
  /** In the order they came: the first is in the first turn, and so on. */
  readonly pages: string[]
  /** It has its share of the places, so that nobody waits for it. */
  isAside: boolean
}
interface Waiting {
  readonly group: string
  readonly household: Household
  /** When it came, among the numbers of households. */
  readonly number: number
  readonly at: number
}

/** How many of ascending numbers are below one. */
function countBelow(numbers: readonly number[], number: number): number {
  let [from, to] = [0, numbers.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (numbers[middle]! < number) from = middle + 1
    else to = middle
  }
  return from
}

/** Pages that wait for a place with one application, and places that are kept for pages that reload. */
export type WaitingLine = ReturnType<typeof createWaitingLine>

/** Makes an empty one. Places are counted and never worked out for all: a crowd asks every few seconds. */
export function createWaitingLine({ monotonic }: Pick<Clock, 'monotonic'>) {
  /** In the order of their last request. */
  const waiting = new Map<string, Waiting>()
  const households = new Map<string, Household>()
  const tally = createHouseholdTally()
  /** Of each turn the numbers of the households with a page in it, ascending: households take turns. */
  const turns: number[][] = []
  const byNumber = new Map<number, Household>()
  let numbers = 0
  /** Pages whose player has just left, with when their place is free: who reloads does not wait again. */
  const kept = new Map<string, { readonly until: number; readonly group: string }>()
  const keptTally = createHouseholdTally()
  /** Pages of `waiting` that were closed or are loaded again, with when they do not wait any more. */
  const leaving = new Map<string, number>()

  const enterTurn = (turn: number, number: number): void => {
    const those = (turns[turn] ??= [])
    those.splice(countBelow(those, number), 0, number)
  }
  const leaveTurn = (turn: number, number: number): void => {
    turns[turn]!.splice(countBelow(turns[turn]!, number), 1)
    while (turns.at(-1)?.length === 0) turns.pop()
  }
  const enterTurns = (household: Household): void => {
    byNumber.set(household.number, household)
    for (const turn of household.pages.keys()) enterTurn(turn, household.number)
  }
  const leaveTurns = (household: Household): void => {
    byNumber.delete(household.number)
    for (let turn = household.pages.length - 1; turn >= 0; turn--) leaveTurn(turn, household.number)
  }
  const setAside = (household: Household, isAside: boolean): void => {
    if (household.isAside === isAside) return
    if (isAside) leaveTurns(household)
    else enterTurns(household)
    household.isAside = isAside
  }
  const renumber = (household: Household, number: number): void => {
    if (!household.isAside) leaveTurns(household)
    household.number = number
    if (!household.isAside) enterTurns(household)
  }
  const forget = (page: string): Household | undefined => {
    const known = waiting.get(page)
    if (!known) return undefined
    const { group, household } = known
    waiting.delete(page)
    leaving.delete(page)
    tally.add(group, -1)
    household.pages.splice(household.pages.indexOf(page), 1)
    if (!household.isAside) leaveTurn(household.pages.length, household.number)
    const next = waiting.get(household.pages[0] ?? '')
    if (next) {
      // Who left gives its place to nobody: a later page of the household is behind those who came before it.
      if (next.number > household.number) renumber(household, next.number)
      return household
    }
    households.delete(household.name)
    byNumber.delete(household.number)
    return undefined
  }
  const forgetGone = (): void => {
    const now = monotonic()
    for (const [page, until] of leaving) {
      if (until > now) break
      forget(page)
    }
    const since = now - waitingFor
    for (const [page, { at }] of waiting) {
      if (at >= since) break
      forget(page)
    }
  }
  const dropKept = (page: string): boolean => {
    const one = kept.get(page)
    if (one) keptTally.add(one.group, -1)
    return kept.delete(page)
  }
  const forgetLeft = (): void => {
    const now = monotonic()
    for (const [page, { until }] of kept) {
      if (until > now) break
      dropKept(page)
    }
  }
  /** The newest page of a household with most gives way to a household with less. */
  const makesRoom = (pages: number): boolean => {
    if (pages + 1 >= turns.length) return false
    const page = byNumber.get(turns.at(-1)!.at(-1)!)?.pages.at(-1)
    if (page !== undefined) forget(page)
    return page !== undefined
  }
  const hasRoom = (group: string): boolean => {
    const { home, site } = tally.of(group)
    if (home >= maxWaitingOf.home || site >= maxWaitingOf.site) return false
    return waiting.size < maxWaiting || makesRoom(home)
  }
  const begin = (page: string, group: string): Pick<Waiting, 'household' | 'number'> => {
    const [name, number] = [householdOf(group), numbers++]
    let household = households.get(name)
    if (!household) {
      household = { name, number, pages: [], isAside: false }
      households.set(name, household)
      byNumber.set(household.number, household)
    }
    household.pages.push(page)
    tally.add(group, 1)
    if (!household.isAside) enterTurn(household.pages.length - 1, household.number)
    return { household, number }
  }
  return {
    forget: (page: string): void => void forget(page),
    /** A page has got in: the other pages of its household wait behind those of all others. */
    entered(page: string) {
      const household = forget(page)
      if (household && !household.isAside) renumber(household, numbers++)
    },
    /** How many wait now. */
    get size() {
      forgetGone()
      return waiting.size
    },
    isWaiting(page: string) {
      forgetGone()
      return waiting.has(page)
    },
    /**
     * How many wait before a page, or before one that would begin to wait now. Households take turns, so that one with
     * many pages delays nobody else.
     */
    placeOf(page: string | undefined, group: string): number {
      forgetGone()
      const known = page === undefined ? undefined : waiting.get(page)
      const household = known?.household ?? households.get(householdOf(group))
      const turn = known ? known.household.pages.indexOf(page!) : (household?.pages.length ?? 0)
      let before = household?.isAside === true ? turn : 0
      for (const those of turns.slice(0, turn)) before += those.length
      return before + countBelow(turns[turn] ?? [], household?.number ?? numbers)
    },
    /** Whether the household of a group has its share of the places, so that its pages are before nobody. */
    setAside(group: string, isAside: boolean) {
      const household = households.get(householdOf(group))
      if (household) setAside(household, isAside)
    },
    /** A page waits, or goes on; false when there is no room for it. */
    wait(page: string, group: string): boolean {
      forgetGone()
      const known = waiting.get(page)
      // A phone that left its home waits with another household.
      if (known && known.household.name !== householdOf(group)) forget(page)
      const place = waiting.get(page) ?? (hasRoom(group) ? begin(page, group) : undefined)
      if (!place) return false
      leaving.delete(page)
      waiting.delete(page)
      waiting.set(page, { ...place, group, at: monotonic() })
      return true
    },
    /** A page that waits was closed or is loaded again: it goes on if it asks within some seconds. */
    leaves(page: string) {
      forgetGone()
      if (waiting.has(page) && !leaving.has(page)) leaving.set(page, monotonic() + keptFor)
    },
    /** Places that are kept. */
    get kept() {
      forgetLeft()
      return kept.size
    },
    /** Of them, those of the household of a group. */
    keptOf(group: string): OfHousehold {
      forgetLeft()
      return keptTally.of(group)
    },
    keep(page: string, group: string) {
      forgetLeft()
      dropKept(page)
      if (kept.size >= maxKept) return
      kept.set(page, { until: monotonic() + keptFor, group })
      keptTally.add(group, 1)
    },
    /** The group of addresses for which a place is kept; undefined when none is. */
    keptFrom(page: string): string | undefined {
      forgetLeft()
      return kept.get(page)?.group
    },
    dropKept,
    forgetKept() {
      for (const page of kept.keys()) dropKept(page)
    },
  }
}
