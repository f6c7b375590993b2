import { expect, it } from 'vitest'
import { createLanguages } from '../locales/i18n.ts'
import { serviceSentence } from './service-sentence.ts'

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
