/** Window of the mean in ms: several GOPs, as seconds with a key frame are larger. */
const meanOf = 6_000
/** Ignored after the start or a silence, in ms: waiting data arrives at once. */
const burst = 2_000

/** From reports, one per second; times in monotonic ms. */
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
    /** In kbit/s; 0 when nothing arrives, null during `burst`. */
    get kbps(): number | null {
      if (isSilent) return 0
      return reports.length === 0 ? null : reports.reduce((sum, each) => sum + each.kbps, 0) / reports.length
    },
  }
}
