import { expect, it } from 'vitest'
import { foreignCharacter, foreignInName } from './channel-name.ts'

it('names the first character that a name may not have, what cannot be seen by its number', () => {
  expect(foreignInName('Late_Night_深夜')).toBeNull()
  expect(foreignInName('Late Night!')).toBe('space')
  expect(foreignInName('Night!?')).toBe('“!”')
  expect(foreignInName('Night\u200b')).toBe('U+200B')
  expect(foreignInName('a\u0301')).toBe('U+0301')
  expect(foreignCharacter('深夜_', (character) => character !== '_')).toBe('“_”')
})
