import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { createCatchUp } from './catch-up.ts'

/** A wait whose clock passes by `step` each time that it is asked, and the windows that it took. */
function waiting(step: number, mediaTimes: (asked: number) => ReadonlyMap<object, number>) {
  let asked = 0
  let passed = 0
  const time = { now: 1_000_000 }
  const clock = { ...systemClock, now: () => time.now, monotonic: () => (passed += step) }
  const catchUp = createCatchUp({ clock, mediaTimes: () => mediaTimes(asked++) })
  // Media times are asked for at the begin and the end of a window.
  return { time, catchUp, windows: () => asked / 2 }
}
const push = {}
const other = {}

test('a gap of more than 5 s between two notes is a sleep, whose backlog is read after two even windows', async () => {
  const wait = waiting(1, () => new Map([[push, 7]]))
  wait.time.now += 5000
  await wait.catchUp.caughtUp()
  expect(wait.windows()).toBe(0)
  wait.time.now += 3000
  wait.catchUp.note()
  wait.time.now += 3000
  await wait.catchUp.caughtUp()
  expect(wait.windows()).toBe(0)
  wait.time.now += 5001
  wait.catchUp.note()
  wait.time.now += 100
  await wait.catchUp.caughtUp()
  expect(wait.windows()).toBe(2)
})

test('a push that runs at more than twice the clock has a backlog, one at twice the clock has none', async () => {
  // A window has 10 ms of this clock, so 20 ms of media are even.
  const even = waiting(10, (asked) => new Map([[push, asked * 20]]))
  even.time.now += 5001
  await even.catchUp.caughtUp()
  expect(even.windows()).toBe(2)
  const ahead = waiting(10, (asked) => new Map([[push, [0, 20, 0, 21, 0, 20, 0, 20][asked]!]]))
  ahead.time.now += 5001
  await ahead.catchUp.caughtUp()
  // The second window is ahead, so that two even ones must follow it.
  expect(ahead.windows()).toBe(4)
})

test('media times are compared across 2^32; pushes that come, go or run backward have no backlog', async () => {
  const times = [
    new Map([[push, 0xffff_fff0]]),
    new Map([[push, 0x20]]),
    new Map([[push, 0x20]]),
    new Map([[other, 900_000]]),
    new Map([[push, 500]]),
    new Map([[push, 0]]),
  ]
  const wait = waiting(10, (asked) => times[asked]!)
  wait.time.now += 5001
  await wait.catchUp.caughtUp()
  // Only the first window has a push that is ahead: by 48 ms.
  expect(wait.windows()).toBe(3)
})

test('a push that always runs ahead is waited for until 3 s of the clock have passed', async () => {
  const always = (step: number) => {
    const wait = waiting(step, (asked) => new Map([[push, asked * 1_000_000]]))
    wait.time.now += 5001
    return wait
  }
  // Asked once for the end of the wait, then three times a window.
  const [two, one] = [always(749), always(750)]
  await Promise.all([two.catchUp.caughtUp(), one.catchUp.caughtUp()])
  expect([two.windows(), one.windows()]).toEqual([2, 1])
})
