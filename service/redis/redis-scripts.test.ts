import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { startRedis, type Redis } from '../../e2e/cluster/redis.ts'
import { systemClock } from '../../platform/clock.ts'
import { describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { defineScript, openRedisScripts, RedisAway, type RedisScripts } from './redis-scripts.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function ownRedis(options?: Parameters<typeof startRedis>[0]): Promise<Redis> {
  const redis = await startRedis(options)
  ends.push(() => redis.close())
  return redis
}
interface Opened {
  readonly scripts: RedisScripts
  readonly logged: string[]
  readonly backs: () => number
}
async function open(url = redisUrl!, prefix: string = randomUUID(), most?: number): Promise<Opened> {
  const logged: string[] = []
  const line = (level: string) => (fields: object, sentence: string) =>
    void logged.push(`${level}: ${sentence} ${JSON.stringify(fields)}`)
  const log = { error: line('error'), warn: line('warn'), info: line('info') }
  const scripts = await openRedisScripts({ url, prefix }, { clock: systemClock, log, ...(most && { most }) })
  ends.push(() => scripts.close())
  let backs = 0
  scripts.onBack(() => void backs++)
  return { scripts, logged, backs: () => backs }
}

const count = defineScript(`return redis.call('INCRBY', KEYS[1], ARGV[1])`)
const empty = defineScript(`return redis.call('FLUSHALL').ok`)
const echo = defineScript('return {KEYS, ARGV}')
const failing = defineScript(`return redis.error_reply('ERR this is wrong')`)
const busy = defineScript('while true do end')

const outcome = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)

describeOnRedis('scripts at a Redis', () => {
  it('run as one step, see keys of their prefix only, and answer', async () => {
    const prefix = randomUUID()
    const [one, other, stranger] = await Promise.all([open(redisUrl, prefix), open(redisUrl, prefix), open()])
    const calls = Array.from({ length: 500 }, (_, n) => (n % 2 === 0 ? one : other).scripts.run(count, ['n'], [2]))
    const answers = (await Promise.all(calls)) as number[]
    expect(answers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, n) => 2 * n + 2))
    expect(await stranger.scripts.run(count, ['n'], [1])).toBe(1)
    expect(await one.scripts.run(echo, ['k', 'l'], ['a:b', 1, ''])).toEqual([
      [`${prefix}:k`, `${prefix}:l`],
      ['a:b', '1', ''],
    ])
    expect([one.scripts.prefix, one.logged, one.backs()]).toEqual([prefix, [], 0])
  })

  it('that are wrong reject with what Redis says, not as if it were away', async () => {
    const { scripts } = await open()
    const error = await outcome(scripts.run(failing, [], []))
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(RedisAway)
    expect((error as Error).message).toContain('this is wrong')
  })

  it('that are too many at once are refused beyond the bound, at once', async () => {
    const { scripts } = await open(redisUrl, undefined, 3)
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => outcome(scripts.run(count, ['n'], [1]))))
    expect(outcomes.filter((each) => each instanceof RedisAway)).toHaveLength(2)
    expect(await scripts.run(count, ['n'], [1])).toBe(4)
  })
})

describeOnRedis('a Redis that is killed', () => {
  it('refuses at once what is run, and runs scripts again when it is back, which is told', async () => {
    const redis = await ownRedis()
    const { scripts, backs, logged } = await open(redis.url)
    expect(await scripts.run(count, ['n'], [1])).toBe(1)
    for (let time = 1; time <= 2; time++) {
      await redis.kill()
      await eventually(() => expect(scripts.up()).toBe(false))
      const asked = performance.now()
      expect(await outcome(scripts.run(count, ['n'], [1]))).toBeInstanceOf(RedisAway)
      expect(performance.now() - asked).toBeLessThan(100)
      await redis.start()
      await eventually(() => expect(backs()).toBe(time))
      // The new server has never seen the script.
      expect(await scripts.run(count, ['n'], [1])).toBe(1)
    }
    expect(logged.map((line) => line.split(' {')[0])).toEqual(
      [1, 2].flatMap(() => [
        'warn: Redis is away: what services count together is counted by each alone',
        'info: Redis is there again',
      ]),
    )
  })

  it('while scripts are under way rejects them as away', async () => {
    const redis = await ownRedis()
    const { scripts } = await open(redis.url)
    redis.signal('SIGSTOP')
    const call = outcome(scripts.run(count, ['n'], [1]))
    await redis.kill()
    expect(await call).toBeInstanceOf(RedisAway)
  })

  it('and that is not there at the start is tried until it comes', async () => {
    const redis = await ownRedis()
    await redis.kill()
    const opening = open(redis.url)
    await redis.start()
    const { scripts } = await opening
    await eventually(() => expect(scripts.up()).toBe(true))
    expect(await scripts.run(count, ['n'], [1])).toBe(1)
  })
})

describeOnRedis('a Redis that stands still', () => {
  it('is away after one second without an answer, then refuses at once, and is told when it goes on', async () => {
    const redis = await ownRedis()
    const { scripts, backs, logged } = await open(redis.url)
    await scripts.run(count, ['n'], [1])
    redis.signal('SIGSTOP')
    const asked = performance.now()
    expect(await outcome(scripts.run(count, ['n'], [1]))).toBeInstanceOf(RedisAway)
    const waited = performance.now() - asked
    expect(waited).toBeGreaterThan(900)
    expect(waited).toBeLessThan(2500)
    expect(scripts.up()).toBe(false)
    const again = performance.now()
    expect(await outcome(scripts.run(count, ['n'], [1]))).toBeInstanceOf(RedisAway)
    expect(performance.now() - again).toBeLessThan(100)
    redis.signal('SIGCONT')
    await eventually(() => expect(backs()).toBe(1))
    // What was under way has run.
    expect(await scripts.run(count, ['n'], [1])).toBe(3)
    expect(logged[0]).toContain('it does not answer')
  })

  it('is found out also where nothing is run', async () => {
    const redis = await ownRedis()
    const { scripts, backs } = await open(redis.url)
    redis.signal('SIGSTOP')
    await eventually(() => expect(scripts.up()).toBe(false))
    redis.signal('SIGCONT')
    await eventually(() => expect(backs()).toBe(1))
  })

  it('because of a script that does not end takes no others', async () => {
    const redis = await ownRedis({ settings: ['--busy-reply-threshold', '50'] })
    const [one, other] = await Promise.all([open(redis.url), open(redis.url)])
    const first = outcome(one.scripts.run(busy, [], []))
    await eventually(async () => expect(await outcome(other.scripts.run(count, ['n'], [1]))).toBeInstanceOf(RedisAway))
    expect(await first).toBeInstanceOf(RedisAway)
  })
})

describeOnRedis('a Redis that is emptied', () => {
  it('is told to all, once', async () => {
    const redis = await ownRedis()
    const prefix = randomUUID()
    const [one, other] = await Promise.all([open(redis.url, prefix), open(redis.url, prefix)])
    // Both know by now what it holds.
    await eventually(async () => expect(await one.scripts.run(keys, [], [])).toEqual([`${prefix}:made`]))
    await one.scripts.run(empty, [], [])
    await eventually(() => expect([one.backs(), other.backs()]).toEqual([1, 1]))
    expect(await one.scripts.run(count, ['n'], [1])).toBe(1)
    const looked = performance.now()
    await eventually(() => expect(performance.now() - looked).toBeGreaterThan(1500))
    expect([one.backs(), other.backs(), one.logged, one.scripts.up()]).toEqual([1, 1, [], true])
  })
})
const keys = defineScript(`return redis.call('KEYS', '*')`)

describeOnRedis('a password', () => {
  it('comes with the address and is in no error and no log line', async () => {
    const redis = await ownRedis({ password: 'canary-right' })
    const { scripts, logged } = await open(redis.url)
    expect(await scripts.run(count, ['n'], [1])).toBe(1)
    const refused = await outcome(open(redis.url.replace('right', 'wrong')))
    expect(refused).toMatchObject({
      message: expect.stringContaining('the user or password is not accepted') as string,
    })
    const told = [refused, await outcome(open('redis://:canary@['))]
    await redis.kill()
    await eventually(() => expect(scripts.up()).toBe(false))
    told.push(await outcome(scripts.run(count, ['n'], [1])))
    for (const error of told) {
      expect(error).toBeInstanceOf(Error)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('canary')
    }
    expect(logged.join('\n')).not.toContain('canary')
  })
})

it('loads no module of Redis where there is none', async () => {
  const { execFileSync } = await import('node:child_process')
  const code = `await import('${new URL('redis-scripts.ts', import.meta.url).href}')
    const { createRequire } = await import('node:module')
    console.log(Object.keys(createRequire(import.meta.url).cache).filter((name) => name.includes('@redis')).length)`
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })).toBe('0\n')
})
