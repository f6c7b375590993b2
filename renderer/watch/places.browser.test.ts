import { expect, it, onTestFinished } from 'vitest'
import { locksApart } from '../testing/locks-apart.ts'
import { createPlace, places } from './places.ts'

/** A tab, with what it was told; other tests share the locks of the browser. */
function tab() {
  const told: string[] = []
  const place = createPlace({ taken: () => told.push('taken'), free: () => told.push('free') }, locksApart('places'))
  onTestFinished(() => place.leave())
  return { told, ...place }
}
const full = async () => {
  const tabs = Array.from({ length: places }, tab)
  for (const each of tabs) expect(await each.take()).toBe(true)
  return tabs
}

it('is had by four tabs at once, and by the next one as soon as one of them leaves', async () => {
  const tabs = await full()
  const late = tab()
  expect([await late.take(), late.told]).toEqual([false, ['taken']])
  expect([await late.take(), late.told]).toEqual([false, ['taken', 'taken']])
  tabs[2]!.leave()
  await expect.poll(() => late.told.at(-1)).toBe('free')
  expect([await late.take(), late.has()]).toEqual([true, true])
  expect(await tab().take()).toBe(false)
  for (const each of tabs) expect(each.told).toEqual([])
})

it('is kept once by a tab that asks again, and goes to one of those that wait', async () => {
  const [first, ...rest] = await full()
  expect(await rest[0]!.take()).toBe(true)
  const waiting = [tab(), tab()]
  for (const each of waiting) expect(await each.take()).toBe(false)
  first!.leave()
  await expect.poll(() => waiting.flatMap(({ told }) => told).filter((word) => word === 'free')).toHaveLength(1)
  expect(waiting.filter((each) => each.has())).toHaveLength(1)
})

it('is not had by a tab that left before it was asked for, or while it waited', async () => {
  const gone = tab()
  const asked = gone.take()
  gone.leave()
  expect([await asked, gone.has()]).toEqual([false, false])
  const [first] = await full()
  const bored = tab()
  expect(await bored.take()).toBe(false)
  bored.leave()
  first!.leave()
  const next = tab()
  await expect.poll(() => next.take()).toBe(true)
  expect([bored.told, bored.has()]).toEqual([['taken'], false])
})

it('is had by each where there are no locks, or they are refused', async () => {
  const locks = { request: () => Promise.reject(new DOMException('', 'SecurityError')) } as unknown as LockManager
  for (let each = 0; each <= places; each++) {
    const place = createPlace({ taken: () => undefined, free: () => undefined }, locks)
    expect(await place.take()).toBe(true)
  }
})
