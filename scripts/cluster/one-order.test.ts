import { expect, it } from 'vitest'
import { withoutOrder } from '../../e2e/cluster/one-order.ts'

it('finds the order of what several people heard in parts', () => {
  expect(
    withoutOrder([
      ['a', 'b', 'd'],
      ['b', 'c', 'd'],
      ['a', 'c'],
    ]),
  ).toEqual([])
  expect(withoutOrder([])).toEqual([])
})

it('tells what two people heard in another order', () => {
  expect(
    withoutOrder([
      ['a', 'b', 'c', 'd'],
      ['c', 'b'],
    ]).toSorted(),
  ).toEqual(['b', 'c', 'd'])
})

it('tells what came twice to one', () => {
  expect(withoutOrder([['a', 'b', 'a']]).toSorted()).toEqual(['a', 'b'])
})
