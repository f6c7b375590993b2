import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { addressGroup } from '../../platform/address-group.ts'
import { createTimeAccount, createTimeBudget } from './time-budget.ts'

describe('an account of time', () => {
  it('is whole at first, is filled as time passes, and never beyond', () => {
    let now = 0
    const account = createTimeAccount({ monotonic: () => now }, { perSecond: 100, atOnce: 200 })
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
    const budget = createTimeBudget({ monotonic: () => now }, { session: { perSecond: 1, atOnce: 1000 } })
    const account = budget.account()
    await budget.charged([account], async () => {
      now += 100
      await Promise.resolve()
      now += 200
      await nextTurn()
      // Others are refilled.
      now += 5000
      budget.spent(300)
    })
    budget.spent(900)
    expect(account.wait()).toBe(0)
    account.spend(405)
    expect(account.wait()).toBeGreaterThan(0)
  })

  it('is charged once for work within work for the same accounts', async () => {
    let now = 0
    const budget = createTimeBudget({ monotonic: () => now }, { session: { perSecond: 0.001, atOnce: 1000 } })
    const accounts = [budget.account()]
    budget.charged(accounts, () => {
      now += 300
      return budget.charged(accounts, () => (now += 300))
    })
    await nextTurn()
    accounts[0]!.spend(300)
    expect(accounts[0]!.wait()).toBe(0)
    accounts[0]!.spend(200)
    expect(accounts[0]!.wait()).toBeGreaterThan(0)
  })

  it('is that of a stranger while a request of one is served, also after it waited', async () => {
    const budget = createTimeBudget({ monotonic: () => 0 })
    const stranger = budget.ofStranger('192.0.2.1')!
    const seen = [budget.isStranger()]
    await budget.charged([stranger], async () => {
      seen.push(budget.isStranger())
      await nextTurn()
      seen.push(budget.isStranger())
    })
    budget.charged([budget.ofAddress('192.0.2.1')!], () => seen.push(budget.isStranger()))
    expect(seen).toEqual([false, true, true, false])
  })

  it.each([
    ['a session', 200, 100],
    ['an address', 600, 300],
    ['an application', 1200, 600],
    ['all strangers', 500, 500],
  ] as const)('may be of %s %i ms at once, and %i a second', (whose, atOnce, perSecond) => {
    let now = 0
    const budget = createTimeBudget({ monotonic: () => now })
    const account = {
      'a session': budget.account(),
      'an address': budget.ofAddress('192.0.2.1')!,
      'an application': budget.ofApplication(1),
      'all strangers': budget.strangers,
    }[whose]
    account.spend(atOnce - 1)
    expect(account.wait()).toBe(0)
    account.spend(1 + perSecond)
    now += 990
    expect(account.wait()).toBeGreaterThan(0)
    now += 30
    expect(account.wait()).toBe(0)
  })

  it('of an application is one account, of a session each its own', () => {
    const budget = createTimeBudget({ monotonic: () => 0 })
    expect(budget.ofApplication(1)).toBe(budget.ofApplication(1))
    expect(budget.ofApplication(2)).not.toBe(budget.ofApplication(1))
    expect(budget.account()).not.toBe(budget.account())
  })

  it('of an address is that of all its requests; this computer has none', () => {
    const budget = createTimeBudget({ monotonic: () => 0 })
    budget.ofAddress('192.0.2.1')!.spend(10_000)
    expect(budget.ofAddress('192.0.2.1')!.wait()).toBeGreaterThan(0)
    expect(budget.ofAddress('192.0.2.2')!.wait()).toBe(0)
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect(budget.ofAddress(addressGroup(address))).toBeUndefined()
  })
})

describe('strangers', () => {
  const addresses = Array.from({ length: 20 }, (_, index) => `192.0.2.${index + 1}`)
  const honest = '198.51.100.1'

  it('of many addresses take half of the loop together and a small share each, while one who asks for little never waits', () => {
    let now = 0
    const budget = createTimeBudget({ monotonic: () => now })
    const taken = { attackers: 0, honest: 0 }
    const waits: number[] = []
    for (let asked = 0; now < 60_000; now += 1) {
      // Each admitted request takes 20 ms, 3 per address.
      for (const address of [...addresses, ...addresses, ...addresses]) {
        const account = budget.ofStranger(address)!
        if (account.wait() > 0) continue
        now += 20
        taken.attackers += 20
        account.spend(20)
      }
      for (; asked * 500 <= now; asked++) {
        const account = budget.ofStranger(honest)!
        waits.push(account.wait())
        account.spend(4)
        taken.honest += 4
      }
    }
    expect(waits.length).toBeGreaterThan(100)
    expect(Math.max(...waits)).toBe(0)
    expect(taken.honest).toBeGreaterThan(400)
    // 500 ms a second and 10 per address, plus the burst and one request each beyond it.
    expect(taken.attackers).toBeLessThan(60 * (500 + 20 * 10) + 500 + 20 * (80 + 20) + 20)
    expect(taken.attackers).toBeGreaterThan(60 * 500)
  })

  it('take nothing of an account or of a signed call at the same address but what is of the address', () => {
    const budget = createTimeBudget({ monotonic: () => 0 })
    for (const address of addresses) budget.ofStranger(address)!.spend(400)
    expect(addresses.map((address) => budget.ofStranger(address)!.wait() > 0)).toEqual(addresses.map(() => true))
    expect(addresses.map((address) => budget.ofAddress(address)!.wait())).toEqual(addresses.map(() => 0))
    expect(budget.ofApplication(1).wait()).toBe(0)
    expect(budget.ofStranger(honest)!.wait()).toBe(0)
    budget.ofStranger(addresses[0]!)!.spend(300)
    expect(budget.ofAddress(addresses[0]!)!.wait()).toBeGreaterThan(0)
    expect(budget.ofStranger('127.0.0.1')).toBeUndefined()
  })

  it('beyond what all may take have 80 ms at once of their own, and 10 ms a second', () => {
    let now = 0
    const budget = createTimeBudget({ monotonic: () => now })
    const stranger = budget.ofStranger(honest)!
    budget.strangers.spend(1_000_000)
    stranger.spend(79)
    expect(stranger.wait()).toBe(0)
    stranger.spend(1)
    // One ms of the share comes back in a tenth of a second.
    expect(stranger.wait()).toBe(100)
    now += 99
    stranger.spend(1)
    expect(stranger.wait()).toBeGreaterThan(0)
    now += 1000
    expect(stranger.wait()).toBe(0)
  })

  it('owe nothing to their own share for what they took beyond it, which so comes back at once', () => {
    let now = 0
    const budget = createTimeBudget({ monotonic: () => now })
    const stranger = budget.ofStranger(honest)!
    budget.strangers.spend(1_000_000)
    for (const ms of [80, 200, 200]) stranger.spend(ms)
    expect(stranger.wait()).toBe(100)
    now += 101
    expect(stranger.wait()).toBe(0)
  })

  it('wait for the time of their own address, however much all have left', () => {
    const budget = createTimeBudget({ monotonic: () => 0 })
    budget.ofAddress(honest)!.spend(600)
    expect([budget.ofStranger(honest)!.wait() > 0, budget.ofStranger(addresses[0]!)!.wait()]).toEqual([true, 0])
  })
})

it('an address is forgotten after 10,000 others were seen, and its time is whole again', () => {
  const budget = createTimeBudget({ monotonic: () => 0 })
  const at = (number: number) => budget.ofAddress(`10.0.${number >> 8}.${number & 255}`)!
  for (let number = 0; number < 10_000; number++) at(number).spend(10_000)
  expect(at(0).wait()).toBeGreaterThan(0)
  at(10_000)
  expect([at(0).wait() > 0, at(1).wait()]).toEqual([true, 0])
})

it('what is charged from elsewhere goes to every account of the request, and outside of requests to none', () => {
  const budget = createTimeBudget({ monotonic: () => 0 })
  const [one, other, third] = [budget.account(), budget.account(), budget.account()]
  budget.charged([one, other], () => budget.spent(200))
  budget.spent(10_000)
  expect([one.wait() > 0, other.wait() > 0, third.wait()]).toEqual([true, true, 0])
  expect(budget.strangers.wait()).toBe(0)
})

it('work within work for other accounts is charged to both', async () => {
  let now = 0
  const budget = createTimeBudget({ monotonic: () => now })
  const [one, other] = [[budget.account()], [budget.account()]] as const
  budget.charged(one, () => {
    now += 150
    budget.charged(other, () => (now += 100))
  })
  await nextTurn()
  expect(one[0].wait()).toBeGreaterThan(0)
  expect(other[0].wait()).toBe(0)
})
