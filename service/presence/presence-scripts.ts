import { defineScript } from '../redis/redis-scripts.ts'

/** A service that renews its stamp for so long no more is gone, in ms. */
export const goneAfter = 3000

/** Its stamp is the run of its process and the version of its entries. */
export const stampOf = (run: string, version: number): string => `${run} ${version}`

/** Names of keys. */
export const keysOf = {
  nodes: 'presence:nodes',
  begun: 'presence:begun',
  stamp: (node: string): string => `presence:stamp:${node}`,
  entries: (node: string): string => `presence:entries:${node}`,
  next: (node: string): string => `presence:next:${node}`,
} as const

/**
 * Changes entries and tells it, where the stamp is what the service left. Keys: stamp, entries. Arguments: the stamp
 * before and after, channel, message, then fields with their values, which are empty for those that are gone.
 */
export const changeEntries = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for n = 5, #ARGV, 2 do
  if ARGV[n + 1] == '' then redis.call('HDEL', KEYS[2], ARGV[n])
  else redis.call('HSET', KEYS[2], ARGV[n], ARGV[n + 1]) end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ${goneAfter})
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1`)

/** Renews a stamp that is what the service left. Key: stamp. Argument: the stamp. */
export const renewStamp = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ${goneAfter})
return 1`)

/** Collects entries of an announcement. Key: next. Arguments: whether they are the first, then fields with values. */
export const collectEntries = defineScript(`
if ARGV[1] == '1' then redis.call('DEL', KEYS[1]) end
for n = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[n], ARGV[n + 1]) end
redis.call('EXPIRE', KEYS[1], 60)`)

/**
 * Puts what was collected in the place of a service's entries, and tells it; answers the stamp of before. Keys: nodes,
 * stamp, entries, next. Arguments: node, stamp, channel, message.
 */
export const announceEntries = defineScript(`
local before = redis.call('GET', KEYS[2])
redis.call('UNLINK', KEYS[3])
if redis.call('EXISTS', KEYS[4]) == 1 then
  redis.call('RENAME', KEYS[4], KEYS[3])
  redis.call('PERSIST', KEYS[3])
end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ${goneAfter})
redis.call('PUBLISH', ARGV[3], ARGV[4])
return before or ''`)

/** A service ends. Keys: nodes, stamp, entries. Arguments: node, stamp, channel, message. */
export const endEntries = defineScript(`
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return 0 end
redis.call('SREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
redis.call('UNLINK', KEYS[3])
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1`)

/** Answers since when, in ms, Redis has had something, then each service with its stamp. Keys: nodes, begun, stamps. */
export const listNodes = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local begun = redis.call('GET', KEYS[2])
if not begun then
  begun = string.format('%.0f', now)
  redis.call('SET', KEYS[2], begun)
end
local found = { now - tonumber(begun) }
for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  found[#found + 1] = node
  found[#found + 1] = redis.call('GET', KEYS[3] .. node) or ''
end
return found`)

/** Answers the stamp of a service and its entries. Keys: stamp, entries. */
export const readEntries = defineScript(`
return { redis.call('GET', KEYS[1]) or '', redis.call('HGETALL', KEYS[2]) }`)

/** Forgets a service that is gone; answers 1 to one service only. Keys: nodes, stamp, entries. Argument: node. */
export const forgetNode = defineScript(`
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('UNLINK', KEYS[3])
return redis.call('SREM', KEYS[1], ARGV[1])`)
