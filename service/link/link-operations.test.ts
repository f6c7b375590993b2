import { expect, it } from 'vitest'
import { history } from '../../contract/operations/messages.ts'
import { readParameters } from '../../contract/validate.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Caller } from '../http/dispatch.ts'
import { linkOperations } from './link-operations.ts'

/** The operation over records in memory; what was asked of them is kept. */
function made() {
  const clock = manualClock()
  const asked: unknown[] = []
  const record = { uid: 7, accid: 'ann', clientIp: '::1', sdkVersion: '2', clientType: 'PC' }
  const [served] = linkOperations({
    records: {
      query: (request) => {
        asked.push(request)
        return Promise.resolve([
          { ...record, at: 5, eventType: 2, code: 200 },
          { ...record, at: 6, eventType: 3, code: 200 },
        ])
      },
    },
    accounts: {
      find: (uid, accid) =>
        uid === 7 && accid === 'ann' ? { accid: 'ann', blocked: false, donnop: false } : undefined,
    },
    clock,
  })
  const call = async (args: object, uid = 7): Promise<unknown> => {
    const reading = readParameters(history.userEvents, args)
    if (!reading.ok) throw new Error(reading.refusal.reason)
    return served!.answer!(reading.value as never, { application: { uid }, subnet: '::1' } as Caller)
  }
  return { call, asked, clock }
}

it('log-ins of an account are asked for up to now, newest first, and answered with all that was recorded', async () => {
  const { call, asked, clock } = made()
  const event = { accid: 'ann', clientIp: '::1', sdkVersion: '2', clientType: 'PC', code: 200 }
  expect(await call({ accid: 'ANN', limit: '10' })).toEqual({
    size: 2,
    events: [
      { ...event, timestamp: 5, eventType: 2 },
      { ...event, timestamp: 6, eventType: 3 },
    ],
  })
  expect(asked).toEqual([{ uid: 7, accid: 'ann', begin: 0, end: clock.now(), limit: 10, ascending: false }])
})

it('log-ins are asked for within the window that is said, in the order that is said', async () => {
  const { call, asked } = made()
  await call({ accid: 'ann', limit: '1', begintime: '5', endtime: '5', reverse: '1' })
  await call({ accid: 'ann', limit: '1', begintime: '5', endtime: '6', reverse: '2' })
  expect(asked).toMatchObject([
    { begin: 5, end: 5, limit: 1, ascending: true },
    { begin: 5, end: 6, ascending: false },
  ])
})

it('log-ins of nobody are refused as missing, and a window that ends before it begins with 414', async () => {
  const { call, asked } = made()
  await expect(call({ accid: 'bob', limit: '1' })).rejects.toMatchObject({ code: 414, reason: 'missing' })
  await expect(call({ accid: 'ann', limit: '1' }, 8)).rejects.toMatchObject({ code: 414, reason: 'missing' })
  await expect(call({ accid: 'ann', limit: '1', begintime: '6', endtime: '5' })).rejects.toMatchObject({
    code: 414,
    message: 'endtime is before begintime',
    reason: 'other',
  })
  expect(asked).toEqual([])
})
