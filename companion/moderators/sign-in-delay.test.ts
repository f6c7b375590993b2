import { expect, it } from 'vitest'
import { createSignInDelay } from './sign-in-delay.ts'

const made = () => {
  let now = 1_000_000
  const delay = createSignInDelay({ monotonic: () => now })
  return {
    delay,
    pass: (ms: number) => {
      now += ms
    },
  }
}

it('keeps nobody out who signs in from elsewhere, whatever is tried with their account', () => {
  const { delay } = made()
  for (let address = 1; address <= 250; address += 1)
    for (let count = 0; count < 50; count += 1) delay.failed(`203.0.113.${address}`, 'ann')
  expect([delay.left('203.0.113.1', 'ann') > 0, delay.left('192.0.2.1', 'ann')]).toEqual([true, 0])
})

it('counts IPv6 by /64', () => {
  const { delay } = made()
  for (let count = 0; count < 4; count += 1) delay.failed(`2001:db8::${count}`, 'ann')
  expect([delay.left('2001:db8::ffff', 'ann') > 0, delay.left('2001:db8:0:1::1', 'ann')]).toEqual([true, 0])
})

it('slows a /64 that tries many accounts, each from another of its addresses', () => {
  const { delay } = made()
  let tried = 0
  for (let count = 0; count < 200; count += 1) {
    const from = `2001:db8::${count.toString(16)}`
    if (delay.left(from, `guess ${count}`) > 0) continue
    delay.failed(from, `guess ${count}`)
    tried += 1
  }
  expect(tried).toBeLessThan(30)
  expect(delay.left('2001:db8:0:1::1', 'ann')).toBe(0)
})

it('slows an address that tries many accounts, also one that signs in to an own one in between', () => {
  const { delay, pass } = made()
  let tried = 0
  for (let second = 0; second < 600; second += 1) {
    for (let count = 0; count < 10; count += 1) {
      if (delay.left('192.0.2.1', 'own') === 0) {
        delay.failed('192.0.2.1', 'own')
        delay.succeeded('192.0.2.1', 'own')
      }
      if (delay.left('192.0.2.1', `guess ${tried}`) > 0) continue
      delay.failed('192.0.2.1', `guess ${tried}`)
      tried += 1
    }
    pass(1000)
  }
  expect(tried).toBeLessThan(30)
})

it('lets a neighbour behind the same address in who only mistyped', () => {
  const { delay } = made()
  for (let count = 0; count < 4; count += 1) delay.failed('192.0.2.1', 'ann')
  expect([delay.left('192.0.2.1', 'ann') > 0, delay.left('192.0.2.1', 'bob')]).toEqual([true, 0])
})

it('lets an account fail three times without a wait, then doubles it from a second to five minutes', () => {
  const { delay } = made()
  const waits: number[] = []
  for (let count = 0; count < 13; count += 1) {
    delay.failed('192.0.2.1', 'ann')
    waits.push(delay.left('192.0.2.1', 'ann'))
  }
  expect(waits).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000))
})

it('lets an address fail twelve times with whatever accounts', () => {
  const { delay } = made()
  for (let count = 0; count < 11; count += 1) delay.failed('192.0.2.1', `guess ${count}`)
  expect(delay.left('192.0.2.1', 'another')).toBe(0)
  delay.failed('192.0.2.1', 'guess 11')
  expect([delay.left('192.0.2.1', 'another'), delay.left('192.0.2.2', 'another')]).toEqual([1_000, 0])
})

it('counts tries without an account as one account', () => {
  const { delay } = made()
  for (let count = 0; count < 3; count += 1) delay.failed('192.0.2.1', undefined)
  expect([delay.left('192.0.2.1', undefined), delay.left('192.0.2.1', 'ann')]).toEqual([1_000, 0])
})

it('forgets failures a quarter of an hour after the last one', () => {
  const { delay, pass } = made()
  for (let count = 0; count < 3; count += 1) delay.failed('192.0.2.1', 'ann')
  pass(900_000)
  delay.failed('192.0.2.1', 'ann')
  expect(delay.left('192.0.2.1', 'ann')).toBe(2_000)
  pass(900_001)
  delay.failed('192.0.2.1', 'ann')
  expect(delay.left('192.0.2.1', 'ann')).toBe(0)
})

it('forgets the failures of an account with a sign-in that is right, and one of the address', () => {
  const { delay } = made()
  for (let count = 0; count < 12; count += 1) delay.failed('192.0.2.1', 'ann')
  delay.succeeded('192.0.2.1', 'ann')
  expect(delay.left('192.0.2.1', 'ann')).toBe(0)
  delay.failed('192.0.2.1', 'bob')
  expect(delay.left('192.0.2.1', 'kim')).toBeGreaterThan(0)
})

it('remembers the failures of 2,000 addresses, and drops those of the one that failed longest ago', () => {
  const { delay } = made()
  const address = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
  const fail = (from: string): void => {
    for (let count = 0; count < 3; count += 1) delay.failed(from, 'ann')
  }
  for (let index = 0; index < 2_000; index += 1) fail(address(index))
  // A look at it is a use.
  expect(delay.left(address(0), 'ann')).toBe(1_000)
  fail(address(2_000))
  expect([0, 1, 2, 2_000].map((index) => delay.left(address(index), 'ann'))).toEqual([1_000, 0, 1_000, 1_000])
})

it('has nothing to take back for a sign-in that is right without a failure before', () => {
  const { delay } = made()
  delay.succeeded('192.0.2.1', 'ann')
  for (let count = 0; count < 12; count += 1) delay.failed('192.0.2.1', `guess ${count}`)
  expect(delay.left('192.0.2.1', 'another')).toBe(1_000)
})

it('counts the /56 and the /48 of an address too, with two and four times the free failures', () => {
  const { delay } = made()
  let tried = 0
  // Each failure comes from a /64 of its own, with an account of its own.
  const tryFrom = (network: number): void => {
    const from = `2001:db8:1:${network.toString(16)}::1`
    if (delay.left(from, `account ${tried}`) > 0) return
    tried += 1
    delay.failed(from, `account ${tried}`)
  }
  for (let network = 0; network < 256; network += 1) tryFrom(network)
  expect(tried).toBe(24)
  for (let network = 256; network < 4096; network += 1) tryFrom(network)
  expect(tried).toBe(48)
  expect([delay.left('2001:db8:2::1', 'ann'), delay.left('192.0.2.1', 'ann')]).toEqual([0, 0])
})
