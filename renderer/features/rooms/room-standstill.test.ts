import { beforeEach, expect, it } from 'vitest'
import { createRoomStandstill } from './room-standstill.ts'

let newest: number
let still: ReturnType<typeof createRoomStandstill>
beforeEach(() => {
  newest = 10
  still = createRoomStandstill(() => newest)
})

it('follows the newest line while nothing holds the log', () => {
  expect([still.at.value, still.follows.value]).toEqual([null, true])
})

it.each(['frozen', 'marked', 'hovered'] as const)('stands where it was when it was %s, until that ends', (reason) => {
  still[reason].value = true
  newest = 20
  expect([still.at.value, still.follows.value, still[reason].value]).toEqual([10, false, true])
  still[reason].value = false
  expect([still.at.value, still.follows.value, still[reason].value]).toEqual([null, true, false])
  still[reason].value = true
  expect(still.at.value).toBe(20)
})

it('stands at the place of the first reason as long as one is left', () => {
  still.hovered.value = true
  newest = 20
  still.marked.value = true
  newest = 30
  expect(still.at.value).toBe(10)
  still.hovered.value = false
  expect([still.at.value, still.follows.value]).toEqual([10, false])
  still.hovered.value = true
  still.marked.value = false
  expect([still.at.value, still.frozen.value]).toEqual([10, false])
})

it('stays where it is when the same reason is given again', () => {
  still.frozen.value = true
  newest = 20
  still.frozen.value = true
  expect(still.at.value).toBe(10)
})

it('goes on when it is unfrozen, whatever else holds it, and not when another reason ends', () => {
  still.frozen.value = true
  still.marked.value = true
  still.hovered.value = true
  still.marked.value = false
  still.hovered.value = false
  expect(still.follows.value).toBe(false)
  still.marked.value = true
  still.hovered.value = true
  still.frozen.value = false
  expect([still.marked.value, still.hovered.value, still.follows.value]).toEqual([false, false, true])
})

it('goes on at once where that is asked for', () => {
  still.frozen.value = true
  still.marked.value = true
  still.goOn()
  expect([still.frozen.value, still.marked.value, still.at.value]).toEqual([false, false, null])
})
