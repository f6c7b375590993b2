import { expect, it } from 'vitest'
import { sayReason } from './reasons.ts'

it('says a reason by its topic and its code, with what it names', () => {
  const asked: unknown[] = []
  const said = sayReason(
    (key, params) => {
      asked.push([key, params])
      return 'Port 8720 is taken.'
    },
    'listener',
    { code: 'taken', params: { port: '8720' } },
  )
  expect(said).toBe('Port 8720 is taken.')
  expect(asked).toEqual([['reason.listener.taken', { port: '8720' }]])
})
