/** Milliseconds over which the mean is taken: several GOPs, because a key frame makes one second larger than the next. */
const meanOf = 6_000
/** Milliseconds after an opening or a silence that do not count: what lay ready, or was missed, comes all at once. */
const burst = 2_000

/** The bitrate of what a player fetches, from its reports of single seconds. Times are in ms of any clock that does not go back. */
export function createBitrate() {
  let first: number | undefined
  let isSilent = false
  let reports: { kbps: number; at: number }[] = []
  return {
    report: (kbps: number, now: number): void => {
      const wasSilent = isSilent
      isSilent = first !== undefined && kbps === 0
      if (isSilent) {
        reports = []
        return
      }
      if (wasSilent || first === undefined) first = now
      if (now - first < burst) return
      reports = [...reports.filter(({ at }) => now - at < meanOf), { kbps, at: now }]
    },
    /** The mean of the last 6 s in kbit/s, 0 as soon as nothing comes; null while only a burst was seen. */
    get kbps(): number | null {
      if (isSilent) return 0
      return reports.length === 0 ? null : reports.reduce((sum, each) => sum + each.kbps, 0) / reports.length
    },
  }
}
