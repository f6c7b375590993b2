import type { Clock } from '../../platform/clock.ts'

/** Burst of a page or of a seat's pages, far above normal use. */
export const inflowBurst = { frames: 2_000, characters: 16 * 1024 * 1024 }
const perSecond = { frames: 500, characters: 4 * 1024 * 1024 }

/** The rate limit of a connection or person. */
type Inflow = ReturnType<typeof createInflow>

/** Makes a rate limit. */
export function createInflow(clock: Pick<Clock, 'monotonic'>) {
  const left = { ...inflowBurst }
  let at = clock.monotonic()
  const refill = (): void => {
    const seconds = (clock.monotonic() - at) / 1000
    at = clock.monotonic()
    left.frames = Math.min(inflowBurst.frames, left.frames + seconds * perSecond.frames)
    left.characters = Math.min(inflowBurst.characters, left.characters + seconds * perSecond.characters)
  }
  return {
    /** False above the limit: close the connection. */
    take: (characters: number): boolean => {
      refill()
      left.frames--
      left.characters -= characters
      return left.frames >= 0 && left.characters >= 0
    },
    /** Whether the whole burst is available. */
    isWhole: (): boolean => {
      refill()
      return left.frames === inflowBurst.frames && left.characters === inflowBurst.characters
    },
  }
}

/** Rate limits by seat, kept over its connections. */
export function createSeatInflows(clock: Pick<Clock, 'monotonic'>): {
  take(seat: string, characters: number): boolean
} {
  const inflows = new Map<string, Inflow>()
  const of = (seat: string): Inflow => {
    const known = inflows.get(seat)
    if (known) return known
    // A whole one equals a new one.
    for (const [id, inflow] of inflows) if (inflow.isWhole()) inflows.delete(id)
    const inflow = createInflow(clock)
    inflows.set(seat, inflow)
    return inflow
  }
  return { take: (seat, characters) => of(seat).take(characters) }
}
