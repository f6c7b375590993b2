import { expect, it } from 'vitest'
import { inBackground } from './background.ts'
import { createLog } from './log.ts'
import { Refused } from './refusal.ts'

const written = (level?: string) => {
  const lines: string[] = []
  const log = createLog({
    ...(level !== undefined && { level }),
    destination: { write: (line: string) => void lines.push(line) },
  })
  return { log, read: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

it('a line has its level, the time, its fields and a sentence', () => {
  const { log, read } = written()
  log.info({ cid: 'a' }, 'a push began')
  expect(read()).toEqual([
    { level: 30, time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string, cid: 'a', msg: 'a push began' },
  ])
})

it('lines for debugging are written only where they are asked for', () => {
  const { log, read } = written()
  log.debug({}, 'a detail')
  log.warn({}, 'a warning')
  log.error({}, 'a fault')
  expect(read().map(({ level, msg }) => [level, msg])).toEqual([
    [40, 'a warning'],
    [50, 'a fault'],
  ])
  const all = written('debug')
  all.log.debug({}, 'a detail')
  expect(all.read()).toHaveLength(1)
})

it.each([
  'appSecret',
  'channelKey',
  'wsSecret',
  'pushUrl',
  'signKey',
  'token',
  'key',
  'checksum',
  'authorization',
  'cookie',
])('%s is blanked down to the third level', (name) => {
  const { log, read } = written()
  log.warn({ [name]: 'canary', one: { [name]: 'canary', two: { [name]: 'canary' } }, uid: 7 }, 'careless')
  expect(JSON.stringify(read())).not.toContain('canary')
  expect(read()[0]).toMatchObject({
    [name]: '[secret]',
    one: { [name]: '[secret]', two: { [name]: '[secret]' } },
    uid: 7,
  })
})

it('an error is written with its message and stack', () => {
  const { log, read } = written()
  log.error({ err: new Error('broken') }, 'a fault')
  expect(read()[0]).toMatchObject({
    err: { message: 'broken', stack: expect.stringContaining('log.test.ts') as string },
  })
})

it('work in the background that fails is logged with what it was', async () => {
  const { log, read } = written()
  inBackground(Promise.resolve(1), log, 'counting')
  inBackground(Promise.reject(new Error('broken')), log, 'tidying up')
  await Promise.resolve()
  await Promise.resolve()
  expect(read()).toMatchObject([
    { level: 40, doing: 'tidying up', msg: 'tidying up failed', err: { message: 'broken' } },
  ])
})

it('a refusal has a code, a sentence and a reason, which is other where none is given', () => {
  expect(new Refused(414, 'not there', 'missing')).toMatchObject({ code: 414, message: 'not there', reason: 'missing' })
  expect(new Refused(414, 'no')).toMatchObject({ reason: 'other' })
})
