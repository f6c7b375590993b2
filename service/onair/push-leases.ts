import { defineScript, type RedisScripts } from '../redis/redis-scripts.ts'

/** A push that a node has, as all nodes know it. */
export interface PushLease {
  readonly cid: string
  readonly node: string
  /** Other for each push. */
  readonly id: string
  /** Begin, in ms; with the id it orders pushes that began while nobody could be asked. */
  readonly began: number
  /** It began while Redis could not be asked. */
  readonly isUnasked: boolean
  /** Start of the push in ms; absent until it has begun. */
  readonly since?: number
  readonly recording: boolean
  /** Since when its picture is held, as its encoder is lost, in ms. */
  readonly held?: number
  readonly media: string
}

/** A node is taken for gone after this time without word, and an encoder for lost (behaviour.md#publishing); in ms. */
export const leaseFor = 3000
/** Nodes that were not there for so long are forgotten, in ms. */
const nodesFor = 3_600_000

/** Of a hash of leases, sets of when they end and until when their encoder keeps others out; and their edition. */
const keys = ['push', 'push-ends', 'push-busy', 'push-edition', 'push-nodes'] as const

const begin = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function held(cid)
  local ends = redis.call('ZSCORE', KEYS[2], cid)
  if not ends or tonumber(ends) <= now then return nil end
  return redis.call('HGET', KEYS[1], cid) or nil
end
local function put(cid, text, busy)
  if redis.call('HGET', KEYS[1], cid) ~= text then
    redis.call('HSET', KEYS[1], cid, text)
    redis.call('INCR', KEYS[4])
  end
  redis.call('ZADD', KEYS[2], now + ${leaseFor}, cid)
  redis.call('ZADD', KEYS[3], now + busy, cid)
end
local function drop(cid)
  redis.call('HDEL', KEYS[1], cid)
  redis.call('ZREM', KEYS[2], cid)
  redis.call('ZREM', KEYS[3], cid)
  redis.call('INCR', KEYS[4])
end
`
/**
 * Answers the text of the lease that is there: busy, or of the same node. Where it was taken a list: empty, or with
 * the lease of a push whose node is gone.
 */
const take = defineScript(`${begin}
local cid = ARGV[1]
local there = held(cid)
if there then
  if cjson.decode(there).node == ARGV[2] then return there end
  if tonumber(redis.call('ZSCORE', KEYS[3], cid) or 0) > now then return there end
end
local left = not there and redis.call('HGET', KEYS[1], cid)
put(cid, ARGV[3], ${leaseFor})
return { left or nil }`)

/** Of each lease its text, and how long its encoder keeps others out; answers those of others that are in force. */
const renew = defineScript(`${begin}
redis.call('ZADD', KEYS[5], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now - ${nodesFor})
local lost = {}
for at = 2, #ARGV, 2 do
  local mine = cjson.decode(ARGV[at])
  local there = held(mine.cid)
  local other = there and cjson.decode(there)
  local function before(one, two)
    if one.began ~= two.began then return one.began < two.began end
    return one.id < two.id
  end
  if not other or other.node == mine.node
    or (other.isUnasked and before(mine, other) and tonumber(ARGV[at + 1]) > 0) then
    put(mine.cid, ARGV[at], tonumber(ARGV[at + 1]))
  else
    lost[#lost + 1] = there
  end
end
return lost`)

const release = defineScript(`${begin}
local there = held(ARGV[1])
if there and cjson.decode(there).id == ARGV[2] then drop(ARGV[1]) end
return false`)

/**
 * Answers the edition, nodes, leases whose nodes are gone, to one node alone, and all leases unless the edition is
 * known.
 */
const look = defineScript(`${begin}
local left = {}
for _, cid in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  local text = redis.call('HGET', KEYS[1], cid)
  if text then left[#left + 1] = text end
  drop(cid)
end
local edition = redis.call('GET', KEYS[4]) or '0'
local nodes = redis.call('ZRANGE', KEYS[5], 0, -1)
if edition == ARGV[1] then return { edition, nodes, left } end
return { edition, nodes, left, redis.call('HVALS', KEYS[1]) }`)

const leaseOf = (text: unknown): PushLease => JSON.parse(String(text)) as PushLease

/** The leases of pushes at the Redis of a cluster. Each call rejects with `RedisAway` when Redis does not answer. */
export function createPushLeases(redis: Pick<RedisScripts, 'run'>) {
  return {
    /**
     * `there`: the one in force when it is not given, busy with an encoder of another node, or of this node already.
     * `left`: that of a node that is gone.
     */
    async take(lease: PushLease): Promise<{ readonly there?: PushLease; readonly left?: PushLease }> {
      const answer = await redis.run(take, keys, [lease.cid, lease.node, JSON.stringify(lease)])
      if (!Array.isArray(answer)) return { there: leaseOf(answer) }
      const [left] = answer as unknown[]
      return left === undefined ? {} : { left: leaseOf(left) }
    },
    /** Renews those of this node; `busyFor`: how long its encoder keeps others out, in ms. Those that it lost. */
    async renew(
      media: string,
      all: readonly { readonly lease: PushLease; readonly busyFor: number }[],
    ): Promise<PushLease[]> {
      const given = all.flatMap(({ lease, busyFor }) => [JSON.stringify(lease), Math.ceil(busyFor)])
      return ((await redis.run(renew, keys, [media, ...given])) as unknown[]).map(leaseOf)
    },
    async release({ cid, id }: PushLease): Promise<void> {
      await redis.run(release, keys, [cid, id])
    },
    /**
     * What all nodes have; `leases` undefined when nothing is other than at the edition that is known. `left`: those of
     * nodes that are gone, which no other call is told.
     */
    async look(edition: string): Promise<{
      readonly edition: string
      readonly nodes: readonly string[]
      readonly left: readonly PushLease[]
      readonly leases: readonly PushLease[] | undefined
    }> {
      const answer = await redis.run(look, keys, [edition])
      const [now, nodes, left, leases] = answer as [unknown, unknown[], unknown[], unknown[]?]
      return {
        edition: String(now),
        nodes: nodes.map(String),
        left: left.map(leaseOf),
        leases: leases?.map(leaseOf),
      }
    },
  }
}
