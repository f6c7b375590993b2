import { expect, it } from 'vitest'
import { reasonInWords } from './foreign-words.ts'

it.each([
  [409, 'CurTime is expired', true, 'clock'],
  [409, 'the checksum is wrong', true, 'signature'],
  [409, 'authentication failed', true, 'signature'],
  [409, 'no such channel', true, 'other'],
  [414, 'checksum', true, 'other'],
  [414, 'bad clock', false, 'clock'],
  [414, 'checksum of CurTime', false, 'clock'],
  [414, 'app key', false, 'signature'],
  [414, 'already register, or unknown', false, 'present'],
  [414, 'room does not exist', false, 'missing'],
  [414, 'unknown account', false, 'missing'],
  [414, 'not found', false, 'missing'],
  [414, 'something else', false, 'other'],
  [409, 'checksum', false, 'other'],
  [500, 'no such room', false, 'other'],
])('%i "%s" (live: %s) is %s', (code, words, isLive, reason) => {
  expect(reasonInWords(code, words, isLive)).toBe(reason)
})
