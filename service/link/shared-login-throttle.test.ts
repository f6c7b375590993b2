import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineScript } from '../redis/redis-scripts.ts'
import { openNodes } from '../redis/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { LogInAttempt } from './login-throttle.ts'
import { createSharedLoginThrottle } from './shared-login-throttle.ts'

const isAttempt = (attempt: LogInAttempt | undefined): attempt is LogInAttempt => attempt !== undefined
/** How many keys are kept. */
const kept = defineScript(`return #redis.call('KEYS', '*login:*')`)

describeOnRedis('log-ins at the nodes of a cluster', () => {
  let nodes: Awaited<ReturnType<typeof openNodes>>
  beforeEach(async () => void (nodes = await openNodes()))
  afterEach(() => nodes.close())
  const throttles = () => {
    // Their clocks are hours apart, and stand still.
    const of = (redis: typeof nodes.one, now: number) => createSharedLoginThrottle(redis, { monotonic: () => now }, 2)
    return [of(nodes.one, 1000), of(nodes.other, 9_000_000)] as const
  }
  /** Waits of log-ins that fail, in turn at both nodes. */
  const failAt = async (both: ReturnType<typeof throttles>, count: number, nameOf: (n: number) => string) => {
    const waits: (number | undefined)[] = []
    for (let n = 0; n < count; n++) {
      const attempt = await both[n % 2]!.attempt('192.0.2.1', nameOf(n))
      waits.push(attempt?.wait)
      attempt?.end('failed')
    }
    return waits
  }

  it('of one account and address wait longer with every failure at any of them', async () => {
    const both = throttles()
    const waits = await failAt(both, 6, () => 'ann')
    expect(waits.slice(0, 5)).toEqual([0, 0, 0, 0, 0])
    // Each node alone has seen three failures.
    expect(waits[5]).toBe(100)
    const { length } = (await Promise.all([0, 1].map((n) => both[n]!.attempt('192.0.2.1', 'ann')))).filter(isAttempt)
    expect(length).toBe(2)
    expect((await both[0].attempt('192.0.2.2', 'ann'))?.wait).toBe(0)
    expect(nodes.logged).toEqual([])
  })

  it('that are tried at once are looked at one after the other, and few of them at all', async () => {
    const both = throttles()
    const attempts = await Promise.all(Array.from({ length: 100 }, (_, n) => both[n % 2]!.attempt('192.0.2.1', 'ann')))
    const waits = attempts.filter(isAttempt).map(({ wait }) => wait)
    expect(waits.length).toBeLessThan(15)
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
    expect(Math.max(...waits)).toBeGreaterThan(2000)
  })

  it('of an address that tries many accounts wait at each, but not of an account that was there before', async () => {
    const both = throttles()
    ;(await both[0].attempt('192.0.2.1', 'known'))!.end('succeeded')
    const waits = await failAt(both, 20, (n) => `guess${n}`)
    expect(waits.every((wait) => wait === 0)).toBe(true)
    await eventually(async () =>
      expect((await both[1].attempt('192.0.2.1', `g${Math.random()}`))?.wait ?? 9999).toBeGreaterThan(90),
    )
    expect((await both[1].attempt('192.0.2.1', 'known'))?.wait).toBe(0)
    expect((await both[1].attempt('192.0.2.9', 'bob'))?.wait).toBe(0)
  })

  it('begin anew after a success at another node, and one that was not looked at is no failure', async () => {
    const both = throttles()
    await failAt(both, 4, () => 'ann')
    ;(await both[0].attempt('192.0.2.1', 'ann'))!.end('succeeded')
    await eventually(async () => expect(await nodes.one.run(kept, [], [])).toBe(2))
    for (let n = 0; n < 10; n++) {
      const attempt = await both[n % 2]!.attempt('192.0.2.1', 'ann')
      expect(attempt?.wait).toBe(0)
      attempt!.end('gone')
    }
  })

  it('are slowed by what this node saw while Redis is away, and by all afterwards', async () => {
    const both = throttles()
    await failAt(both, 6, () => 'ann')
    await nodes.kill()
    // Three failures of each; two more are free.
    const waits = await failAt([both[0], both[0]], 3, () => 'ann')
    expect(waits.slice(0, 2)).toEqual([0, 0])
    expect(waits[2]).toBeGreaterThan(90)
    expect((await both[1].attempt('192.0.2.1', 'ann'))?.wait).toBe(0)
    await nodes.start()
    // It counts from nothing, a node from what it saw.
    expect((await both[0].attempt('192.0.2.1', 'ann'))?.wait).toBeGreaterThan(90)
    const again = await failAt([both[1], both[1]], 2, () => 'bob')
    expect(again).toEqual([0, 0])
    for (const name of ['bob', 'bob', 'bob']) (await both[0].attempt('192.0.2.1', name))!.end('failed')
    await eventually(async () => expect((await both[1].attempt('192.0.2.1', 'bob'))?.wait).toBeGreaterThan(90))
  })

  it('wait in places of this node before they are looked at', () => {
    const [one, other] = throttles()
    expect([one.admit('a'), one.admit('a'), one.admit('a'), other.admit('a')].map((place) => typeof place)).toEqual([
      'function',
      'function',
      'undefined',
      'function',
    ])
  })
})
