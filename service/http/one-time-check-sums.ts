import { checkSumLifetime } from '../../contract/signing.ts'

/** Remembers CheckSums for as long as they could be used again. */
export interface OneTimeCheckSums {
  /** Takes a CheckSum: `used` when it was taken before, `full` when no more can be remembered and it must be refused. */
  take(checkSum: string): 'fresh' | 'used' | 'full'
}

/** CheckSums remembered at most; with both sides of the window that is 170 calls a second. */
const rememberedLimit = 100_000
/** A CheckSum can come back until its CurTime, at most one lifetime ahead, is one lifetime old; ms. */
const rememberedFor = 2 * checkSumLifetime * 1000

/**
 * Makes the memory of one-time mode. The key is the CheckSum's value alone, for Nonce and CurTime are joined without a separator.
 * `monotonic` is a clock in ms that a change of the system's time does not move, so that none is forgotten early.
 */
export function createOneTimeCheckSums(monotonic: () => number, limit = rememberedLimit): OneTimeCheckSums {
  const taken = new Map<string, number>()
  return {
    take(checkSum) {
      const now = monotonic()
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
