import { expect, it } from 'vitest'
import { Failure, reasonOf, TimedOut } from './failure.ts'
import { inBackground } from './background.ts'
import { textMember } from './text-member.ts'

it('says what a failure is, with null for a code and a skew that it has not', () => {
  expect(new Failure('absent', 'no such room').data).toEqual({
    kind: 'absent',
    code: null,
    skewSeconds: null,
    detail: 'no such room',
  })
})

it('tells code, skew, seconds and reason of a failure that has them, a zero of seconds too', () => {
  const reason = { code: 'none', params: {} } as unknown as NonNullable<Failure['data']['reason']>
  expect(new Failure('code', 'x', { code: 416, skewSeconds: -3, leftSeconds: 0, reason }).data).toEqual({
    kind: 'code',
    code: 416,
    skewSeconds: -3,
    leftSeconds: 0,
    reason,
    detail: 'x',
  })
})

it('keeps of a detail 500 characters, and of the message all', () => {
  const failure = new Failure('absent', 'd'.repeat(501))
  expect([failure.data.detail.length, failure.message.length]).toEqual([500, 501])
})

it('counts no answer in time as out of reach', () => {
  const late = new TimedOut('no answer')
  expect([late instanceof Failure, late.data.kind, late.data.detail]).toEqual([true, 'unreachable', 'no answer'])
})

it('names anything that is thrown by its message, or by itself', () => {
  expect([reasonOf(new Error('why')), reasonOf('text'), reasonOf(7)]).toEqual(['why', 'text', '7'])
})

it('logs the failure of work in the background with what was done, and nothing of work that succeeds', async () => {
  const log: string[] = []
  inBackground(Promise.resolve('x'), (line) => void log.push(line), 'looking')
  inBackground(Promise.reject(new Error('why')), (line) => void log.push(line), 'keeping')
  await new Promise((resolve) => setImmediate(resolve))
  expect(log).toEqual(['keeping failed: why'])
})

it.each([
  [{ token: 'abc' }, 'abc'],
  [{ token: 'abcd' }, 'abcd'],
  [{ token: 'abcde' }, undefined],
  [{ token: '' }, undefined],
  [{ token: 7 }, undefined],
  [{ other: 'abc' }, undefined],
  [null, undefined],
  ['token', undefined],
  [undefined, undefined],
])('takes of %j as a text of 1 to 4 characters: %s', (body, text) => {
  expect(textMember(body, 'token', 4)).toBe(text)
})
