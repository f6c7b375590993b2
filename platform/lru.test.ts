import { expect, it } from 'vitest'
import { createLru } from './lru.ts'

const filled = (gone?: (value: number) => void) => {
  const lru = createLru<number>(3, gone)
  for (const [at, key] of ['a', 'b', 'c'].entries()) lru.set(key, at)
  return lru
}

it('holds no more than its entries: the one that was read or set longest ago goes', () => {
  const gone: number[] = []
  const lru = filled((value) => gone.push(value))
  expect(lru.get('a')).toBe(0)
  lru.set('b', 10)
  lru.set('d', 3)
  expect([...lru.keys()].sort()).toEqual(['a', 'b', 'd'])
  lru.set('e', 4)
  expect([...lru.keys()].sort()).toEqual(['b', 'd', 'e'])
  expect(gone).toEqual([2, 0])
  expect(lru.get('b')).toBe(10)
})

it('makes an entry that is not there, once', () => {
  const lru = filled()
  expect(lru.of('d', () => 4)).toBe(4)
  expect(lru.of('d', () => 5)).toBe(4)
  expect(lru.get('a')).toBeUndefined()
  expect([...lru.keys()].length).toBe(3)
})

it('what was taken out makes room, and is not told as gone', () => {
  const gone: number[] = []
  const lru = filled((value) => gone.push(value))
  lru.delete('a')
  lru.delete('nobody')
  lru.set('d', 3)
  expect([...lru.keys()].sort()).toEqual(['b', 'c', 'd'])
  expect(gone).toEqual([])
})
