import { expect, it } from 'vitest'
import { fetchedAgain } from './fetched-again.ts'

function made(...faults: readonly string[]) {
  const waits: number[] = []
  let calls = 0
  const load = fetchedAgain(
    () => {
      const message = faults[calls++]
      return message === undefined ? Promise.resolve('part') : Promise.reject(new TypeError(message))
    },
    (ms) => {
      waits.push(ms)
      return Promise.resolve()
    },
  )
  return { load, waits, calls: () => calls }
}
const missing = 'Failed to fetch dynamically imported module: http://127.0.0.1/assets/room-view.js'

it('fetches a part again that did not come', async () => {
  const one = made(missing, missing)
  expect(await one.load()).toBe('part')
  expect(one.waits).toEqual([300, 1000])
})

it('rejects when it does not come for some seconds', async () => {
  const one = made(missing, missing, missing, missing, missing)
  await expect(one.load()).rejects.toThrow('dynamically imported')
  expect([one.calls(), one.waits]).toEqual([4, [300, 1000, 3000]])
})

it.each(['Unable to preload CSS for /assets/room-view.css', 'x is not a function'])(
  'does not try again after: %s',
  async (message) => {
    const one = made(message)
    await expect(one.load()).rejects.toThrow(message)
    expect(one.calls()).toBe(1)
  },
)
