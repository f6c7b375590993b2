import type { Clock } from '../../platform/clock.ts'

/** Channels of one service of which something is told, as many as its list has here. */
const most = 10_000
/** Letters of an id. */
const longest = 64
/** How often those are looked for of which nothing is known any more, in ms. */
const lookEvery = 1_000

/** Bounds of how many channels a service may tell. `isKnown`: whether something is kept of one. */
export function createChannelPlaces(clock: Pick<Clock, 'monotonic'>, isKnown: (cid: string) => boolean) {
  const taken = new Set<string>()
  let looked = -Infinity
  const makeRoom = (): void => {
    const now = clock.monotonic()
    if (now - looked < lookEvery) return
    looked = now
    for (const cid of taken) if (!isKnown(cid)) taken.delete(cid)
  }
  return {
    /** Whether what is told of this channel is heard; a known one has its place. */
    enter: (cid: string): boolean => {
      if (taken.has(cid)) return true
      if (cid.length > longest) return false
      if (taken.size >= most) makeRoom()
      if (taken.size >= most) return false
      taken.add(cid)
      return true
    },
    clear: () => taken.clear(),
  }
}
