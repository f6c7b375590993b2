import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LinkCaller } from '../link/handlers.ts'
import { messageHandlers } from './message-handlers.ts'
import { startSender, type SenderRig } from './testing/rig.ts'

let rig: SenderRig
let handlers: ReturnType<typeof messageHandlers>
const told: unknown[] = []
beforeEach(async () => {
  rig = await startSender()
  told.length = 0
  const find = (_uid: number, tid: string) => {
    const members = rig.members.get(Number(tid))
    return members && { row: { tid: Number(tid) }, members }
  }
  handlers = messageHandlers({ ...rig, stream: rig.stream, teams: { find }, tell: (...what) => void told.push(what) })
})
afterEach(() => rig.close())

const caller = (accid: string): LinkCaller => ({
  uid: 1,
  accid,
  device: 'd1',
  clientType: 'IOS',
  address: '::1',
  subnet: '0:0:0:0::/64',
  session: 's1',
  connection: { isOpen: true, write: () => undefined },
})
const send = (from: string, scene: 'p2p' | 'team', to: string, msg: string, more: object = {}) =>
  handlers.send({ scene, to, type: 0, body: JSON.stringify({ msg }), resend: 0, ...more }, caller(from))
const code = async (done: () => unknown): Promise<unknown> => {
  try {
    await done()
    return 200
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

describe('requests of the link on messages', () => {
  it('send as the account and device of the session, once for each client id', async () => {
    const receipt = await send('ann', 'p2p', 'Bob', 'hi', { clientId: 'c1' })
    expect(await send('ann', 'p2p', 'bob', 'hi', { clientId: 'c1', resend: 1 })).toEqual(receipt)
    expect(rig.delivered).toEqual([expect.objectContaining({ from: 'ann', origin: 's1', seq: receipt.msgid })])
    expect(rig.delivered[0]!.frame).toMatchObject({ fromClientType: 'IOS', clientId: 'c1', to: 'bob' })
    expect(rig.copies).toMatchObject([
      { fromDeviceId: 'd1', fromClientType: 'IOS', msgidClient: 'c1', resendFlag: '0' },
    ])
  })

  it('send text and client ids of every code point, also those that a store keeps otherwise', async () => {
    for (const [text, clientId] of [
      ['x\0y', 'c\0'],
      ['x\uffff0y', 'c\uffff0'],
      ['x\uffff1y\uffff', 'c\uffff'],
    ] as const) {
      const receipt = await send('ann', 'p2p', 'bob', text, { clientId })
      expect(await send('ann', 'p2p', 'bob', text, { clientId, resend: 1 })).toEqual(receipt)
      const { events } = await handlers.history({ scene: 'p2p', with: 'bob', limit: 1 }, caller('ann'))
      expect(events).toMatchObject([{ seq: receipt.msgid, body: JSON.stringify({ msg: text }) }])
    }
  })

  it('notify, stored or not', async () => {
    const sending = { scene: 'p2p', to: 'bob', attach: 'a' } as const
    await handlers.notify({ ...sending, save: 1 }, caller('ann'))
    await handlers.notify({ ...sending, save: 2 }, caller('ann'))
    expect(rig.delivered.map(({ keep }) => keep.offline)).toEqual([false, true])
  })

  it('recall what the account itself sent', async () => {
    const { msgid, timetag } = await send('ann', 'p2p', 'bob', 'hi')
    await handlers.recall({ scene: 'p2p', to: 'ann', msgid, timetag }, caller('bob'))
    expect(rig.delivered).toHaveLength(1)
    await handlers.recall({ scene: 'p2p', to: 'bob', msgid, timetag, msg: 'm' }, caller('ann'))
    expect(rig.delivered[1]!.frame).toMatchObject({ t: 'recall', msgid, msg: 'm' })
  })

  it('count what is unread and tell all devices what was read', async () => {
    await send('ann', 'p2p', 'bob', '1')
    const { msgid } = await send('ann', 'team', '7', '2')
    const one = { scene: 'p2p', with: 'ann', unread: 1 }
    expect(await handlers.unread({}, caller('bob'))).toEqual({
      total: 2,
      conversations: [one, { scene: 'team', with: '7', unread: 1 }],
    })
    expect(await handlers.read({ scene: 'team', with: '7', upTo: msgid }, caller('bob'))).toEqual({
      unread: 0,
      total: 1,
    })
    expect(told).toEqual([[1, 'bob', { t: 'unread', scene: 'team', with: '7', unread: 0, total: 1 }]])
    expect(await handlers.read({ scene: 'p2p', with: 'ANN', upTo: msgid }, caller('bob'))).toEqual({
      unread: 0,
      total: 0,
    })
  })

  it('go back in the history part by part, newest first', async () => {
    for (const msg of ['1', '2', '3']) await send('ann', 'p2p', 'bob', msg)
    const first = await handlers.history({ scene: 'p2p', with: 'Ann', limit: 2 }, caller('bob'))
    expect(first).toMatchObject({ more: true, events: [{ body: '{"msg":"3"}' }, { body: '{"msg":"2"}' }] })
    const before = (first.events[1] as { seq: number }).seq
    expect(await handlers.history({ scene: 'p2p', with: 'ann', limit: 2, before }, caller('bob'))).toMatchObject({
      more: false,
      events: [{ body: '{"msg":"1"}' }],
    })
  })

  it('say that there is no more where the history has just as much as was asked for', async () => {
    for (const msg of ['1', '2']) await send('ann', 'p2p', 'bob', msg)
    const { events, more } = await handlers.history({ scene: 'p2p', with: 'ann', limit: 2 }, caller('bob'))
    expect([events.length, more]).toEqual([2, false])
  })

  it('show in the history that a message was recalled, without its content', async () => {
    const { msgid, timetag } = await send('ann', 'p2p', 'bob', 'hi')
    await handlers.recall({ scene: 'p2p', to: 'bob', msgid, timetag }, caller('ann'))
    expect((await handlers.history({ scene: 'p2p', with: 'ann', limit: 9 }, caller('bob'))).events).toMatchObject([
      { seq: msgid, recalled: true, body: '' },
    ])
  })

  it('show a member what was sent since it came', async () => {
    await send('ann', 'team', '7', 'before')
    const { msgid } = await send('ann', 'team', '7', 'after')
    rig.members.get(7)!.set('eve', { since: msgid })
    expect((await handlers.history({ scene: 'team', with: '7', limit: 9 }, caller('eve'))).events).toMatchObject([
      { body: '{"msg":"after"}' },
    ])
  })

  it('are refused where the account has no business', async () => {
    const about = { scene: 'team', with: '7' } as const
    expect(await code(() => handlers.history({ ...about, limit: 9 }, caller('eve')))).toBe(403)
    expect(await code(() => handlers.read({ ...about, upTo: 1 }, caller('eve')))).toBe(403)
    expect(await code(() => handlers.history({ scene: 'team', with: '8', limit: 9 }, caller('ann')))).toBe(414)
    expect(await code(() => handlers.read({ scene: 'p2p', with: 'no one', upTo: 1 }, caller('ann')))).toBe(414)
    expect(await code(() => send('eve', 'team', '7', 'x'))).toBe(403)
  })
})
