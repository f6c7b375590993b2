import { expect, it } from 'vitest'
import { chatrooms, statistics as contract } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Caller } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { roomMessageOperations } from './message-operations.ts'
import { nobody, type Room } from './room.ts'

/** The operations over a room of cara in memory, and what they asked for. */
function made(row: Partial<Room['row']> = {}) {
  const clock = manualClock()
  const asked: unknown[] = []
  const room = {
    row: { roomid: 7, uid: 1, creator: 'cara', valid: 1, ...row },
    members: new Map([['bill', { ...nobody, blacklisted: 1 }]]),
  } as unknown as Room
  const context = {
    options: { clock },
    must: (uid: number, roomid: number, missing: number) => {
      if (uid !== 1 || roomid !== 7) throw new Refused(missing, 'no such room', 'missing')
      return room
    },
    mustExist: (_uid: number, accids: readonly string[], missing: number) => {
      if (accids.includes('nobody')) throw new Refused(missing, 'nobody is not registered', 'missing')
    },
  }
  const served = roomMessageOperations({
    context,
    messages: {
      say: (uid: number, line: object) => {
        asked.push([uid, line])
        const said = { sender: 'mona', clientId: 'm1', at: 5, type: 0, attach: 'hi', ext: 'e', nick: 'Mo' }
        return Promise.resolve({ ...said, roomid: 7, avatar: 'http://x/a', clientType: 'REST' })
      },
    },
    statistics: {
      top: (...what: unknown[]) => {
        asked.push(what)
        return Promise.resolve([
          { roomid: 7, uid: 1, period: 'HOUR', start: 1_800_000_000_000, active: 3, enters: 2, msgs: 1 },
        ])
      },
    },
    linkUrl: () => 'wss://chat.example.com:444/link',
  } as unknown as Parameters<typeof roomMessageOperations>[0])
  const call = async (operation: Operation, args: object): Promise<unknown> => {
    const reading = readParameters(operation, args)
    if (!reading.ok) throw new Error(reading.refusal.reason)
    const one = served.find((each) => each.operation === operation)!
    return one.answer!(reading.value as never, { application: { uid: 1 }, subnet: '::1' } as Caller)
  }
  return { call, asked, clock }
}

it('a line of a signed call is said as REST, as its sender, and answered with strings', async () => {
  const { call, asked } = made()
  const answer = await call(chatrooms.sendMsg, {
    roomid: 7,
    fromAccid: 'MONA',
    msgId: 'm1',
    msgType: 0,
    attach: 'hi',
    ext: 'e',
    resendFlag: 1,
  })
  expect(asked).toEqual([
    [
      1,
      expect.objectContaining({
        roomid: 7,
        from: 'mona',
        clientType: 'REST',
        clientId: 'm1',
        type: 0,
        attach: 'hi',
        ext: 'e',
        resend: 1,
      }),
    ],
  ])
  expect(answer).toEqual({
    desc: {
      time: '5',
      fromAvator: 'http://x/a',
      msgid_client: 'm1',
      fromClientType: 'REST',
      attach: 'hi',
      roomId: '7',
      fromAccount: 'mona',
      fromNick: 'Mo',
      type: '0',
      ext: 'e',
    },
  })
})

it('a line without text is empty', async () => {
  const { call, asked } = made()
  await call(chatrooms.sendMsg, { roomid: 7, fromAccid: 'mona', msgId: 'm1', msgType: 0 })
  expect((asked[0] as [number, { attach: string }])[1].attach).toBe('')
})

it('the address to enter at is host and port of the link, of an open room, for who is not blacklisted', async () => {
  const { call } = made()
  const ask = (accid: string, roomid = 7) => call(chatrooms.requestAddr, { roomid, accid })
  expect(await ask('mona')).toEqual({ addr: ['chat.example.com:444'] })
  await expect(ask('mona', 8)).rejects.toMatchObject({ code: 414 })
  await expect(ask('nobody')).rejects.toMatchObject({ code: 414 })
  await expect(ask('bill')).rejects.toMatchObject({ code: 403, message: 'blacklisted from the room' })
  const closed = made({ valid: 0 })
  await expect(closed.call(chatrooms.requestAddr, { roomid: 7, accid: 'mona' })).rejects.toMatchObject({ code: 13002 })
  await expect(closed.call(chatrooms.requestAddr, { roomid: 7, accid: 'bill' })).rejects.toMatchObject({ code: 403 })
})

it.each([
  ['active', 'active'],
  ['enter', 'enters'],
  ['message', 'msgs'],
])('rooms are ranked by %s by the counter %s, in hours by default, with times in seconds', async (orderby, column) => {
  const { call, asked, clock } = made()
  expect(await call(contract.topn, { orderby, topn: 5 })).toEqual({
    data: [{ roomId: 7, activeNums: 3, enterNums: 2, msgs: 1, datetime: 1_800_000_000, period: 'HOUR' }],
  })
  expect(asked).toEqual([[1, 'HOUR', clock.now(), column, 5]])
})

it('a time of a ranking is in seconds below 100,000,000,000, in ms from there on, and never to come', async () => {
  const { call, asked, clock } = made()
  const ask = (timestamp: number) => call(contract.topn, { timestamp, period: 'day' })
  await ask(1_700_000_000)
  await ask(1_700_000_000_000)
  await ask(100_000_000_000)
  await ask(clock.now())
  expect(await ask(clock.now() + 1)).toEqual({ data: [] })
  expect(await ask(99_999_999_999)).toEqual({ data: [] })
  expect(asked.map((what) => (what as unknown[]).slice(1, 3))).toEqual([
    ['DAY', 1_700_000_000_000],
    ['DAY', 1_700_000_000_000],
    ['DAY', 100_000_000_000],
    ['DAY', clock.now()],
  ])
})
