import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { writeTogether } from './write-together.ts'

it('ends with its body when nothing was started', async () => {
  await expect(writeTogether(() => Promise.resolve())).resolves.toBeUndefined()
})

it('waits for all writes, and then fails with the first failure', async () => {
  const slow = Promise.withResolvers<void>()
  let isEnded = false
  const together = writeTogether(async (start) => {
    start(slow.promise)
    start(Promise.reject(new Error('first')))
    start(Promise.resolve())
    await setImmediate()
  }).finally(() => (isEnded = true))
  const failure = expect(together).rejects.toThrow('first')
  await setImmediate()
  await setImmediate()
  expect(isEnded).toBe(false)
  slow.reject(new Error('second'))
  await failure
})

it('waits for the writes when its body fails, and fails with that', async () => {
  const slow = Promise.withResolvers<void>()
  let isEnded = false
  const together = writeTogether((start) => {
    start(slow.promise)
    return Promise.reject(new Error('body'))
  }).finally(() => (isEnded = true))
  const failure = expect(together).rejects.toThrow('body')
  await setImmediate()
  expect(isEnded).toBe(false)
  slow.resolve()
  await failure
})

it('takes a failure that comes while its body awaits something else', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const together = writeTogether(async (start) => {
      start(Promise.reject(new Error('no')))
      await setImmediate()
      await setImmediate()
    })
    await expect(together).rejects.toThrow('no')
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
