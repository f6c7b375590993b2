import { expect, it } from 'vitest'
import { decibels } from './decibels.ts'

it('writes a level with its sign and one digit, and digital silence as such', () => {
  expect([-17.24, 0.26, -0.04, -Infinity].map(decibels)).toEqual(['−17.2', '0.3', '0.0', '−∞'])
})
