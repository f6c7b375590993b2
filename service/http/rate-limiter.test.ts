import { describe, expect, it } from 'vitest'
import type { RateRule } from '../../contract/operation.ts'
import { recordings } from '../../contract/operations/index.ts'
import { createRateLimiter } from './rate-limiter.ts'

const caller = { application: 1, address: '10.0.0.1' }
const setUp = (limit?: number) => {
  let now = 1_000_000
  const limiter = createRateLimiter({ monotonic: () => now }, limit)
  return { limiter, advance: (ms: number) => (now += ms) }
}

describe('the rate of an operation', () => {
  it('slides: a call leaves the window exactly its length after it came', () => {
    const { limiter, advance } = setUp()
    const { path, rates } = recordings.merge
    for (let call = 0; call < 10; call++) {
      expect(limiter.take(path, rates!, caller)).toBeUndefined()
      advance(1000)
    }
    expect(limiter.take(path, rates!, caller)?.code).toBe(638)
    advance(49_999)
    expect(limiter.take(path, rates!, caller)?.code).toBe(638)
    advance(1)
    expect(limiter.take(path, rates!, caller)).toBeUndefined()
    expect(limiter.take(path, rates!, caller)?.code).toBe(638)
    advance(1000)
    expect(limiter.take(path, rates!, caller)).toBeUndefined()
  })

  it('counts each caller, operation and rule for itself', () => {
    const { limiter } = setUp()
    const perAddress: RateRule = { per: 'address', calls: 1, seconds: 60, code: 416, block: 0 }
    expect(limiter.take('/a', [perAddress], caller)).toBeUndefined()
    expect(limiter.take('/b', [perAddress], caller)).toBeUndefined()
    expect(limiter.take('/a', [perAddress], { application: 1, address: '10.0.0.2' })).toBeUndefined()
    expect(limiter.take('/a', [perAddress], { application: 2, address: '10.0.0.1' })).toBe(perAddress)
  })

  it('does not count a call against one rule that another refuses', () => {
    const { limiter, advance } = setUp()
    const many: RateRule = { per: 'application', calls: 2, seconds: 60, code: 416, block: 0 }
    const few: RateRule = { per: 'application', calls: 1, seconds: 1, code: 416, block: 0 }
    expect(limiter.take('/a', [many, few], caller)).toBeUndefined()
    expect(limiter.take('/a', [many, few], caller)).toBe(few)
    advance(1000)
    expect(limiter.take('/a', [many, few], caller)).toBeUndefined()
  })

  it('with a block refuses for its length, and then counts on', () => {
    const { limiter, advance } = setUp()
    const rule: RateRule = { per: 'application', calls: 1, seconds: 1, code: 416, block: 10 }
    expect(limiter.take('/a', [rule], caller)).toBeUndefined()
    expect(limiter.take('/a', [rule], caller)).toBe(rule)
    advance(9999)
    expect(limiter.take('/a', [rule], caller)).toBe(rule)
    advance(1)
    expect(limiter.take('/a', [rule], caller)).toBeUndefined()
  })

  it('remembers a bounded number of callers and forgets who called longest ago', () => {
    const { limiter } = setUp(2)
    const rule: RateRule = { per: 'address', calls: 1, seconds: 60, code: 416, block: 0 }
    const from = (address: string) => limiter.take('/a', [rule], { application: 1, address })
    expect([from('a'), from('b')]).toEqual([undefined, undefined])
    expect(from('a')).toBe(rule)
    expect(from('c')).toBeUndefined()
    expect(from('a')).toBe(rule)
    expect(from('b')).toBeUndefined()
  })

  it('counts operations that share a counter together, and each caller of it for itself', () => {
    const { limiter } = setUp()
    const shared: RateRule = { per: 'application', calls: 2, seconds: 60, code: 416, block: 0, shared: 'all' }
    expect([limiter.take('/a', [shared], caller), limiter.take('/b', [shared], caller)]).toEqual([undefined, undefined])
    expect(limiter.take('/c', [shared], caller)).toBe(shared)
    expect(limiter.take('/c', [shared], { ...caller, application: 2 })).toBeUndefined()
    expect(limiter.take('/c', [shared], { ...caller, address: '10.0.0.2' })).toBe(shared)
  })

  it('counts two rules of an operation for themselves, and names the one that is exceeded', () => {
    const { limiter, advance } = setUp()
    const slow: RateRule = { per: 'application', calls: 3, seconds: 60, code: 416, block: 0 }
    const fast: RateRule = { per: 'application', calls: 2, seconds: 1, code: 419, block: 0 }
    const take = () => limiter.take('/a', [slow, fast], caller)
    expect([take(), take(), take()]).toEqual([undefined, undefined, fast])
    advance(1000)
    expect([take(), take()]).toEqual([undefined, slow])
  })

  it('with a block is not prolonged by calls during it, and holds up no other caller', () => {
    const { limiter, advance } = setUp()
    const rule: RateRule = { per: 'application', calls: 1, seconds: 1, code: 416, block: 10 }
    expect([limiter.take('/a', [rule], caller), limiter.take('/a', [rule], caller)]).toEqual([undefined, rule])
    for (let second = 1; second < 10; second++) {
      advance(1000)
      expect(limiter.take('/a', [rule], caller)).toBe(rule)
    }
    expect(limiter.take('/a', [rule], { ...caller, application: 2 })).toBeUndefined()
    advance(1000)
    expect(limiter.take('/a', [rule], caller)).toBeUndefined()
  })

  it('without a block lets a caller go on as soon as the oldest call is out of the window', () => {
    const { limiter, advance } = setUp()
    const rule: RateRule = { per: 'application', calls: 2, seconds: 10, code: 416, block: 0 }
    const take = () => limiter.take('/a', [rule], caller)
    expect(take()).toBeUndefined()
    advance(4000)
    expect([take(), take()]).toEqual([undefined, rule])
    advance(6000)
    expect([take(), take()]).toEqual([undefined, rule])
    advance(4000)
    expect([take(), take()]).toEqual([undefined, rule])
  })

  it('is counted of the /56 and the /48 of an address too, with two and four times the calls', () => {
    const { limiter, advance } = setUp()
    const rule: RateRule = { per: 'address', calls: 10, seconds: 60, code: 416, block: 0 }
    const from = (network: number): boolean =>
      limiter.take('/a', [rule], { application: 1, address: `2001:db8:1:${network.toString(16)}::/64` }) === undefined
    const taken = (networks: number[]): number => networks.filter(from).length
    const all = Array.from({ length: 4096 }, (_, index) => index)
    expect(taken(all.slice(0, 256))).toBe(20)
    expect(limiter.exceeded('/a', [rule], { application: 1, address: '2001:db8:1:ff::/64' })).toBe(rule)
    expect(taken(all)).toBe(20)
    expect(limiter.take('/a', [rule], { application: 1, address: '2001:db8:2:0::/64' })).toBeUndefined()
    advance(60_000)
    expect(taken(all)).toBe(40)
  })

  it('is remembered of 10,000 callers', () => {
    const { limiter } = setUp()
    const rule: RateRule = { per: 'address', calls: 1, seconds: 60, code: 416, block: 0 }
    const from = (address: number) => limiter.take('/a', [rule], { application: 1, address: String(address) })
    for (let address = 0; address < 10_000; address++) from(address)
    expect(from(0)).toBe(rule)
    expect(from(10_000)).toBeUndefined()
    expect([from(0), from(1)]).toEqual([rule, undefined])
  })
})
