import { expect, it } from 'vitest'
import { roleOf } from './role-words.ts'

it('an account that is no fixed member is a viewer, and only a guest of the viewers’ page is a guest', () => {
  expect([
    roleOf(3, 'lee'),
    roleOf(3, 'guest-0a1b2c'),
    roleOf(0, 'lee'),
    roleOf(2, 'guest-0a1b2c'),
    roleOf(-1, 'lee'),
    roleOf(1, 'ana'),
  ]).toEqual(['viewer', 'guest', 'ordinary', 'admin', 'limited', 'creator'])
})
