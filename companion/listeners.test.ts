import { expect, it } from 'vitest'
import { createListeners } from './listeners.ts'

it('tells all in the order in which they were added, and none that was removed', () => {
  const listeners = createListeners<[string, number]>()
  const told: unknown[] = []
  listeners.on((...args) => told.push(['one', ...args]))
  const off = listeners.on((...args) => told.push(['two', ...args]))
  listeners.on((...args) => told.push(['three', ...args]))
  listeners.tell('a', 1)
  off()
  off()
  listeners.tell('b', 2)
  expect(told).toEqual([
    ['one', 'a', 1],
    ['two', 'a', 1],
    ['three', 'a', 1],
    ['one', 'b', 2],
    ['three', 'b', 2],
  ])
})
