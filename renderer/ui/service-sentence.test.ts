import { expect, it } from 'vitest'
import { createLanguages } from '../locales/i18n.ts'
import { serviceEnd, serviceSentence } from './service-sentence.ts'

const { plugin, words } = createLanguages()
const down = {
  phase: 'restarting',
  reason: { code: 'killed', params: { signal: 'SIGKILL' } },
  nextAttempt: 2_000,
  attempt: 5,
  attempts: 5,
} as const

it.each([
  ['one attempt is left', down, 'The process was ended from outside (SIGKILL). Next attempt in 2 s, 1 attempt left.'],
  [
    'all of them are left',
    { ...down, attempt: 1 },
    'The process was ended from outside (SIGKILL). Next attempt in 2 s, 5 attempts left.',
  ],
  [
    'an attempt runs',
    { ...down, nextAttempt: null, attempt: 2 },
    'The process was ended from outside (SIGKILL). Attempt 2 of 5 is running.',
  ],
  [
    'it was restarted by hand, which is no attempt',
    { ...down, reason: null, nextAttempt: 0, attempt: 0 },
    'It ended without giving a reason. It is being started again.',
  ],
  [
    'a reason that is a sentence',
    { ...down, phase: 'stopped', reason: { code: 'failed', params: { system: 'Connect its disk.' } } },
    'Connect its disk. Open the log for the cause, then restart it.',
  ],
] as const)('says why the service is down and what comes: %s', (_what, fault, said) => {
  expect(serviceSentence(fault, 0, plugin.global.t, 'en')).toBe(said)
})

it('puts no space after a full-width stop', async () => {
  await words.speak('zh')
  expect(serviceSentence({ ...down, reason: null }, 0, plugin.global.t, 'zh')).toBe(
    '服务退出时没有给出原因。2 秒后再次尝试，还剩 1 次。',
  )
  expect(serviceSentence(down, 0, plugin.global.t, 'zh')).toBe('进程被外部终止（SIGKILL）。2 秒后再次尝试，还剩 1 次。')
  await words.speak('en')
})

it.each([
  [2_000, 2_000, 'now'],
  [2_000, 1_999, '1'],
  [2_000, 999, '2'],
  [2_000, 3_000, 'now'],
])('counts whole seconds that begin, up to the attempt: next at %i, now %i', (nextAttempt, now, said) => {
  const keys: unknown[] = []
  serviceSentence(
    { ...down, nextAttempt },
    now,
    (key, named) => {
      keys.push([key, named?.['seconds'] ?? null])
      return key
    },
    'en',
  )
  expect(keys.at(-1)).toEqual(said === 'now' ? ['service.now', null] : ['service.next', Number(said)])
})

it('counts no attempts below none, and says the end with its reason', () => {
  const keys: unknown[] = []
  const say = (key: string, named?: object): string => {
    keys.push([key, named])
    return key
  }
  serviceSentence({ ...down, attempt: 9 }, 0, say, 'en')
  expect(keys).toEqual([
    ['reason.service.killed', { signal: 'SIGKILL' }],
    ['service.next', { seconds: 2, n: 0 }],
  ])
  expect(serviceEnd(null, say)).toBe('service.noReason')
})
