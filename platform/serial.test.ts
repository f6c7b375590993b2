import { expect, it } from 'vitest'
import { createKeyedSerial, createSerial } from './serial.ts'

it('work is done one after the other, also behind some that failed or threw', async () => {
  const inTurn = createSerial()
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const one = inTurn(async () => {
    seen.push('one begins')
    await first.promise
    seen.push('one ends')
    throw new Error('one')
  })
  const two = inTurn(() => {
    seen.push('two')
    throw new Error('two')
  })
  const three = inTurn(() => {
    seen.push('three')
    return 3
  })
  await Promise.resolve()
  expect(seen).toEqual(['one begins'])
  first.resolve()
  const idle = inTurn.idle()
  await expect(one).rejects.toThrow('one')
  await expect(two).rejects.toThrow('two')
  expect(await three).toBe(3)
  await idle
  expect(seen).toEqual(['one begins', 'one ends', 'two', 'three'])
})

it('work of one key is done one after the other, also behind some that failed, and beside that of others', async () => {
  const inTurn = createKeyedSerial<number>()
  const seen: string[] = []
  const held = Promise.withResolvers<void>()
  const one = inTurn(1, async () => {
    await held.promise
    seen.push('one of 1')
    throw new Error('one')
  })
  const two = inTurn(1, () => void seen.push('two of 1'))
  await inTurn(2, () => void seen.push('one of 2'))
  expect(seen).toEqual(['one of 2'])
  let isIdle = false
  const idle = inTurn.idle().then(() => (isIdle = true))
  await inTurn(3, () => undefined)
  expect(isIdle).toBe(false)
  held.resolve()
  await expect(one).rejects.toThrow('one')
  await Promise.all([two, idle])
  expect(seen).toEqual(['one of 2', 'one of 1', 'two of 1'])
  // After all earlier work has ended, and added while the last of its key ends.
  await inTurn(1, () => void seen.push('three of 1')).then(() => inTurn(1, () => void seen.push('four of 1')))
  expect(seen.slice(3)).toEqual(['three of 1', 'four of 1'])
})
