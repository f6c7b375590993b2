import { expect, it } from 'vitest'
import { accounts, history, messages } from '../../contract/operations/index.ts'
import { startService } from '../testing/start-service.ts'
import { breakTables, mendTables } from '../testing/beside.ts'

it('answers 500 while events cannot be stored or read, acknowledges nothing, and goes on when they can', async () => {
  const service = await startService()
  for (const accid of ['ann', 'bob']) await service.call(accounts.create, { accid })
  const send = (msg: string) =>
    service.call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body: JSON.stringify({ msg }) })
  const first = (await send('before')).data!
  await breakTables(service.dataDir, 'event')
  expect((await Promise.all([send('lost 1'), send('lost 2')])).map(({ code }) => code)).toEqual([500, 500])
  expect(
    (await service.call(messages.sendBatch, { fromAccid: 'ann', toAccids: ['bob'], type: 0, body: '{"msg":"lost"}' }))
      .code,
  ).toBe(500)
  expect((await service.call(messages.notify, { from: 'ann', msgtype: 0, to: 'bob', attach: 'a' })).code).toBe(500)
  expect((await service.call(history.session, { from: 'ann', to: 'bob', limit: 9 })).code).toBe(500)
  const recall = { deleteMsgid: first.msgid, timetag: first.timetag, type: 7, from: 'ann', to: 'bob' } as const
  expect((await service.call(messages.recall, recall)).code).toBe(500)
  await mendTables(service.dataDir, 'event')
  expect((await send('after')).data!.msgid).toBeGreaterThan(first.msgid)
  const { msgs } = await service.call(history.session, { from: 'ann', to: 'bob', limit: 9, reverse: 1 })
  expect(msgs!.map(({ body }) => body)).toEqual([{ msg: 'before' }, { msg: 'after' }])
  await service.close()
})
