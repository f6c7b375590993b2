/** Counts players that only ask again and again. */
export interface HlsViewers {
  /** The player named so asked for the playlist. */
  seen(viewer: string): void
  /** Players that asked within three target durations (s), at least within 10 s. */
  count(targetDuration: number): number
}

/** Players remembered per channel; beyond it new ones are not counted until others have gone. */
const rememberedMax = 10_000
const windowMin = 10_000
/** Counting goes through all of them, so it is repeated at most this often; ms. */
const countEvery = 500

/** Makes a counter; `clock` counts ms and never jumps. */
export function createHlsViewers(clock: () => number): HlsViewers {
  const last = new Map<string, number>()
  let counted = 0
  let countedAt = -Infinity
  let changed = false
  return {
    seen(viewer) {
      const known = last.delete(viewer)
      if (!known && last.size >= rememberedMax) return
      last.set(viewer, clock())
      changed ||= !known
    },
    count(targetDuration) {
      const now = clock()
      if (!changed && now - countedAt < countEvery) return counted
      const since = now - Math.max(windowMin, targetDuration * 3000)
      // In order of the last request, so the first that is recent ends the search.
      for (const [viewer, at] of last) {
        if (at >= since) break
        last.delete(viewer)
      }
      countedAt = now
      changed = false
      counted = last.size
      return counted
    },
  }
}
