import { expect, it } from 'vitest'
import { createGroupPlaces } from './group-places.ts'

it('gives a group as many places as are its own, whatever others have', () => {
  const places = createGroupPlaces((group) => (group === 'many' ? 3 : 1))
  const had = (group: string): number => {
    let count = 0
    while (places.enter(group)) count++
    return count
  }
  expect([had('many'), had('one'), had('many'), had('other')]).toEqual([3, 1, 0, 1])
})

it('has a place again that was given back, once however often that is said', () => {
  const places = createGroupPlaces(() => 2)
  const first = places.enter('a')!
  places.enter('a')
  expect(places.enter('a')).toBeUndefined()
  first()
  first()
  expect([places.enter('a') !== undefined, places.enter('a')]).toEqual([true, undefined])
})

it('asks for the limit of a group anew when nothing of it was left', () => {
  let most = 1
  const places = createGroupPlaces(() => most)
  const give = places.enter('a')!
  most = 2
  expect(places.enter('a')).toBeUndefined()
  give()
  places.enter('a')
  expect(places.enter('a')).toBeDefined()
})

it('gives no place to a group that may have none', () => {
  let most = 0
  const places = createGroupPlaces(() => most)
  expect(places.enter('a')).toBeUndefined()
  most = 1
  expect(places.enter('a')).toBeDefined()
})
