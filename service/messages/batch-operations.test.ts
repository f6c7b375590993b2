import { expect, it } from 'vitest'
import { messages } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import type { Caller } from '../http/dispatch.ts'
import { messageOperations } from './message-operations.ts'

/** The operations over a sender in memory; its messages take ids from 1 on, each 10 ms before the last one. */
function made() {
  const sent: Record<string, unknown>[] = []
  const take = (what: object) => {
    sent.push({ ...what })
    return Promise.resolve({ msgid: sent.length, timetag: 1000 - 10 * sent.length, antispam: false })
  }
  const served = messageOperations({
    sender: { send: (message) => take(message), notify: (notification) => take(notification) },
    recall: (request) => {
      sent.push({ ...request })
      return Promise.resolve()
    },
    accounts: { find: (_uid, accid) => (['ann', 'bob', 'eve'].includes(accid) ? { name: accid } : undefined) },
  })
  const call = async (operation: Operation, args: object): Promise<unknown> => {
    const reading = readParameters(operation, args)
    if (!reading.ok) throw new Error(reading.refusal.reason)
    const one = served.find((each) => each.operation === operation)!
    return one.answer!(reading.value as never, { application: { uid: 7 }, subnet: '::1' } as Caller)
  }
  return { call, sent }
}
const body = '{"msg":"hi"}'

it('a batch goes to each registered account once, from its sender by REST, and names the others in order', async () => {
  const { call, sent } = made()
  const args = { fromAccid: 'ANN', toAccids: ['EVE', 'who', 'bob', 'eve', 'nobody'], type: 0, body, ext: 'e' }
  expect(await call(messages.sendBatch, args)).toEqual({ unregister: '["who","nobody"]' })
  expect(sent).toMatchObject([
    { uid: 7, clientType: 'REST', scene: 'p2p', from: 'ann', to: 'eve', type: 0, body, ext: 'e' },
    { from: 'ann', to: 'bob' },
  ])
  expect(sent).toHaveLength(2)
})

it('a batch answers with the newest of its times, whichever message has it', async () => {
  const { call } = made()
  const args = { fromAccid: 'ann', toAccids: ['bob', 'eve'], type: 0, body, returnMsgid: true }
  expect(await call(messages.sendBatch, args)).toEqual({ unregister: '[]', msgids: { bob: 1, eve: 2 }, timetag: 990 })
  expect(await call(messages.sendBatch, { ...args, toAccids: ['who'] })).toEqual({ unregister: '["who"]', msgids: {} })
})

it('a batch of an unknown sender is refused as missing before anything is sent', async () => {
  const { call, sent } = made()
  for (const [operation, more] of [
    [messages.sendBatch, { type: 0, body }],
    [messages.notifyBatch, { attach: 'a' }],
  ] as const)
    await expect(call(operation, { fromAccid: 'who', toAccids: ['bob'], ...more })).rejects.toMatchObject({
      code: 414,
      message: 'who is not registered',
      reason: 'missing',
    })
  expect(sent).toEqual([])
})

it('a message goes to an account or a team as it is said, with what is to be pushed at all costs', async () => {
  const { call, sent } = made()
  const args = { from: 'ann', to: '9', type: 0, body }
  expect(await call(messages.send, { ...args, ope: 1, forcepushlist: ['bob'], forcepushcontent: 'now' })).toEqual({
    data: { msgid: 1, timetag: 990, antispam: false },
  })
  await call(messages.send, { ...args, ope: 0, forcepushall: true })
  expect(sent).toMatchObject([
    { scene: 'team', to: '9', clientType: 'REST', forcePush: { all: false, accids: ['bob'], content: 'now' } },
    { scene: 'p2p', forcePush: { all: true, accids: [], content: undefined } },
  ])
})

it('a notification is kept for those who are offline unless it says otherwise, alone and in a batch', async () => {
  const { call, sent } = made()
  const one = { from: 'ann', to: 'bob', attach: 'a' }
  for (const more of [{}, { save: 1 }, { save: 2 }]) {
    await call(messages.notify, { ...one, msgtype: 0, ...more })
    await call(messages.notifyBatch, { fromAccid: 'ann', toAccids: ['bob'], attach: 'a', ...more })
  }
  await call(messages.notify, { ...one, msgtype: 1 })
  expect(sent.map(({ stored, scene }) => [stored, scene])).toEqual([
    [true, 'p2p'],
    [true, 'p2p'],
    [false, 'p2p'],
    [false, 'p2p'],
    [true, 'p2p'],
    [true, 'p2p'],
    [true, 'team'],
  ])
})

it('a recall is of a conversation of two with type 7, of a team with 8, in time unless that is ignored', async () => {
  const { call, sent } = made()
  const args = { deleteMsgid: 5, timetag: 6, from: 'ANN', to: 'bob' }
  expect(await call(messages.recall, { ...args, type: 7, msg: 'm' })).toEqual({})
  await call(messages.recall, { ...args, type: 8, ignoreTime: 1 })
  expect(sent).toEqual([
    { uid: 7, from: 'ann', scene: 'p2p', to: 'bob', msgid: 5, timetag: 6, msg: 'm', anyAge: false },
    { uid: 7, from: 'ann', scene: 'team', to: 'bob', msgid: 5, timetag: 6, msg: undefined, anyAge: true },
  ])
})
