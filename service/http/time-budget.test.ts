import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { addressGroup } from '../../platform/address-group.ts'
import { createTimeAccount, createTimeBudget } from './time-budget.ts'

describe('an account of time', () => {
  it('is whole at first, is filled as time passes, and never beyond', () => {
    let now = 0
    const account = createTimeAccount(() => now, { perSecond: 100, atOnce: 200 })
    account.spend(199)
    expect(account.wait()).toBe(0)
    account.spend(101)
    expect(account.wait()).toBe(1010)
    now += account.wait()
    expect(account.wait()).toBe(0)
    now += 3600_000
    account.spend(200)
    expect(account.wait()).toBeGreaterThan(0)
  })
})

describe('the time of a request', () => {
  it('is what it takes until it waits for something else, and what is charged to it from elsewhere', async () => {
    let now = 0
    const budget = createTimeBudget(() => now, { session: { perSecond: 1, atOnce: 1000 } })
    const account = budget.account()
    await budget.charged([account], async () => {
      now += 100
      await Promise.resolve()
      now += 200
      await nextTurn()
      // The time of others.
      now += 5000
      budget.spent(300)
    })
    budget.spent(900)
    expect(account.wait()).toBe(0)
    account.spend(405)
    expect(account.wait()).toBeGreaterThan(0)
  })

  it('of an address is that of all its requests; this computer has none', () => {
    const budget = createTimeBudget(() => 0)
    budget.ofAddress('192.0.2.1')!.spend(10_000)
    expect(budget.ofAddress('192.0.2.1')!.wait()).toBeGreaterThan(0)
    expect(budget.ofAddress('192.0.2.2')!.wait()).toBe(0)
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(budget.ofAddress(addressGroup(address))).toBeUndefined()
  })
})
