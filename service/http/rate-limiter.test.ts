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
})
