import { expect, it } from 'vitest'
import { createRoomTries } from './room-tries.ts'

const fails = (): Promise<unknown> => Promise.reject(new Error('gone'))

it('a request has succeeded unless it failed or answered false', async () => {
  const { trying } = createRoomTries()
  for (const answer of [undefined, null, true, 0, ''])
    expect(await trying('a', () => Promise.resolve(answer))).toBe(true)
  expect(await trying('a', () => Promise.resolve(false))).toBe(false)
  expect(await trying('a', fails)).toBe(false)
})

it('a failure stays until the same request succeeds, and the last one is told', async () => {
  const { failure, trying } = createRoomTries()
  await trying('people', fails)
  expect(failure.value?.detail).toBe('Error: gone')
  await trying('queue', () => Promise.resolve())
  expect(failure.value).not.toBeNull()
  await trying('queue', () => Promise.reject(new Error('also gone')))
  expect(failure.value?.detail).toBe('Error: also gone')
  await trying('people', () => Promise.resolve())
  expect(failure.value).not.toBeNull()
  await trying('queue', () => Promise.resolve())
  expect(failure.value).toBeNull()
})
