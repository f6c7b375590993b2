import { expect, it } from 'vitest'
import { isAccid } from './accid.ts'

it.each(['a', 'A_1', 'a.b@c-d', 'x'.repeat(32), ' mei ', '\tmei\n'])('takes %j for an accid', (text) => {
  expect(isAccid(text)).toBe(true)
})

it.each(['', ' ', 'x'.repeat(33), 'two words', 'mei!', '小满', 'a/b', 'a\nb'])('takes %j for none', (text) => {
  expect(isAccid(text)).toBe(false)
})
