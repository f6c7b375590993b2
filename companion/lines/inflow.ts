import type { Clock } from '../../platform/clock.ts'

/** What a page of this computer, or all pages of a seat together, may send at once, and how much more in each second: far above what a hand at the page does. */
export const inflowBurst = { frames: 2_000, characters: 16 * 1024 * 1024 }
const perSecond = { frames: 500, characters: 4 * 1024 * 1024 }

/** What comes over a connection, or over all those of one person. */
export interface Inflow {
  /** False for a frame beyond the bounds: its connection is to be closed then. */
  take(characters: number): boolean
  /** Whether as much may come as at the begin. */
  isWhole(): boolean
}

/** Counts what comes. */
export function createInflow(clock: Pick<Clock, 'monotonic'>): Inflow {
  const left = { ...inflowBurst }
  let at = clock.monotonic()
  const refill = (): void => {
    const seconds = (clock.monotonic() - at) / 1000
    at = clock.monotonic()
    left.frames = Math.min(inflowBurst.frames, left.frames + seconds * perSecond.frames)
    left.characters = Math.min(inflowBurst.characters, left.characters + seconds * perSecond.characters)
  }
  return {
    take: (characters) => {
      refill()
      left.frames--
      left.characters -= characters
      return left.frames >= 0 && left.characters >= 0
    },
    isWhole: () => {
      refill()
      return left.frames === inflowBurst.frames && left.characters === inflowBurst.characters
    },
  }
}

/** Counts what comes of each seat over all its pages, also over those that were opened anew after one was closed. */
export function createSeatInflows(clock: Pick<Clock, 'monotonic'>): {
  take(seat: string, characters: number): boolean
} {
  const inflows = new Map<string, Inflow>()
  const of = (seat: string): Inflow => {
    const known = inflows.get(seat)
    if (known) return known
    // One that is whole counts no other than a new one.
    for (const [id, inflow] of inflows) if (inflow.isWhole()) inflows.delete(id)
    const inflow = createInflow(clock)
    inflows.set(seat, inflow)
    return inflow
  }
  return { take: (seat, characters) => of(seat).take(characters) }
}
