import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createDiskWatch } from './disk-watch.ts'

it('looks at the folders only since a disk refused, and until all take writes again', () => {
  const clock = manualClock()
  const broken = new Set<string>()
  const told: boolean[] = []
  const tried: string[] = []
  const watch = createDiskWatch({
    clock,
    folders: () => ['app', 'service'],
    trial: (folder) => {
      tried.push(folder)
      return broken.has(folder) ? new Error('EROFS') : undefined
    },
    told: (refuses) => told.push(refuses),
  })
  clock.advance(60_000)
  expect(tried).toEqual([])
  broken.add('service')
  watch.refused()
  watch.refused()
  clock.advance(60_000)
  expect([told, clock.waiting()]).toEqual([[true], 1])
  broken.clear()
  clock.advance(2_000)
  expect([told, clock.waiting()]).toEqual([[true, false], 0])
  const before = tried.length
  clock.advance(60_000)
  expect(tried).toHaveLength(before)
  watch.refused()
  watch.close()
  expect([told, clock.waiting()]).toEqual([[true, false, true], 0])
})

it('tries the folders 2 s after a disk refused, and every 2 s after that', () => {
  const clock = manualClock()
  let tries = 0
  const watch = createDiskWatch({
    clock,
    folders: () => ['app'],
    trial: () => {
      tries++
      return new Error('EROFS')
    },
    told: () => undefined,
  })
  watch.refused()
  clock.advance(1_999)
  expect(tries).toBe(0)
  clock.advance(1)
  expect(tries).toBe(1)
  clock.advance(1_999)
  expect(tries).toBe(1)
  clock.advance(1)
  expect(tries).toBe(2)
  watch.close()
})
