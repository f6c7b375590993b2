import { expect, it } from 'vitest'
import { Failure } from '../failure.ts'
import { digest, isSame } from './digest.ts'
import { whyLeft } from './why-left.ts'

it.each([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'readOnly'],
  ['EIO', 'broken'],
])('says of %s that the disk is %s', (code, reason) => {
  expect(whyLeft(Object.assign(new Error('x'), { code }))).toMatchObject({ code: reason })
})

it('says what the service answered, by its code and words', () => {
  expect(whyLeft(new Failure('code', 'not allowed', { code: 403 }))).toEqual({
    code: 'answered',
    params: { code: '403', answer: 'not allowed' },
  })
})

it.each(['down', 'late', 'unreachable', 'refused', 'away'] as const)(
  'says of a service that is %s that it is away',
  (kind) => {
    expect(whyLeft(new Failure(kind, 'why'))).toEqual({ code: 'away', params: { system: 'why' } })
  },
)

it('says of anything else that it failed, with its words', () => {
  expect(whyLeft(new Failure('keychain', 'why'))).toEqual({ code: 'failed', params: { system: 'why' } })
  expect(whyLeft(new Error('why'))).toEqual({ code: 'failed', params: { system: 'why' } })
  expect(whyLeft('text')).toEqual({ code: 'failed', params: { system: 'text' } })
})

it('keeps of a code or session its SHA-256, and compares texts of any lengths', () => {
  expect(digest('abc')).toBe('ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=')
  expect([isSame('abc', 'abc'), isSame('abc', 'abd'), isSame('abc', 'abcd'), isSame('', '')]).toEqual([
    true,
    false,
    false,
    true,
  ])
})
