import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RateRule } from '../../contract/operation.ts'
import { defineScript } from '../redis/redis-scripts.ts'
import { openNodes } from '../redis/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { createSharedRateLimiter, rateLimiterOf } from './shared-rate-limiter.ts'

const rule = (calls: number, seconds: number, more: Partial<RateRule> = {}): RateRule => ({
  per: 'application',
  calls,
  seconds,
  code: 416,
  block: 0,
  ...more,
})
const caller = { application: 1, address: '192.0.2.1' }

describeOnRedis('rates of the nodes of a cluster', () => {
  let nodes: Awaited<ReturnType<typeof openNodes>>
  beforeEach(async () => void (nodes = await openNodes()))
  afterEach(() => nodes.close())
  /** Their clocks are hours apart. */
  const limiters = (name = 'api') => {
    const clockOf = (ahead: number) => ({ monotonic: () => performance.now() + ahead })
    const one = createSharedRateLimiter({ redis: nodes.one, name, clock: clockOf(0) })
    const other = createSharedRateLimiter({ redis: nodes.other, name, clock: clockOf(4 * 3600 * 1000) })
    return [one, other] as const
  }

  it('count the calls at all of them, also at once, and let through exactly as many as the rate says', async () => {
    const both = limiters()
    const rules = [rule(50, 60)]
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => both[n % 2]!.take('op', rules, caller)))
    expect(answers.filter((over) => over === undefined)).toHaveLength(50)
    expect(await both[0].exceeded('op', rules, caller)).toBe(rules[0])
    // Of another operation, application, limiter.
    const [third] = limiters('others')
    expect(await both[1].take('op2', rules, caller)).toBeUndefined()
    expect(await both[1].take('op', rules, { ...caller, application: 2 })).toBeUndefined()
    expect(await third.take('op', rules, caller)).toBeUndefined()
    expect(nodes.logged).toEqual([])
  })

  it('slide: a call is possible again when the first has left the window, and refused ones do not count', async () => {
    const [one, other] = limiters()
    const rules = [rule(3, 1)]
    for (const limiter of [one, other, one]) expect(await limiter.take('op', rules, caller)).toBeUndefined()
    expect(await other.take('op', rules, caller)).toBe(rules[0])
    await eventually(async () => expect(await other.take('op', rules, caller)).toBeUndefined())
  })

  it('count nothing by a look, and nothing of a call that one of several rates refuses', async () => {
    const [one, other] = limiters()
    const [wide, narrow] = [rule(3, 60), rule(1, 1)]
    for (let look = 0; look < 10; look++) expect(await one.exceeded('op', [wide], caller)).toBeUndefined()
    expect(await one.take('op', [wide, narrow], caller)).toBeUndefined()
    for (let refused = 0; refused < 5; refused++) expect(await other.take('op', [wide, narrow], caller)).toBe(narrow)
    for (const limiter of [one, other]) expect(await limiter.take('op', [wide], caller)).toBeUndefined()
    expect(await one.take('op', [wide], caller)).toBe(wide)
  })

  it('block at all nodes who exceeded the rate at one, until the block is over', async () => {
    const [one, other] = limiters()
    const rules = [rule(1, 1, { block: 4 })]
    expect(await one.take('op', rules, caller)).toBeUndefined()
    expect(await one.take('op', rules, caller)).toBe(rules[0])
    const blocked = performance.now()
    // The window is over before the block.
    await eventually(() => expect(performance.now() - blocked).toBeGreaterThan(1100))
    expect(await other.take('op', rules, caller)).toBe(rules[0])
    await eventually(async () => expect(await other.take('op', rules, caller)).toBeUndefined())
    expect(performance.now() - blocked).toBeGreaterThan(3900)
  })

  it('count the /56 of an address with twice the calls', async () => {
    const both = limiters()
    const rules = [rule(5, 60, { per: 'address' })]
    const answers: (RateRule | undefined)[] = []
    for (let n = 0; n < 20; n++)
      answers.push(
        await both[n % 2]!.take('op', rules, { application: 1, address: `2001:db8:1:${n.toString(16)}::/64` }),
      )
    expect(answers.map((over) => over === undefined)).toEqual(Array.from({ length: 20 }, (_, n) => n < 10))
  })

  it('hold nobody up by times that are ahead, as the clock of Redis was set back', async () => {
    const [one] = limiters()
    const rules = [rule(2, 60)]
    for (let n = 0; n < 2; n++) await one.take('op', rules, caller)
    expect(await one.take('op', rules, caller)).toBe(rules[0])
    const ahead = defineScript(`
      for i = 0, 1 do redis.call('LSET', KEYS[1], i, redis.call('LINDEX', KEYS[1], i) + 3600000) end`)
    await nodes.one.run(ahead, ['rate:api:op 0 1'], [])
    expect(await one.take('op', rules, caller)).toBeUndefined()
  })

  it('are counted by each alone while Redis is away, from what it let through, and together afterwards', async () => {
    const [one, other] = limiters()
    const rules = [rule(4, 60)]
    for (const limiter of [one, one, one, other]) expect(await limiter.take('op', rules, caller)).toBeUndefined()
    expect(await other.take('op', rules, caller)).toBe(rules[0])
    await nodes.kill()
    expect(await one.take('op', rules, caller)).toBeUndefined()
    expect(await one.take('op', rules, caller)).toBe(rules[0])
    expect(await one.exceeded('op', rules, caller)).toBe(rules[0])
    for (let n = 0; n < 3; n++) expect(await other.take('op', rules, caller)).toBeUndefined()
    expect(await other.take('op', rules, caller)).toBe(rules[0])
    // It has lost what it counted.
    await nodes.start()
    for (const limiter of [one, other, one, other]) expect(await limiter.take('op', rules, caller)).toBeUndefined()
    for (const limiter of [one, other]) expect(await limiter.take('op', rules, caller)).toBe(rules[0])
  })

  it('need no Redis where there is nothing to count', async () => {
    await nodes.kill()
    const [one] = limiters()
    expect([await one.take('op', [], caller), await one.exceeded('op', [], caller)]).toEqual([undefined, undefined])
  })
})

it('a service that is alone answers at once, without a promise', () => {
  const rules = [rule(1, 60)]
  const limiter = rateLimiterOf(undefined, 'api', { monotonic: () => 1 })
  expect([limiter.take('op', rules, caller), limiter.take('op', rules, caller)]).toEqual([undefined, rules[0]])
  expect(Object.keys(limiter)).toEqual(Object.keys(createRateLimiter({ monotonic: () => 1 })))
})
