import type { Clock } from '../../platform/clock.ts'
import { defineScript, type RedisScripts } from '../redis/redis-scripts.ts'
import { rememberedFor, rememberedLimit } from './one-time-check-sums.ts'

/**
 * The CheckSums of an application as a sorted set by their time, and since when which server remembers them, in ms of
 * its clock: one that took over or came back from a copy may have lost the last ones. One of the second in which that
 * began may have been used before, as Redis is back within it. Arguments: CheckSum, CurTime in s, ms to remember, the
 * most, and 1 where some were not remembered.
 */
const takeOnce = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local span = tonumber(ARGV[3])
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and info:match('run_id:(%w+)') or '-'
local since, of = (redis.call('GET', KEYS[2]) or ''):match('^(%d+) (%S+)$')
since = tonumber(since)
if not since or of ~= server or ARGV[5] == '1' then
  since = now
  redis.call('SET', KEYS[2], now .. ' ' .. server)
end
if tonumber(ARGV[2]) <= math.floor(since / 1000) and now - since <= span then return 'early' end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - span))
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 'used' end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 'full' end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], span)
return 'fresh'`)
const forget = defineScript(`return redis.call('DEL', KEYS[1])`)

/** That the setting is off is told at most so often, in ms. */
const tellEvery = 1000

/** Remembers CheckSums over all nodes of a cluster. */
export interface SharedCheckSums {
  /** As `OneTimeCheckSums.take`; `away` where it cannot be known, as Redis is. */
  take(uid: number, checkSum: string, curTime: number): Promise<'fresh' | 'used' | 'early' | 'full' | 'away'>
  /** A call of an application was made without being remembered. */
  passed(uid: number): void
}

/** Makes the memory, which Redis keeps: it lasts over restarts of nodes, and those of Redis begin it anew. */
export function createSharedCheckSums(options: {
  readonly redis: Pick<RedisScripts, 'run'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly limit?: number
}): SharedCheckSums {
  const { redis, clock, limit = rememberedLimit } = options
  /** Applications whose calls were not remembered: when Redis was told, and whether it knows. */
  const untold = new Map<number, { at: number; isKnown: boolean }>()
  const sinceOf = (uid: number): string => `checksums:since:${uid}`
  return {
    async take(uid, checkSum, curTime) {
      const passed = untold.get(uid)
      const isUnknown = passed !== undefined && !passed.isKnown
      try {
        const keys = [`checksums:${uid}`, sinceOf(uid)]
        const taken = await redis.run(takeOnce, keys, [checkSum, curTime, rememberedFor, limit, isUnknown ? 1 : 0])
        if (untold.get(uid) === passed) untold.delete(uid)
        return taken as 'fresh' | 'used' | 'early' | 'full'
      } catch {
        return 'away'
      }
    },
    passed(uid) {
      const now = clock.monotonic()
      const before = untold.get(uid)
      if (before && now - before.at < tellEvery) return
      const told = { at: now, isKnown: false }
      untold.set(uid, told)
      redis.run(forget, [sinceOf(uid)], []).then(
        () => void (told.isKnown = true),
        () => undefined,
      )
    },
  }
}
