import { expect, it } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { manualClock } from '../platform/testing/manual-clock.ts'
import { followingClock, serviceClock } from './service-clock.ts'

/** A clock of a computer that is `ahead` ms ahead of a database, an answer of which takes `takes` ms. */
function setUp(ahead: number, takes = 0) {
  const own = manualClock()
  const said: string[] = []
  const log = {
    info: (_: object, line: string) => void said.push(line),
    warn: ({ seconds }: { seconds?: number }, line: string) => void said.push(`${seconds}: ${line}`),
  }
  const state = { ahead, takes, isAway: false, asked: 0 }
  const read = async (): Promise<number> => {
    state.asked++
    if (state.isAway) throw new Error('away')
    const time = own.now() - state.ahead
    // Not within an advance.
    await Promise.resolve()
    own.advance(state.takes)
    return time
  }
  const clock = followingClock(own)
  const right = (): number => own.now() - state.ahead
  /** Lets 5 s pass, after which the time is asked for. */
  const wait = async (): Promise<void> => {
    const { asked } = state
    own.advance(5000)
    await expect.poll(() => state.asked).toBeGreaterThan(asked)
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { own, clock, state, right, wait, said, follow: () => clock.follow(read, log) }
}

it('goes by the database once it follows it, and by its computer until then', async () => {
  const { own, clock, right, follow, said } = setUp(60_000)
  expect(clock.now()).toBe(own.now())
  await follow()
  expect(clock.now()).toBe(right())
  own.advance(1234)
  expect(clock.now()).toBe(right())
  expect(clock.monotonic()).toBe(own.monotonic())
  expect(said).toEqual(['60: the clock of this computer differs from that of the database, which is gone by'])
})

it('goes on where the clock of its computer is set, and says so, and when that is over', async () => {
  const { own, clock, state, right, wait, follow, said } = setUp(0)
  await follow()
  own.set(-60_000)
  state.ahead = -60_000
  expect(clock.now()).toBe(right())
  await wait()
  expect(clock.now()).toBe(right())
  own.set(60_000)
  state.ahead = 0
  await wait()
  await wait()
  expect(clock.now()).toBe(right())
  expect(said).toEqual([
    '-60: the clock of this computer differs from that of the database, which is gone by',
    'the clock of this computer is that of the database again',
  ])
})

it('is not moved by answers that take long, and goes on while there are none', async () => {
  const { clock, state, right, wait, follow } = setUp(7000)
  await follow()
  state.takes = 3000
  await wait()
  expect(clock.now()).toBe(right())
  state.takes = 0
  state.isAway = true
  await wait()
  await wait()
  expect(clock.now()).toBe(right())
})

it('follows a database whose time is another one, and does not go back by a little', async () => {
  const { clock, state, right, wait, follow } = setUp(0)
  await follow()
  const before = clock.now()
  // As after another server took its place; answers tell the ms, not what is beneath.
  state.ahead = 5400
  await wait()
  expect(clock.now()).toBeGreaterThanOrEqual(before)
  state.ahead = 90_000
  await wait()
  expect(Math.abs(clock.now() - right())).toBeLessThanOrEqual(1)
  state.ahead = -90_000
  await wait()
  expect(Math.abs(clock.now() - right())).toBeLessThanOrEqual(1)
})

it('asks no more once it is ended', async () => {
  const { own, state, follow } = setUp(0)
  const end = await follow()
  const { asked } = state
  await end()
  own.advance(20_000)
  expect(state.asked).toBe(asked)
})

it('is the clock of its computer where a service is alone', () => {
  expect(serviceClock({})).toBe(systemClock)
  expect(serviceClock({ cluster: undefined }).follow).toBeUndefined()
  expect(serviceClock({ cluster: {} }).follow).toBeDefined()
})
