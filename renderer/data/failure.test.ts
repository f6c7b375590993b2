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
    'away',
    'certificate',
    'plain',
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
    const [english, chinese] = [
      sentenceOf(failure, 'en', words(en), { atSeat: true }),
      sentenceOf(failure, 'zh', words(zh), { atSeat: true }),
    ]
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

it('says of a disk that a service elsewhere told of that it is there, and of the disk of the app nothing else', () => {
  const keys = (kind: 'full' | 'readOnly' | 'broken' | 'keychain', code: number | null) =>
    Object.values(sentenceOf({ kind, code, skewSeconds: null, detail: '' }, 'en', say, { elsewhere: true }))
  for (const kind of ['full', 'readOnly', 'broken'] as const) {
    expect(keys(kind, 514)).toEqual([`failureThere.${kind}.sentence`, `failure.${kind}.next`])
    expect(keys(kind, null)).toEqual([`failure.${kind}.sentence`, `failure.${kind}.next`])
  }
  expect(keys('keychain', 514)).toEqual(['failure.keychain.sentence', 'failure.keychain.next'])
})

it('keeps how long a longer mute lasts and the reason that is shown instead of details', () => {
  const reason = { code: 'port', params: { port: 1935 } } as const
  const data = { kind: 'outlasted', code: null, skewSeconds: null, leftSeconds: 61, detail: 'd', reason }
  expect(failureOf(new ORPCError('FAILED', { data }))).toEqual(data)
  expect(Object.keys(failureOf(new ORPCError('FAILED', { data: { ...data, reason: undefined } })))).not.toContain(
    'reason',
  )
})

it.each([
  ['without details', { kind: 'full' }],
  ['without a kind', { detail: 'd' }],
  ['that are none', null],
  ['that are a text', 'full'],
])('takes an error with data %s for an internal one, with what the error says', (_what, data) => {
  expect(failureOf(new ORPCError('NOT_FOUND', { message: 'no such', data }))).toEqual({
    kind: 'internal',
    code: null,
    skewSeconds: null,
    detail: 'NOT_FOUND: no such',
  })
})

it('names the first five places that the companion does not accept', () => {
  const issues = Array.from({ length: 7 }, (_, index) => ({ path: ['list', index], message: 'bad' }))
  expect(failureOf(new ORPCError('BAD_REQUEST', { data: { issues } })).detail).toBe(
    'list.0: bad; list.1: bad; list.2: bad; list.3: bad; list.4: bad',
  )
  expect(failureOf(new ORPCError('BAD_REQUEST', { data: { issues: [{}] } })).detail).toBe(': ')
})

it('has what was thrown as the details of a lost line', () => {
  expect(failureOf(new TypeError('no line')).detail).toBe('TypeError: no line')
  expect(failureOf('gone').detail).toBe('gone')
})

it('says the number of a code that is not in the table, and whole seconds of a wrong clock', () => {
  const told: unknown[] = []
  const tell = (key: string, named?: Record<string, unknown>): string => {
    if (named) told.push([key, named])
    return key
  }
  sentenceOf({ kind: 'code', code: 999, skewSeconds: null, detail: '' }, 'en', tell)
  sentenceOf({ kind: 'clock', code: null, skewSeconds: -61.6, detail: '' }, 'en', tell)
  expect(told).toEqual([
    ['failure.code.sentence', { code: 999, seconds: 0 }],
    ['failure.clock.sentence', { code: '', seconds: 62 }],
  ])
})

it('has words for a seat for what happens at the computer only, with their own next step', () => {
  const keys = (kind: keyof typeof en.failure, atSeat: boolean) =>
    Object.values(sentenceOf({ kind, code: null, skewSeconds: null, detail: '' }, 'en', say, { atSeat }))
  for (const kind of Object.keys(en.seatFailure) as (keyof typeof en.seatFailure)[]) {
    expect(keys(kind, true)).toEqual([`seatFailure.${kind}.sentence`, `seatFailure.${kind}.next`])
    expect(keys(kind, false)).toEqual([`failure.${kind}.sentence`, `failure.${kind}.next`])
  }
  for (const kind of ['offline', 'input', 'absent'] as const)
    expect(keys(kind, true)).toEqual([`failure.${kind}.sentence`, `failure.${kind}.next`])
})
