import { expect, it } from 'vitest'
import { appOrigin, isOurs } from './origin.ts'

it.each([
  ['app://sidestage/', true],
  ['app://sidestage/index.html?x#/room', true],
  [appOrigin, true],
  ['app://sidestage.evil/', false],
  ['app://evil/', false],
  ['app://sidestage:1/', false],
  ['app://user@sidestage/', false],
  ['app://:pass@sidestage/', false],
  ['https://sidestage/', false],
  ['apps://sidestage/', false],
  ['about:blank', false],
  ['', false],
])('takes %s for our own page: %s', (address, ours) => {
  expect(isOurs(address)).toBe(ours)
})
