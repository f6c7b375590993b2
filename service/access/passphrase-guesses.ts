import type { Clock } from '../../platform/clock.ts'
import type { RateRule } from '../../contract/operation.ts'
import { rateLimiterOf } from '../http/shared-rate-limiter.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'

/** Wrong passphrases of an address, over all channels. */
const rules: readonly RateRule[] = [
  { per: 'address', calls: 10, seconds: 60, code: 416, block: 0 },
  { per: 'address', calls: 60, seconds: 3600, code: 416, block: 0 },
]

/** Tells the rate of guesses that an address (`Client.subnet`) is over, if any; `take` counts one more if none is. */
export function createPassphraseGuesses(clock: Pick<Clock, 'monotonic'>, redis?: Pick<RedisScripts, 'run'>) {
  const limiter = rateLimiterOf(redis, 'passphrases', clock)
  return (how: 'take' | 'exceeded', subnet: string) =>
    limiter[how]('passphrase', rules, { application: 0, address: subnet })
}
