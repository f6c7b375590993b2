import { monotonicOf, type Clock } from '../../platform/clock.ts'

/** Holds of a channel that are kept; with a long delay many may be on their way. */
const mostHolds = 256
/** Longest delay, in ms. */
const longestDelay = 3_600_000

/** When the encoders of channels were away, as viewers with a delay see it later. */
export function createShownHolds(clock: Pick<Clock, 'now' | 'monotonic'>) {
  /** By the monotonic clock, as the other one may be set meanwhile. */
  const holds = new Map<string, { readonly from: number; to: number | undefined }[]>()
  return {
    /** The picture of a lost encoder is held, since a time that the hub knows. */
    began(cid: string, since: number): void {
      const from = monotonicOf(clock, since)
      const known = (holds.get(cid) ?? []).filter(({ to }) => to === undefined || to > from - longestDelay)
      holds.set(cid, [...known, { from, to: undefined }].slice(-mostHolds))
    },
    /** The encoder returned, or its push ended. */
    ended(cid: string): void {
      const last = holds.get(cid)?.at(-1)
      if (last) last.to ??= clock.monotonic()
    },
    /**
     * Since when viewers see it and until when, in ms, by the delay in effect; undefined while they see a moving
     * picture, and `until` while the encoder is away.
     */
    seen(cid: string, delay: number): { readonly since: number; readonly until: number | undefined } | undefined {
      const at = clock.monotonic() - delay
      const timeOf = (passed: number): number => Math.round(passed + delay + clock.now() - clock.monotonic())
      const hold = holds.get(cid)?.find(({ from, to }) => from <= at && (to === undefined || at < to))
      return hold && { since: timeOf(hold.from), until: hold.to === undefined ? undefined : timeOf(hold.to) }
    },
    /** When viewers see that the last one is over, in ms, by the delay in effect; undefined once they saw it. */
    over(cid: string, delay: number): number | undefined {
      const { to } = holds.get(cid)?.at(-1) ?? {}
      const left = to === undefined ? 0 : to + delay - clock.monotonic()
      return left > 0 ? Math.round(clock.now() + left) : undefined
    },
    forget: (cid: string): void => void holds.delete(cid),
  }
}
