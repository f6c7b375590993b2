import type { Clock } from '../../platform/clock.ts'

/** A page that has not asked for this long does not wait any more; ms. */
const waitingFor = 15_000
/** Pages that wait at most. */
const maxWaiting = 10_000
/** Of them, pages of one address, so that nobody fills the queue alone. */
const maxWaitingOfAddress = 64
/** How long the place of a page whose player left is kept, in ms, and of how many pages. */
const keptFor = 8_000
const maxKept = 1_000

/** Pages that wait for a place with one application, and places that are kept for pages that reload. */
export type WaitingLine = ReturnType<typeof createWaitingLine>

/** Makes an empty one. */
export function createWaitingLine({ monotonic }: Pick<Clock, 'monotonic'>) {
  /** In the order they came, with the time of their last request. */
  const waiting = new Map<string, { readonly at: number; readonly subnet: string }>()
  /** Their places; undefined when they are to be worked out again. */
  let places: Map<string, number> | undefined
  /** Pages whose player has just left, with when their place is free: who reloads does not wait again. */
  const kept = new Map<string, number>()
  const forget = (page: string): void => {
    if (waiting.delete(page)) places = undefined
  }
  const forgetGone = (): void => {
    const since = monotonic() - waitingFor
    for (const [page, { at }] of waiting) if (at < since) forget(page)
  }
  const forgetLeft = (): void => {
    for (const [page, until] of kept) if (until <= monotonic()) kept.delete(page)
  }
  const ofAddress = (subnet: string): number => {
    let found = 0
    for (const page of waiting.values()) if (page.subnet === subnet) found += 1
    return found
  }
  return {
    forget,
    /** How many wait now. */
    get size() {
      forgetGone()
      return waiting.size
    },
    /**
     * Place of a page, -1 for one that does not wait. Addresses take turns, so that one with many pages delays nobody
     * else.
     */
    placeOf(page: string): number {
      forgetGone()
      if (!places) {
        const of = new Map<string, number>()
        const turns = [...waiting].map(([name, { subnet }]) => {
          const turn = of.get(subnet) ?? 0
          of.set(subnet, turn + 1)
          return { name, turn }
        })
        places = new Map(turns.sort((one, other) => one.turn - other.turn).map(({ name }, place) => [name, place]))
      }
      return places.get(page) ?? -1
    },
    /** Whether a page may begin to wait. */
    takes: (subnet: string): boolean => waiting.size < maxWaiting && ofAddress(subnet) < maxWaitingOfAddress,
    wait(page: string, subnet: string) {
      if (!waiting.has(page)) places = undefined
      waiting.set(page, { at: monotonic(), subnet })
    },
    /** Places that are kept. */
    get kept() {
      forgetLeft()
      return kept.size
    },
    keep(page: string) {
      forgetLeft()
      if (kept.size < maxKept) kept.set(page, monotonic() + keptFor)
    },
    isKept(page: string) {
      forgetLeft()
      return kept.has(page)
    },
    takeKept(page: string) {
      forgetLeft()
      return kept.delete(page)
    },
    forgetKept: () => kept.clear(),
  }
}
