import { hash, randomUUID } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { Log } from '../log.ts'
import { lookEvery, openRedisClients, reasonOf, type RedisPlace } from './redis-clients.ts'

/** A Lua script that Redis runs as one step, with the name by which it keeps it. */
export interface Script {
  readonly lua: string
  readonly sha1: string
}

/** Redis gave no answer: it is away, answers too late or takes nothing. The call may have run all the same. */
export class RedisAway extends Error {}

/** Runs scripts at the Redis of a cluster. */
export interface RedisScripts {
  /** Of all keys, which is followed by a colon. */
  readonly prefix: string
  /** Resolves with what the script returns, or rejects with `RedisAway` after 1 s at most. `keys` get the prefix. */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
  up(): boolean
  /** Calls after each time when Redis was away, is another server or was emptied; returns what ends that. */
  onBack(call: () => void): () => void
  close(): Promise<void>
}

/** An answer is waited for so long, in ms. */
const patience = 1000
/** Calls under way at most. */
const usualMost = 10_000
/** What a server says that cannot do its work now, in contrast to a wrong script. */
const unable = /^(?:LOADING|READONLY|MASTERDOWN|OOM|MISCONF|BUSY|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|UNKILLABLE|NOAUTH)\b/

/** Defines a script of Redis, in Lua. */
export const defineScript = (lua: string): Script => ({ lua, sha1: hash('sha1', lua, 'hex') })

/** Answers who made what the Redis holds: another one after it was emptied. */
const maker = defineScript(`
local made = redis.call('GET', KEYS[1])
if made then return made end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]`)

/**
 * Opens the connection over which services of a cluster run scripts. Resolves once it is there, or after a while
 * without: it is tried again until the close.
 */
export async function openRedisScripts(
  { url, prefix }: RedisPlace,
  options: {
    readonly clock: Clock
    readonly log: Pick<Log, 'error' | 'warn' | 'info'>
    /** Calls under way at most. */
    readonly most?: number
  },
): Promise<RedisScripts> {
  const { clock, log, most = usualMost } = options
  const backs = new Set<() => void>()
  let made: string | undefined
  let underWay = 0

  const connections = await openRedisClients({
    url,
    count: 1,
    clock,
    log,
    away: 'what services count together is counted by each alone',
    rose: () => undefined,
    async check() {
      const before = made
      made = String(await run(maker, ['made'], [randomUUID()]))
      return before !== undefined && before !== made
    },
    back() {
      for (const call of backs)
        try {
          call()
        } catch (error) {
          log.error({ err: error }, 'what Redis had could not be told to it again')
        }
    },
  })
  const client = connections.clients[0]!

  const send = async (script: Script, counted: readonly string[]): Promise<unknown> => {
    try {
      return await client.sendCommand(['EVALSHA', script.sha1, ...counted])
    } catch (error) {
      if (!reasonOf(error).startsWith('NOSCRIPT')) throw error
      return await client.sendCommand(['EVAL', script.lua, ...counted])
    }
  }
  /** An answer of the server, not of the library about the connection. */
  const isAnswer = (reason: string): boolean => /^[A-Z]+ /.test(reason) && !unable.test(reason)
  const failureOf = (error: unknown): Error => {
    const reason = reasonOf(error)
    if (client.isReady && isAnswer(reason)) {
      log.error({ reason }, 'Redis refused a script')
      return new Error(reason)
    }
    // A server that became a replica: its address may lead to another one by now.
    if (reason.startsWith('READONLY')) connections.connectAgain(reason)
    return new RedisAway(reason)
  }

  function run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    if (!connections.up()) return Promise.reject(new RedisAway('Redis is away'))
    if (underWay >= most) return Promise.reject(new RedisAway('too many calls wait for Redis'))
    underWay += 1
    return new Promise((resolve, reject) => {
      const late = (): void => {
        // Not where this process stood still: what has arrived is read first.
        cancel = clock.after(1, () => {
          connections.connectAgain('it does not answer')
          reject(new RedisAway('Redis does not answer'))
        })
      }
      let cancel = clock.after(patience, late)
      const ended = (): void => {
        underWay -= 1
        cancel()
      }
      send(script, [String(keys.length), ...keys.map((key) => `${prefix}:${key}`), ...args.map(String)]).then(
        (answer) => {
          ended()
          resolve(answer)
        },
        (error: unknown) => {
          ended()
          reject(failureOf(error))
        },
      )
    })
  }
  const stop = repeated(clock, lookEvery, connections.look)
  await connections.begun().catch((error: unknown) => {
    stop()
    throw error
  })

  return {
    prefix,
    run,
    up: connections.up,
    onBack(call) {
      backs.add(call)
      return () => void backs.delete(call)
    },
    close() {
      stop()
      connections.close()
      return Promise.resolve()
    },
  }
}
