import { expect, it } from 'vitest'
import { createLoginThrottle, type LogInAttempt } from './login-throttle.ts'

function made() {
  let now = 1000
  const throttle = createLoginThrottle({ monotonic: () => now }, 128)
  return { throttle, pass: (ms: number) => (now += ms) }
}
const isAttempt = (attempt: LogInAttempt | undefined): attempt is LogInAttempt => attempt !== undefined

it('lets log-ins of one account that are tried at once be looked at one after the other, and few of them at all', () => {
  const { throttle } = made()
  const attempts = Array.from({ length: 200 }, () => throttle.attempt('192.0.2.1', 'ann')).filter(isAttempt)
  expect(attempts.map(({ wait }) => wait)).toEqual([0, 0, 0, 0, 0, 100, 300, 700, 1500, 3100])
})

it('lets through few tries a minute of who keeps trying, whatever comes back', () => {
  const { throttle, pass } = made()
  let looked = 0
  for (let second = 0; second < 600; second += 1) {
    for (const attempt of Array.from({ length: 128 }, () => throttle.attempt('192.0.2.1', 'ann')).filter(isAttempt)) {
      looked += 1
      attempt.end('failed')
    }
    pass(1000)
  }
  expect(looked).toBeLessThan(600 / 4 + 20)
})

it('holds nobody up for what another address does with the account', () => {
  const { throttle } = made()
  for (let address = 0; address < 500; address += 1)
    for (let count = 0; count < 20; count += 1) throttle.attempt(`198.51.100.${address}`, 'ann')?.end('failed')
  expect(throttle.attempt('192.0.2.1', 'ann')?.wait).toBe(0)
})

it('slows an address that tries many accounts, but not an account that has logged in there', () => {
  const { throttle } = made()
  throttle.attempt('192.0.2.1', 'ann')!.end('succeeded')
  for (let name = 0; name < 40; name += 1) throttle.attempt('192.0.2.1', `guess${name}`)?.end('failed')
  expect(throttle.attempt('192.0.2.1', 'ann')?.wait).toBe(0)
  expect(throttle.attempt('192.0.2.1', 'bob')?.wait ?? Infinity).toBeGreaterThan(1000)
  expect(throttle.attempt('192.0.2.2', 'bob')?.wait).toBe(0)
})

it('does not slow many who log in at once behind one address', () => {
  const { throttle } = made()
  const attempts = Array.from({ length: 5000 }, (_, name) => throttle.attempt('192.0.2.1', `guest${name}`))
  expect(attempts.every((attempt) => attempt?.wait === 0)).toBe(true)
})

it('forgets failures after a minute, and at a success', () => {
  const { throttle, pass } = made()
  for (let count = 0; count < 6; count += 1) throttle.attempt('192.0.2.1', 'ann')?.end('failed')
  pass(60_000)
  expect(throttle.attempt('192.0.2.1', 'ann')?.wait).toBe(0)
  for (let count = 0; count < 4; count += 1) throttle.attempt('192.0.2.1', 'bob')?.end('failed')
  throttle.attempt('192.0.2.1', 'bob')!.end('succeeded')
  for (let count = 0; count < 5; count += 1) expect(throttle.attempt('192.0.2.1', 'bob')?.wait).toBe(0)
})

it('lets 128 connections of an address wait for their log-in, each giving its place back once', () => {
  const { throttle } = made()
  const places = Array.from({ length: 128 }, () => throttle.admit('192.0.2.1'))
  expect(places.every((place) => place !== undefined)).toBe(true)
  expect([throttle.admit('192.0.2.1'), typeof throttle.admit('192.0.2.2')]).toEqual([undefined, 'function'])
  places[0]!()
  places[0]!()
  expect([typeof throttle.admit('192.0.2.1'), throttle.admit('192.0.2.1')]).toEqual(['function', undefined])
})

it('waits 100 ms for the sixth failure of an account from an address, and twice as long for each further one', () => {
  const { throttle, pass } = made()
  const waits: number[] = []
  for (let count = 0; count < 10; count++) {
    const attempt = throttle.attempt('192.0.2.1', 'ann')!
    waits.push(attempt.wait)
    pass(attempt.wait)
    attempt.end('failed')
  }
  expect(waits).toEqual([0, 0, 0, 0, 0, 100, 200, 400, 800, 1600])
})

it('waits 4 s at most, and refuses who would wait longer', () => {
  const { throttle, pass } = made()
  for (let count = 0; count < 30; count++) {
    const attempt = throttle.attempt('192.0.2.1', 'ann')!
    expect(attempt.wait).toBeLessThanOrEqual(4000)
    pass(attempt.wait)
    attempt.end('failed')
  }
  expect(throttle.attempt('192.0.2.1', 'ann')!.wait).toBe(4000)
  expect(throttle.attempt('192.0.2.1', 'ann')).toBeUndefined()
})

it('counts a log-in that was not looked at as no failure, and one that ended for nothing more', () => {
  const { throttle } = made()
  for (let count = 0; count < 10; count++) throttle.attempt('192.0.2.1', 'ann')!.end('gone')
  const attempts = Array.from({ length: 5 }, () => throttle.attempt('192.0.2.1', 'ann')!)
  expect(attempts.map(({ wait }) => wait)).toEqual([0, 0, 0, 0, 0])
  attempts[0]!.end('gone')
  attempts[0]!.end('failed')
  expect(throttle.attempt('192.0.2.1', 'ann')!.wait).toBe(0)
  expect(throttle.attempt('192.0.2.1', 'ann')!.wait).toBe(100)
})

it('remembers failures for a minute less a millisecond', () => {
  const { throttle, pass } = made()
  for (let count = 0; count < 5; count++) throttle.attempt('192.0.2.1', 'ann')!.end('failed')
  pass(59_999)
  const late = throttle.attempt('192.0.2.1', 'ann')!
  expect(late.wait).toBe(100)
  late.end('gone')
  pass(1)
  expect(throttle.attempt('192.0.2.1', 'ann')!.wait).toBe(0)
})

it('slows an address from its twenty-first failure on, whatever accounts it tries', () => {
  const { throttle, pass } = made()
  for (let name = 0; name < 20; name++) {
    const attempt = throttle.attempt('192.0.2.1', `guess${name}`)!
    expect(attempt.wait).toBe(0)
    attempt.end('failed')
  }
  const slowed = throttle.attempt('192.0.2.1', 'bob')!
  expect(slowed.wait).toBe(100)
  // The next one is behind it.
  expect(throttle.attempt('192.0.2.1', 'cem')!.wait).toBe(200)
  pass(100)
  slowed.end('failed')
  expect(throttle.attempt('192.0.2.1', 'dan')!.wait).toBeGreaterThan(200)
})

it('counts the /56 and the /48 of an address too, with two and four times the failures', () => {
  const { throttle } = made()
  // Each from a /64 of its own, with an account of its own.
  const freeOf = (from: number, to: number): number => {
    let free = 0
    for (let network = from; network < to; network++) {
      const attempt = throttle.attempt(`2001:db8:1:${network.toString(16)}::/64`, `guess${network}`)
      if (attempt?.wait === 0) free += 1
      attempt?.end('failed')
      if (attempt?.wait !== 0) break
    }
    return free
  }
  expect(freeOf(0, 0x100)).toBe(40)
  expect(freeOf(0x100, 0x200)).toBe(39)
  expect(throttle.attempt('2001:db8:2:0::/64', 'ann')!.wait).toBe(0)
})
