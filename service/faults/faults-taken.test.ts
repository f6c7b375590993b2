import { expect, it } from 'vitest'
import { createFaults } from './faults.ts'

it('an operation fails as often as was asked for, of that application and path, and then no more', () => {
  const faults = createFaults()
  faults.inject(1, '/a', { code: 501, times: 2 })
  expect([faults.take(2, '/a'), faults.take(1, '/b')]).toEqual([undefined, undefined])
  expect([faults.take(1, '/a'), faults.take(1, '/a'), faults.take(1, '/a')]).toEqual([501, 501, undefined])
})

it('what is asked for later takes the place of what was asked for before, and 0 calls take it back', () => {
  const faults = createFaults()
  faults.inject(1, '/a', { code: 501, times: 5 })
  faults.inject(1, '/a', { code: 602, times: 1 })
  expect([faults.take(1, '/a'), faults.take(1, '/a')]).toEqual([602, undefined])
  faults.inject(1, '/a', { code: 501, times: 5 })
  faults.inject(1, '/a', { code: 501, times: 0 })
  expect(faults.take(1, '/a')).toBeUndefined()
})
