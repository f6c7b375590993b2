import { expect, it } from 'vitest'
import { maxChannelName } from '../../../contract/operations/limits.ts'
import { foreignCharacter, foreignInName, isNameFailure, nameFault, nameLength } from './channel-name.ts'

it('names the first character that a name may not have, what cannot be seen by its number', () => {
  expect(foreignInName('Late_Night_深夜')).toBeNull()
  expect(foreignInName('Late Night!')).toBe('space')
  expect(foreignInName('Night!?')).toBe('“!”')
  expect(foreignInName('Night\u200b')).toBe('U+200B')
  expect(foreignInName('a\u0301')).toBe('U+0301')
  expect(foreignCharacter('深夜_', (character) => character !== '_')).toBe('“_”')
})

it('refuses an empty name, one with foreign characters and one that is too long, by code points', () => {
  expect([nameFault(''), nameFault('two words'), nameFault('深夜_Radio1')]).toEqual(['empty', 'characters', null])
  expect([nameFault('a'.repeat(maxChannelName)), nameFault('a'.repeat(maxChannelName + 1))]).toEqual([null, 'long'])
  const wide = '\u{20000}'
  expect([nameLength(wide), nameLength('深夜')]).toEqual([1, 2])
})

it('knows the refusals that are about the name', () => {
  const failure = (code: number | null) => ({ kind: 'code', code, skewSeconds: null, detail: '' }) as const
  expect([604, 605, 610, 611].map((code) => isNameFailure(failure(code)))).toEqual([true, true, true, true])
  expect([600, 403, null].map((code) => isNameFailure(failure(code)))).toEqual([false, false, false])
})
