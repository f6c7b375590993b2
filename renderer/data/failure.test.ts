import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { errorTable } from '../../contract/errors.ts'
import { spoken } from '../format/languages.ts'
import { frameWords } from '../features/frame/words.ts'
import { failureOf, sentenceOf } from './failure.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const say = (key: string): string => key

it('reads a declared failure whole', () => {
  const failure = failureOf(
    new ORPCError('FAILED', { data: { kind: 'clock', code: null, skewSeconds: -347, detail: 'Date differs' } }),
  )
  expect(failure).toEqual({ kind: 'clock', code: null, skewSeconds: -347, detail: 'Date differs' })
  let named: Record<string, unknown> | undefined
  sentenceOf(failure, 'en', (key, given) => {
    if (key === 'failure.clock.sentence') named = given
    return key
  })
  expect(named).toMatchObject({ seconds: 347 })
})

it('takes an undeclared error of the companion for an internal one and a lost line for offline', () => {
  expect(failureOf(new ORPCError('NOT_FOUND', { message: 'no' })).kind).toBe('internal')
  expect(failureOf(new Error('[AsyncIdQueue] closed')).kind).toBe('offline')
})

it('says of what the companion does not accept where it is, and never calls it a fault of Sidestage', () => {
  const issues = [
    { code: 'too_big', path: ['call', 'nick'], message: 'Too big: expected string to have <=32 characters' },
    { code: 'invalid_type', path: ['list', 2], message: 'Invalid input' },
  ]
  expect(failureOf(new ORPCError('BAD_REQUEST', { message: 'Input validation failed', data: { issues } }))).toEqual({
    kind: 'input',
    code: null,
    skewSeconds: null,
    detail: 'call.nick: Too big: expected string to have <=32 characters; list.2: Invalid input',
  })
  expect(failureOf(new ORPCError('BAD_REQUEST', { message: 'Malformed request' }))).toMatchObject({
    kind: 'input',
    detail: 'Malformed request',
  })
})

it('says every code of the table in both languages', () => {
  for (const code of Object.keys(errorTable).map(Number)) {
    for (const language of ['en', 'zh'] as const)
      expect(sentenceOf({ kind: 'code', code, skewSeconds: null, detail: '' }, language, say).sentence).toBe(
        errorTable[code as keyof typeof errorTable].sentence[language],
      )
  }
})

it('has a sentence and a next step for every kind, also for a code that is not in the table', () => {
  expect(sentenceOf({ kind: 'code', code: 999, skewSeconds: null, detail: '' }, 'en', say).sentence).toBe(
    'failure.code.sentence',
  )
  for (const kind of [
    'code',
    'unreachable',
    'refused',
    'certificate',
    'clock',
    'signature',
    'secret',
    'down',
    'notOurs',
    'absent',
    'keychain',
    'internal',
    'input',
    'offline',
  ] as const) {
    expect(en.failure[kind].sentence).not.toBe('')
    expect(en.failure[kind].next).not.toBe('')
  }
})

it('tells who moderates from a seat nothing of the computer before them, and in both languages what they can do', () => {
  const words = (language: typeof en) => (key: string) =>
    key
      .split('.')
      .reduce<unknown>((at, part) => (at as Readonly<Record<string, unknown>> | undefined)?.[part], language) as string
  for (const kind of Object.keys(en.failure) as (keyof typeof en.failure)[]) {
    const failure = { kind, code: null, skewSeconds: 4, detail: '' }
    const [english, chinese] = [sentenceOf(failure, 'en', words(en), true), sentenceOf(failure, 'zh', words(zh), true)]
    for (const text of Object.values(english))
      expect([kind, text]).toEqual([
        kind,
        expect.not.stringMatching(/this computer|Settings|base URL|its log|the log$|Sidestage is|data folder/i),
      ])
    for (const text of Object.values(chinese))
      expect([kind, text]).toEqual([kind, expect.not.stringMatching(/本机|设置 ›|基础地址|日志|undefined/)])
  }
  expect(sentenceOf({ kind: 'down', code: null, skewSeconds: null, detail: '' }, 'en', words(en)).sentence).toContain(
    'on this computer',
  )
})
