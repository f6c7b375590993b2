import type { Clock } from '../../platform/clock.ts'
import type { RateRule } from '../../contract/operation.ts'
import { defineScript, type RedisScripts } from '../redis/redis-scripts.ts'
import { countersOf, createRateLimiter, type RateCaller, type RateLimiter } from './rate-limiter.ts'

/**
 * Rings of the times of calls, in ms of Redis' clock, as lists with the last call first. Two keys a counter: its ring,
 * and its block. Arguments: whether to count, then calls, window and block of each counter, in ms. Answers the first
 * counter that is over, from 1 on, or 0. Times that are ahead, as the clock was set back, hold nobody up.
 */
const ring = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local counters = #KEYS / 2
for i = 1, counters do
  local calls, window, block = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  if block > 0 and redis.call('EXISTS', KEYS[2 * i]) == 1 then return i end
  local at = redis.call('LINDEX', KEYS[2 * i - 1], calls - 1)
  local age = at and now - at
  if age and age >= 0 and age < window then
    if block > 0 and ARGV[1] == 'take' then redis.call('SET', KEYS[2 * i], '1', 'PX', block) end
    return i
  end
end
if ARGV[1] ~= 'take' then return 0 end
for i = 1, counters do
  local key = KEYS[2 * i - 1]
  redis.call('LPUSH', key, now)
  redis.call('LTRIM', key, 0, ARGV[3 * i - 1] - 1)
  redis.call('PEXPIRE', key, ARGV[3 * i])
end
return 0`)

/**
 * Makes the limiter of a cluster: calls are counted over all its nodes. While Redis is away each node counts alone, and
 * goes on from the calls that it has let through before. `name` tells limiters apart.
 */
export function createSharedRateLimiter(options: {
  readonly redis: Pick<RedisScripts, 'run'>
  readonly name: string
  readonly clock: Pick<Clock, 'monotonic'>
}) {
  const { redis, name, clock } = options
  const alone = createRateLimiter(clock)
  const ask = async (
    how: 'take' | 'look',
    operation: string,
    rules: readonly RateRule[],
    caller: RateCaller,
  ): Promise<RateRule | undefined> => {
    const counters = rules.flatMap((rule, index) =>
      countersOf(operation, index, rule, caller).map((counter) => ({ ...counter, rule })),
    )
    const over = await redis.run(
      ring,
      counters.flatMap(({ key }) => [`rate:${name}:${key}`, `block:${name}:${key}`]),
      [how, ...counters.flatMap(({ calls, rule }) => [calls, rule.seconds * 1000, rule.block * 1000])],
    )
    return counters[Number(over) - 1]?.rule
  }
  return {
    async exceeded(operation: string, rules: readonly RateRule[], caller: RateCaller): Promise<RateRule | undefined> {
      if (rules.length === 0) return undefined
      try {
        return await ask('look', operation, rules, caller)
      } catch {
        return alone.exceeded(operation, rules, caller)
      }
    },
    async take(operation: string, rules: readonly RateRule[], caller: RateCaller): Promise<RateRule | undefined> {
      if (rules.length === 0) return undefined
      try {
        const over = await ask('take', operation, rules, caller)
        if (!over) alone.count(operation, rules, caller)
        return over
      } catch {
        return alone.take(operation, rules, caller)
      }
    },
  } satisfies RateLimiter
}

/** The limiter of a service: over all nodes in a cluster, by itself where it is alone. */
export const rateLimiterOf = (
  redis: Pick<RedisScripts, 'run'> | undefined,
  name: string,
  clock: Pick<Clock, 'monotonic'>,
): RateLimiter => (redis ? createSharedRateLimiter({ redis, name, clock }) : createRateLimiter(clock))
