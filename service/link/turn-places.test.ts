import { expect, it } from 'vitest'
import { createTurnPlaces } from './turn-places.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('so many begin at once, the others in later turns, no more in each, in the order in which they came', async () => {
  const places = createTurnPlaces(2)
  const began: number[] = []
  const waiting: Promise<void>[] = []
  for (let number = 0; number < 7; number++) {
    const place = places.enter()
    if (place === undefined) began.push(number)
    else waiting.push(place.then(() => void began.push(number)))
  }
  expect(began).toEqual([0, 1])
  const counts = [began.length]
  while (began.length < 7) {
    await turn()
    counts.push(began.length)
  }
  await Promise.all(waiting)
  expect(began).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(Math.max(...counts.map((count, at) => count - (counts[at - 1] ?? 0)))).toBe(2)
})

it('places are free again in the next turn', async () => {
  const places = createTurnPlaces(1)
  expect(places.enter()).toBeUndefined()
  await turn()
  await turn()
  expect(places.enter()).toBeUndefined()
  expect(places.enter()).toBeInstanceOf(Promise)
})
