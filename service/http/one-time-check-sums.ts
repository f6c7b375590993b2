import type { Clock } from '../../platform/clock.ts'
import { checkSumLifetime } from '../../contract/signing.ts'

/** Remembers CheckSums while they are valid. */
export type OneTimeCheckSums = ReturnType<typeof createOneTimeCheckSums>

/** CheckSums remembered at most; 170 calls a second over both sides of the window. */
export const rememberedLimit = 100_000
/** A CurTime may be one lifetime ahead and is valid for one more; ms. */
export const rememberedFor = 2 * checkSumLifetime * 1000

/** Makes the memory. Keyed by the CheckSum alone, since Nonce and CurTime are joined without separator. */
export function createOneTimeCheckSums(clock: Pick<Clock, 'monotonic'>, since: number, limit = rememberedLimit) {
  const taken = new Map<string, number>()
  const began = clock.monotonic()
  return {
    /** Refuse all but `fresh`: `used` before; `early`, from before `since`, so perhaps used; `full`. */
    take(checkSum: string, curTime: number): 'fresh' | 'used' | 'early' | 'full' {
      const now = clock.monotonic()
      // No longer: a clock set back must not refuse all calls.
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
