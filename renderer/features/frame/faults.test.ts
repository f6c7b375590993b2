import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import { useFaults } from './faults.ts'

beforeEach(() => {
  setActivePinia(createPinia())
})

it('counts the faults of the page, up to 999', () => {
  const faults = useFaults()
  expect(faults.count).toBe(0)
  for (let time = 0; time < 999; time++) faults.heard('thrown')
  expect(faults.count).toBe(999)
  faults.heard('thrown')
  expect(faults.count).toBe(999)
})

it('says that a part is missing once one was not loaded, whatever is thrown after it', () => {
  const faults = useFaults()
  faults.heard('thrown')
  expect(faults.isPartMissing).toBe(false)
  faults.heard('notLoaded')
  faults.heard('thrown')
  expect([faults.count, faults.isPartMissing]).toEqual([3, true])
})

it('remembers the last screen that could not be opened', () => {
  const faults = useFaults()
  expect(faults.missed).toBeNull()
  faults.miss('/room')
  faults.miss('/console')
  expect(faults.missed).toBe('/console')
})

it('forgets count, missing part and missed screen when they are put away', () => {
  const faults = useFaults()
  faults.heard('notLoaded')
  faults.miss('/room')
  faults.putAway()
  expect([faults.count, faults.isPartMissing, faults.missed]).toEqual([0, false, null])
})
