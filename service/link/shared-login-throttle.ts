import type { Clock } from '../../platform/clock.ts'
import { networksOf } from '../../platform/address-group.ts'
import { defineScript, type RedisScripts } from '../redis/redis-scripts.ts'
import {
  createLoginThrottle,
  failureWaits,
  failureWindow,
  freeOfAccount,
  freeOfAddress,
  type LogInAttempt,
} from './login-throttle.ts'

/** That an account has logged in from an address is remembered so long, in ms. */
const knownFor = 24 * 3600 * 1000
/** What counts stays at least as long as a log-in takes, in ms. */
const leastLeft = 2 * failureWaits.longest

/**
 * Begins a log-in. Keys: the account at its address, that it is known there, and the networks of the address. It counts
 * as failed until its end, so that those of a node that is lost do. Answers the ms to wait, or -1. Times are in ms of
 * Redis' clock; one that is further ahead than can be is of before it was set back.
 */
const begin = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local first, longest, window, least = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local function tries(key)
  local found = redis.call('HMGET', key, 'failed', 'slot')
  return tonumber(found[1] or '0'), tonumber(found[2] or '0')
end
local function nextSlot(key, free)
  local failed, slot = tries(key)
  if failed < free then return now end
  if slot > now + longest then slot = now end
  return math.max(slot, now) + math.min(longest, first * 2 ^ math.min(failed - free, 30))
end
local own = nextSlot(KEYS[1], tonumber(ARGV[5]))
local shared = 0
if redis.call('EXISTS', KEYS[2]) == 0 then
  for i = 3, #KEYS do shared = math.max(shared, nextSlot(KEYS[i], tonumber(ARGV[3 + i]))) end
end
local wait = math.max(own, shared) - now
if wait > longest then return -1 end
redis.call('HINCRBY', KEYS[1], 'failed', 1)
redis.call('HSET', KEYS[1], 'slot', own)
local left = redis.call('PTTL', KEYS[1])
if left < 0 then redis.call('PEXPIRE', KEYS[1], window)
elseif left < least then redis.call('PEXPIRE', KEYS[1], least) end
if shared > 0 then
  for i = 3, #KEYS do
    if tries(KEYS[i]) >= tonumber(ARGV[3 + i]) then redis.call('HSET', KEYS[i], 'slot', shared) end
  end
end
return wait`)

/** Ends it, with the same keys. Arguments: the outcome, and how long failures and known accounts are remembered. */
const end = defineScript(`
if ARGV[1] == 'succeeded' then
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
elseif ARGV[1] == 'failed' then
  if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], 'failed', 1) end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  for i = 3, #KEYS do
    redis.call('HINCRBY', KEYS[i], 'failed', 1)
    redis.call('PEXPIRE', KEYS[i], ARGV[2])
  end
elseif tonumber(redis.call('HGET', KEYS[1], 'failed') or '0') > 0 then
  redis.call('HINCRBY', KEYS[1], 'failed', -1)
end
return 1`)

/**
 * Makes the throttle of a cluster: failures at any of its nodes slow log-ins at all. Each node counts its own too, and
 * goes by those alone while Redis is away.
 */
export function createSharedLoginThrottle(
  redis: Pick<RedisScripts, 'run'>,
  clock: Pick<Clock, 'monotonic'>,
  maxPending: number,
) {
  const alone = createLoginThrottle(clock, maxPending)
  return {
    /** Connections are those of this node. */
    admit: alone.admit,
    /** As that of `createLoginThrottle`. */
    async attempt(address: string, account: string): Promise<LogInAttempt | undefined> {
      const here = alone.attempt(address, account)
      if (!here) return undefined
      const networks = networksOf(address)
      const keys = [
        `login:account:${address} ${account}`,
        `login:known:${address} ${account}`,
        ...networks.map(({ network }) => `login:network:${network}`),
      ]
      let wait: number
      try {
        const given = [failureWaits.first, failureWaits.longest, failureWindow, leastLeft, freeOfAccount]
        wait = Number(await redis.run(begin, keys, [...given, ...networks.map(({ share }) => freeOfAddress * share)]))
      } catch {
        return here
      }
      if (wait < 0) {
        here.end('gone')
        return undefined
      }
      let isOver = false
      return {
        wait: Math.max(wait, here.wait),
        end(outcome) {
          here.end(outcome)
          if (isOver) return
          isOver = true
          // What is not told counts as a failure until it is forgotten.
          redis.run(end, keys, [outcome, failureWindow, knownFor]).catch(() => undefined)
        },
      }
    },
  }
}
