import { expect, it } from 'vitest'
import { enteredLength, lengthOf, restOf } from './spans.ts'

const words = (parts: ReturnType<typeof lengthOf>): string => parts.map(({ n, unit }) => `${n} ${unit}`).join(' ')

it.each([
  [1, '1 seconds'],
  [59, '59 seconds'],
  [60, '1 minutes'],
  [90, '90 seconds'],
  [5400, '90 minutes'],
  [3600, '1 hours'],
  [86_400, '24 hours'],
  [90_000, '25 hours'],
  [172_800, '2 days'],
])('has an entered length of %i s as one whole number: %s', (seconds, said) => {
  expect(words([enteredLength(seconds)])).toBe(said)
})

it.each([
  [0, '0 seconds'],
  [-5, '0 seconds'],
  [0.2, '1 seconds'],
  [60, '1 minutes'],
  [61, '1 minutes 1 seconds'],
  [5400, '1 hours 30 minutes'],
  [86_400, '24 hours'],
  [172_799, '47 hours 59 minutes 59 seconds'],
  [172_800, '2 days'],
  [266_645, '3 days 2 hours 4 minutes 5 seconds'],
])('has a length of %d s in every unit that it takes: %s', (seconds, said) => {
  expect(words(lengthOf(seconds))).toBe(said)
})

it.each([
  [80_000, '22 hours 13 minutes'],
  [3605, '1 hours'],
  [61, '1 minutes 1 seconds'],
  [5, '5 seconds'],
  [0, '0 seconds'],
  [172_860, '2 days'],
  [266_645, '3 days 2 hours'],
])('has of a rest of %i s the largest unit and only the next smaller one: %s', (seconds, said) => {
  expect(words(restOf(seconds))).toBe(said)
})
