import type { Clock } from '../clock.ts'

/** What a page may send at once, and how much more in each second: far above what a hand at the page does. */
export const inflowBurst = { frames: 2_000, characters: 16 * 1024 * 1024 }
const perSecond = { frames: 500, characters: 4 * 1024 * 1024 }

/** Counts what comes over a connection. `take` is false for a frame beyond the bounds: the connection is to be closed then. */
export function createInflow(clock: Clock): { take(characters: number): boolean } {
  const left = { ...inflowBurst }
  let at = clock.now()
  return {
    take: (characters) => {
      // A clock that was set back gives nothing.
      const seconds = Math.max(0, clock.now() - at) / 1000
      at = clock.now()
      left.frames = Math.min(inflowBurst.frames, left.frames + seconds * perSecond.frames) - 1
      left.characters = Math.min(inflowBurst.characters, left.characters + seconds * perSecond.characters) - characters
      return left.frames >= 0 && left.characters >= 0
    },
  }
}
