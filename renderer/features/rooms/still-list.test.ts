import { expect, it } from 'vitest'
import { effectScope, shallowRef } from 'vue'
import { useStillList } from './still-list.ts'

const stage = () => {
  const rows = shallowRef([
    { id: 'bo', state: 1 },
    { id: 'lee', state: 1 },
  ])
  const list = shallowRef('muted')
  const still = effectScope().run(() =>
    useStillList(
      () => rows.value,
      ({ id }) => id,
      () => list.value,
    ),
  )!
  const shown = (): unknown[] => still.rows.value.map(({ row, gone }) => [row.id, row.state, gone])
  const point = (pointerType = 'mouse'): void => still.hover({ pointerType } as PointerEvent)
  return { rows, list, still, shown, point }
}

it('keeps every row in its place while a mouse is on the list, with what it is now', () => {
  const { rows, still, shown, point } = stage()
  point()
  rows.value = [
    { id: 'ana', state: 1 },
    { id: 'lee', state: 2 },
  ]
  expect(shown()).toEqual([
    ['bo', 1, true],
    ['lee', 2, false],
  ])
  // One came and one went.
  expect(still.waiting.value).toBe(2)
  // Moving on is no new beginning.
  point()
  expect(still.waiting.value).toBe(2)
  still.goOn()
  expect(shown()).toEqual([
    ['ana', 1, false],
    ['lee', 2, false],
  ])
  expect(still.waiting.value).toBe(0)
})

it('follows under a finger, and begins anew with another list', () => {
  const { rows, list, shown, point } = stage()
  point('touch')
  rows.value = []
  expect(shown()).toEqual([])
  rows.value = [{ id: 'zoe', state: 1 }]
  point()
  rows.value = []
  expect(shown()).toEqual([['zoe', 1, true]])
  list.value = 'held'
  expect(shown()).toEqual([])
})
