import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Credentials } from '../../contract/service-process.ts'
import { pause, type Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import { PlaceFault } from '../place-fault.ts'
import { defineScript, RedisAway, type RedisScripts } from '../redis/redis-scripts.ts'

/** A run that renews its claim for so long no more has ended, in ms. */
const lease = 2000
const renewEvery = 500
/** Between two tries of a start, in ms. */
const retryEvery = 100
/** A run that was killed is waited for until its claim is over, and a little more, in ms. */
const patience = lease + 1000

const keys = { nodes: 'claim:nodes', of: 'claim:of:' } as const

/**
 * Claims a name for a run, or renews that. Answers `name` where another run has it, and `pair` where another service
 * that runs has another key pair. Keys: nodes, begin of the keys of claims. Arguments: node, run, check of the pair.
 */
const claimNode = defineScript(`
local mine = redis.call('GET', KEYS[2] .. ARGV[1])
if mine and string.sub(mine, 1, #ARGV[2]) ~= ARGV[2] then return 'name' end
for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if node ~= ARGV[1] then
    local other = redis.call('GET', KEYS[2] .. node)
    if not other then redis.call('SREM', KEYS[1], node)
    elseif string.sub(other, -#ARGV[3]) ~= ARGV[3] then return 'pair' end
  end
end
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2] .. ARGV[1], ARGV[2] .. ' ' .. ARGV[3], 'PX', ${lease})
return 'held'`)

/** Ends a claim. Keys: nodes, claim. Arguments: node, run. */
const endClaim = defineScript(`
local mine = redis.call('GET', KEYS[2])
if not mine or string.sub(mine, 1, #ARGV[2]) ~= ARGV[2] then return 0 end
redis.call('SREM', KEYS[1], ARGV[1])
return redis.call('DEL', KEYS[2])`)

const words = {
  name: (node: string): string =>
    `another service of the cluster is named ${node} (--node): each needs a name of its own`,
  pair: (): string =>
    'SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET differ from those of the services at this Redis, or these have another ' +
    'database: all services of a cluster share all of it; give the same, or stop all of them to change it',
} as const

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** By which services compare key pairs; the key is of their database, so that what Redis has tells nothing alone. */
export const pairCheck = async ({ appKey, appSecret }: Credentials, key: Buffer): Promise<string> =>
  (await derive(`${appKey}\n${appSecret}`, key, 16)).toString('hex')

/**
 * Claims the name of a service of a cluster, and that its key pair is that of the others that run. Rejects with
 * PlaceFault where it is not, once a former run that was killed cannot be the reason any more. While Redis is away
 * nothing is known, so a service begins; it ends when that turns out wrong.
 */
export async function claimNodeName(options: {
  readonly redis: Pick<RedisScripts, 'run'>
  readonly node: string
  readonly run: string
  /** As `pairCheck` makes it. */
  readonly check: string
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly mustEnd: ((why: string) => void) | undefined
}): Promise<{ close(): Promise<void> }> {
  const { redis, node, run, check, clock, log, mustEnd } = options
  const ask = async (): Promise<keyof typeof words | undefined> => {
    const answer = await redis.run(claimNode, [keys.nodes, keys.of], [node, run, check]).catch((error: unknown) => {
      if (error instanceof RedisAway) return 'held'
      throw error
    })
    return answer === 'name' || answer === 'pair' ? answer : undefined
  }
  const until = clock.monotonic() + patience
  for (let refusal = await ask(); refusal !== undefined; refusal = await ask()) {
    if (clock.monotonic() >= until) throw new PlaceFault(words[refusal](node))
    await pause(clock, retryEvery)
  }
  let refusedSince: number | undefined
  const renew = async (): Promise<void> => {
    const refusal = await ask()
    if (refusal === undefined) return void (refusedSince = undefined)
    refusedSince ??= clock.monotonic()
    if (clock.monotonic() - refusedSince < patience) return
    stop()
    log.error({ node }, words[refusal](node))
    mustEnd?.(words[refusal](node))
  }
  const stop = repeated(clock, renewEvery, () => inBackground(renew(), log, 'renewing the claim of its name'))
  return {
    async close() {
      stop()
      await redis.run(endClaim, [keys.nodes, `${keys.of}${node}`], [node, run]).catch(() => undefined)
    },
  }
}
