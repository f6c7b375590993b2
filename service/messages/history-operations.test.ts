import { expect, it } from 'vitest'
import { history } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Caller } from '../http/dispatch.ts'
import { historyOperations } from './history-operations.ts'

/** The operations over a stream in memory, and what was asked of it. */
function made() {
  const clock = manualClock()
  const asked: unknown[] = []
  const served = historyOperations({
    stream: {
      history: (request) => {
        asked.push(request)
        const message = { t: 'message', type: 0, from: 'ann', body: '{"msg":"hi"}' }
        return Promise.resolve([
          { seq: 5, at: 50, frame: { ...message, ext: 'e' } },
          { seq: 6, at: 60, frame: { t: 'recall', msgid: 5 } },
          { seq: 7, at: 70, frame: message },
        ] as never)
      },
    },
    accounts: { find: (_uid, accid) => (accid === 'nobody' ? undefined : { name: accid }) },
    teams: {
      find: (uid, tid) =>
        uid === 1 && tid === '9' ? { row: { tid: 9 }, members: new Map([['ann', { since: 4 }]]) } : undefined,
    },
    clock,
  })
  const call = async (operation: Operation, args: object): Promise<unknown> => {
    const reading = readParameters(operation, args)
    if (!reading.ok) throw new Error(reading.refusal.reason)
    const one = served.find((each) => each.operation === operation)!
    return one.answer!(reading.value as never, { application: { uid: 1 }, subnet: '::1' } as Caller)
  }
  return { call, asked, clock }
}

it('messages of a conversation are answered with id, time, sender and body, and other events left out', async () => {
  const { call } = made()
  const entry = { type: 0, from: 'ann', body: { msg: 'hi' } }
  expect(await call(history.session, { from: 'ann', to: 'bob', limit: '9' })).toEqual({
    size: 2,
    msgs: [
      { ...entry, msgid: 5, sendtime: 50, ext: 'e' },
      { ...entry, msgid: 7, sendtime: 70 },
    ],
  })
})

it('a conversation is read as its first account, up to now, newest first, of all types', async () => {
  const { call, asked, clock } = made()
  await call(history.session, { from: 'ANN', to: 'Bob', limit: '9' })
  expect(asked).toEqual([
    {
      uid: 1,
      accid: 'ann',
      peer: { scene: 'p2p', accid: 'bob' },
      begin: 0,
      end: clock.now(),
      limit: 9,
      ascending: false,
      types: undefined,
    },
  ])
})

it('a window, an order and types are those that are asked for', async () => {
  const { call, asked } = made()
  await call(history.session, {
    from: 'ann',
    to: 'bob',
    limit: '1',
    begintime: '5',
    endtime: '5',
    reverse: '1',
    type: '0,100',
  })
  expect(asked).toMatchObject([{ begin: 5, end: 5, limit: 1, ascending: true, types: [0, 100] }])
  await expect(
    call(history.session, { from: 'ann', to: 'bob', limit: '1', begintime: '6', endtime: '5' }),
  ).rejects.toMatchObject({ code: 414, message: 'begintime is after endtime' })
})

it('a team is read as its member, from where that one joined', async () => {
  const { call, asked, clock } = made()
  await call(history.team, { tid: '9', accid: 'Ann', limit: '3', reverse: '2' })
  expect(asked).toMatchObject([
    { uid: 1, accid: 'ann', peer: { scene: 'team', tid: 9 }, since: 4, end: clock.now(), limit: 3, ascending: false },
  ])
})

it.each([
  ['an unknown first account', history.session, { from: 'nobody', to: 'bob' }, 414, 'nobody is not registered'],
  ['an unknown second account', history.session, { from: 'ann', to: 'nobody' }, 414, 'nobody is not registered'],
  ['an unknown member', history.team, { tid: '9', accid: 'nobody' }, 414, 'nobody is not registered'],
  ['an unknown team', history.team, { tid: '8', accid: 'ann' }, 414, 'no such team'],
  ['somebody who is not in the team', history.team, { tid: '9', accid: 'bob' }, 403, 'bob is not in the team'],
])('for %s is refused, and nothing read', async (_what, operation, args, code, message) => {
  const { call, asked } = made()
  await expect(call(operation, { ...args, limit: '1' })).rejects.toMatchObject({ code, message })
  expect(asked).toEqual([])
})
