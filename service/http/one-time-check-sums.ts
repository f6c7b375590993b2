import { checkSumLifetime } from '../../contract/signing.ts'

/** Remembers CheckSums for as long as they could be used again. */
export interface OneTimeCheckSums {
  /**
   * Takes a CheckSum with its CurTime in seconds: `used` when it was taken before, `early` when it is of a time before `since` and may have been used then,
   * `full` when no more can be remembered. All but `fresh` must be refused.
   */
  take(checkSum: string, curTime: number): 'fresh' | 'used' | 'early' | 'full'
}

/** CheckSums remembered at most; with both sides of the window that is 170 calls a second. */
const rememberedLimit = 100_000
/** A CheckSum can come back until its CurTime, at most one lifetime ahead, is one lifetime old; ms. */
const rememberedFor = 2 * checkSumLifetime * 1000

/**
 * Makes the memory of one-time mode. The key is the CheckSum's value alone, for Nonce and CurTime are joined without a separator.
 * `monotonic` is a clock in ms that a change of the system's time does not move, so that none is forgotten early.
 * What was used before `since`, in ms since 1970, nobody remembers.
 */
export function createOneTimeCheckSums(
  monotonic: () => number,
  since: number,
  limit = rememberedLimit,
): OneTimeCheckSums {
  const taken = new Map<string, number>()
  const began = monotonic()
  return {
    take(checkSum, curTime) {
      const now = monotonic()
      // Not for longer: a clock that is set back must not refuse all calls.
      if (curTime < Math.floor(since / 1000) && now - began <= rememberedFor) return 'early'
      for (const [oldest, at] of taken) {
        if (now - at <= rememberedFor) break
        taken.delete(oldest)
      }
      if (taken.has(checkSum)) return 'used'
      if (taken.size >= limit) return 'full'
      taken.set(checkSum, now)
      return 'fresh'
    },
  }
}
