import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Arguments } from '../../contract/operation.ts'
import { accounts, history, local, messages, relations, teams } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { beside } from '../testing/beside.ts'

let clock: ManualWallClock
let service: TestService
beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock })
  for (const accid of ['ann', 'bob', 'eve']) await service.call(accounts.create, { accid })
})
afterEach(() => service.close())

type Send = Arguments<typeof messages.send>
const text = (msg: string): string => JSON.stringify({ msg })
const message = (more: Partial<Send> = {}): Send => ({
  from: 'ann',
  ope: 0,
  to: 'bob',
  type: 0,
  body: text('hello'),
  ...more,
})
const notice = (more: Partial<Arguments<typeof messages.notify>> = {}): Arguments<typeof messages.notify> => ({
  from: 'ann',
  msgtype: 0,
  to: 'bob',
  attach: '{"k":1}',
  ...more,
})
const said = async (from: string, to: string, client: Pick<TestService, 'call'> = service): Promise<unknown[]> => {
  const { msgs } = await client.call(history.session, { from, to, limit: 100, reverse: 1 })
  return msgs!.map(({ body }) => (body as { msg?: string }).msg)
}
/** Events as they are stored, oldest first. */
const stored = async (): Promise<{ readonly offline: number; readonly frame: Record<string, unknown> }[]> => {
  const rows = await beside(service.dataDir, (db) =>
    db.selectFrom('event').select(['offline', 'frame']).orderBy('seq').execute(),
  )
  return rows.map(({ offline, frame }) => ({ offline, frame: JSON.parse(frame) as Record<string, unknown> }))
}

describe('sendMsg', () => {
  it('answers the id and time of the message, which is in the history of both', async () => {
    const { code, data } = await service.call(messages.send, message({ ext: 'e' }))
    expect(code).toBe(200)
    expect(data).toEqual({ msgid: expect.any(Number) as number, timetag: clock.now(), antispam: false })
    const entry = { msgid: data!.msgid, sendtime: clock.now(), type: 0, from: 'ann', body: { msg: 'hello' }, ext: 'e' }
    expect(await service.call(history.session, { from: 'bob', to: 'ann', limit: 1 })).toEqual({
      code: 200,
      size: 1,
      msgs: [entry],
    })
  })

  it('passes a forced push to a team on', async () => {
    const { tid } = await service.call(teams.create, { tname: 'crew', owner: 'ann', members: ['bob', 'eve'] })
    const toTeam = { ope: 1, to: tid!, forcepushcontent: 'now' } as const
    await service.call(messages.send, message({ ...toTeam, forcepushlist: ['bob'] }))
    await service.call(messages.send, message({ ...toTeam, forcepushall: true }))
    expect((await stored()).slice(-2).map(({ frame }) => frame['forcePush'])).toEqual([
      { all: false, accids: ['bob'], content: 'now' },
      { all: true, accids: [], content: 'now' },
    ])
  })

  it('knows accounts whatever their case', async () => {
    await service.call(accounts.create, { accid: 'Max.Meier' })
    expect((await service.call(messages.send, message({ from: 'ANN', to: 'MAX.MEIER' }))).code).toBe(200)
    expect(await said('max.meier', 'Ann')).toEqual(['hello'])
  })

  it.each<[string, Partial<Record<keyof Send, unknown>>]>([
    ['an ope that there is not', { ope: 2 }],
    ['a type that there is not', { type: 5 }],
    ['no sender', { from: '' }],
    ['a sender who is not registered', { from: 'nobody' }],
    ['a receiver who is not registered', { to: 'nobody' }],
    ['a receiver who cannot be one', { to: 'a b' }],
    ['a team that is not there', { ope: 1, to: '4711' }],
    ['a body that is not JSON', { body: 'hello' }],
    ['a body that is an array', { body: '[]' }],
    ['a text without msg', { body: '{}' }],
    ['a text whose msg is a number', { body: '{"msg":1}' }],
    ['an image without an address', { type: 1, body: '{"name":"a"}' }],
    ['an image whose width is a word', { type: 1, body: '{"url":"http://h/a.png","w":"wide"}' }],
    ['a voice that is not aac', { type: 2, body: '{"url":"http://h/a.mp3","dur":3,"ext":"mp3"}' }],
    ['a voice without its length', { type: 2, body: '{"url":"http://h/a.aac","ext":"aac"}' }],
    ['a video without an address', { type: 3, body: '{"dur":3}' }],
    ['a place without its coordinates', { type: 4, body: '{"title":"here"}' }],
    ['a file without an address', { type: 6, body: '{"name":"a"}' }],
    ['an option that is not JSON', { option: 'push' }],
    ['an option that is an array', { option: '[true]' }],
    ['an option of a wrong type', { option: '{"roam":"perhaps"}' }],
    ['an option that is a number', { option: '{"badge":2}' }],
    ['an option that is an object', { option: '{"push":{}}' }],
    ['a payload that is not JSON', { payload: 'x' }],
    ['a forcepushlist that is not an array', { forcepushlist: '{"a":1}' }],
    ['a forcepushall that is neither', { forcepushall: 'perhaps' }],
    ['an antispam that is neither', { antispam: 2 }],
  ])('answers 414 to %s', async (_what, wrong) => {
    const { code, desc } = await service.send(messages.send, { ...message(), ...wrong })
    expect([code, typeof desc]).toEqual([414, 'string'])
    expect(await said('ann', 'bob')).toEqual([])
  })

  it.each([
    [1, { name: 'a', md5: 'm', url: 'http://h/a.png', ext: 'png', w: 1, h: 2, size: 3 }],
    [2, { dur: 4551, md5: 'm', url: 'http://h/a.aac', ext: 'aac', size: '10' }],
    [3, { dur: 1, md5: 'm', url: 'http://h/a.mp4', w: 1, h: 1, ext: 'mp4', size: 1 }],
    [4, { title: '杭州', lng: 120.1908686708565, lat: 30.18704515647036 }],
    [6, { name: 'a.pdf', md5: 'm', url: 'http://h/a.pdf', ext: 'pdf', size: 1 }],
    [6, { url: 'http://h/a.pdf' }],
    [100, { myKey: { deep: ['free'] } }],
  ] as const)('takes type %i with its body, and gives it back', async (type, body) => {
    expect((await service.call(messages.send, message({ type, body: JSON.stringify(body) }))).code).toBe(200)
    const { msgs } = await service.call(history.session, { from: 'ann', to: 'bob', limit: 1 })
    expect(msgs![0]).toMatchObject({ type, body })
  })

  it('takes what clients write: flags as 1 and 0, empty optional parameters, unknown options', async () => {
    const odd = {
      antispam: '0',
      forcepushall: '',
      ext: '',
      option: '{"push":1,"history":"1","unknown":5,"roam":null}',
      forcepushlist: '[]',
    }
    expect((await service.send(messages.send, { ...message(), ...odd })).code).toBe(200)
    const unescaped = 'from=ann&ope=0&to=bob&type=0&body={"msg":"hi there"}'
    expect((await service.send(messages.send, unescaped)).code).toBe(200)
    expect(await said('ann', 'bob')).toEqual(['hello', 'hi there'])
  })

  it('is not told from one that arrives when the receiver has blacklisted the sender', async () => {
    const before = await service.call(messages.send, message())
    await service.call(relations.set, { accid: 'bob', targetAcc: 'ann', relationType: 1, value: 1 })
    const after = await service.call(messages.send, message({ body: text('blocked') }))
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(after.data).toEqual({ ...before.data, msgid: after.data!.msgid })
    expect([await said('ann', 'bob'), await said('bob', 'ann')]).toEqual([['hello', 'blocked'], ['hello']])
    await service.call(relations.set, { accid: 'bob', targetAcc: 'ann', relationType: 1, value: 0 })
    await service.call(messages.send, message({ body: text('again') }))
    expect(await said('bob', 'ann')).toEqual(['hello', 'again'])
  })

  it('says that the word list caught it, and delivers nothing', async () => {
    await service.call(local.setWords, { words: ['Forbidden', '违禁'] })
    for (const msg of ['so FORBIDDEN here', '这是违禁词', 'ｆｏｒｂｉｄｄｅｎ'])
      expect((await service.call(messages.send, message({ body: text(msg) }))).data).toMatchObject({ antispam: true })
    expect(
      (await service.call(messages.send, message({ antispam: true, antispamCustom: 'forbidden' }))).data!.antispam,
    ).toBe(true)
    expect((await service.call(messages.send, message({ body: text('fine') }))).data!.antispam).toBe(false)
    expect(await said('bob', 'ann')).toEqual(['fine'])
  })

  it('keeps applications apart', async () => {
    for (const accid of ['ann', 'bob']) await service.other.call(accounts.create, { accid })
    const { data } = await service.call(messages.send, message())
    const recall = { deleteMsgid: data!.msgid, timetag: data!.timetag, type: 7, from: 'ann', to: 'bob' } as const
    expect((await service.other.call(messages.recall, recall)).code).toBe(200)
    expect([await said('ann', 'bob'), await said('ann', 'bob', service.other)]).toEqual([['hello'], []])
    expect((await service.other.send(messages.send, message({ to: 'eve' }))).code).toBe(414)
  })

  it('is there after a restart, and ids go on', async () => {
    const { data } = await service.call(messages.send, message())
    await service.stop()
    const again = await startService({ clock, dataDir: service.dataDir })
    expect(await said('ann', 'bob', again)).toEqual(['hello'])
    expect((await again.call(messages.send, message())).data!.msgid).toBeGreaterThan(data!.msgid)
    await again.stop()
  })
})

describe('sendBatchMsg', () => {
  const batch = (toAccids: string[]) => ({ fromAccid: 'ann', toAccids, type: 0, body: text('all') }) as const

  it('sends to each once, and names those that are not registered as a JSON array in a string', async () => {
    const { code, unregister } = await service.call(messages.sendBatch, batch(['bob', 'nobody', 'BOB', 'eve', 'who']))
    expect([code, unregister]).toEqual([200, '["nobody","who"]'])
    expect((await service.call(messages.sendBatch, batch(['eve']))).unregister).toBe('[]')
    expect([await said('ann', 'bob'), await said('ann', 'eve')]).toEqual([['all'], ['all', 'all']])
  })

  it('takes 500 accounts and no more', async () => {
    const most = Array.from({ length: 500 }, (_, index) => `n${index}`)
    const { unregister } = await service.call(messages.sendBatch, batch(most))
    expect(JSON.parse(unregister!)).toEqual(most)
    expect((await service.call(messages.sendBatch, batch([...most, 'bob']))).code).toBe(414)
    expect((await service.call(messages.sendBatch, batch([]))).code).toBe(414)
    expect(await said('ann', 'bob')).toEqual([])
  })

  it('answers the id of each message and the time of the newest where that is asked', async () => {
    expect(await service.call(messages.sendBatch, batch(['bob']))).not.toHaveProperty('msgids')
    const before = (await stored()).length
    const answer = await service.call(messages.sendBatch, { ...batch(['bob', 'nobody', 'eve']), returnMsgid: true })
    const frames = (await stored()).slice(before)
    expect(answer).toEqual({
      code: 200,
      unregister: '["nobody"]',
      msgids: Object.fromEntries(frames.map(({ frame }) => [frame['to'], frame['seq']])),
      timetag: clock.now(),
    })
    expect(Object.keys(answer.msgids!)).toEqual(['bob', 'eve'])
    expect(await service.call(messages.sendBatch, { ...batch(['nobody']), returnMsgid: true })).toEqual({
      code: 200,
      unregister: '["nobody"]',
      msgids: {},
    })
  })

  it.each([
    ['an unreadable list', { toAccids: '["bob"' }],
    ['a list with something else', { toAccids: '[{}]' }],
    ['a sender who is not registered', { fromAccid: 'nobody' }],
    ['a wrong body', { body: '{}' }],
    ['a wrong option', { option: '{"push":9}' }],
  ])('answers 414 to %s', async (_what, wrong) => {
    expect((await service.send(messages.sendBatch, { ...batch(['bob']), ...wrong })).code).toBe(414)
  })

  it('answers 416 to the 121st call of a minute, and nothing is sent', async () => {
    for (let call = 0; call < 120; call++)
      expect((await service.call(messages.sendBatch, batch(['who']))).code).toBe(200)
    expect((await service.call(messages.sendBatch, batch(['bob']))).code).toBe(416)
    expect(await said('ann', 'bob')).toEqual([])
    expect((await service.call(messages.notifyBatch, { fromAccid: 'ann', toAccids: ['bob'], attach: 'a' })).code).toBe(
      200,
    )
  })
})

describe('sendAttachMsg', () => {
  it('answers the id and time, and is no part of the history', async () => {
    const { code, data } = await service.call(
      messages.notify,
      notice({ pushcontent: 'p', payload: '{}', sound: 's', save: 1, option: '{"badge":false}' }),
    )
    expect([code, data]).toEqual([200, { msgid: expect.any(Number) as number, timetag: clock.now(), antispam: false }])
    expect(await said('ann', 'bob')).toEqual([])
  })
  it('is kept for offline receivers unless it is for those online only', async () => {
    await service.call(messages.notify, notice())
    await service.call(messages.notify, notice({ save: 2 }))
    await service.call(messages.notify, notice({ save: 1 }))
    expect((await stored()).map(({ offline }) => offline)).toEqual([1, 1, 0])
  })
  it.each<[string, object]>([
    ['a msgtype that there is not', { msgtype: 2 }],
    ['a save that there is not', { save: 3 }],
    ['no attach', { attach: '' }],
    ['a receiver who is not registered', { to: 'nobody' }],
    ['a sender who is not registered', { from: 'nobody' }],
    ['a team that is not there', { msgtype: 1, to: '1' }],
    ['a wrong option', { option: '{"route":"x"}' }],
  ])('answers 414 to %s', async (_what, wrong) => {
    expect((await service.send(messages.notify, { ...notice(), ...wrong })).code).toBe(414)
  })
})

describe('sendBatchAttachMsg', () => {
  const batch = (toAccids: string[]) => ({ fromAccid: 'ann', toAccids, attach: 'a' })
  it('sends to each, and names those that are not registered', async () => {
    expect(await service.call(messages.notifyBatch, batch(['bob', 'nobody', 'eve']))).toEqual({
      code: 200,
      unregister: '["nobody"]',
    })
    expect((await service.call(messages.notifyBatch, { ...batch(['bob']), fromAccid: 'nobody' })).code).toBe(414)
    expect((await service.send(messages.notifyBatch, { ...batch(['bob']), save: 0 })).code).toBe(414)
  })
  it('is kept for offline receivers unless it is for those online only', async () => {
    await service.call(messages.notifyBatch, batch(['bob']))
    await service.call(messages.notifyBatch, { ...batch(['bob', 'eve']), save: 1 })
    expect((await stored()).map(({ offline, frame }) => [offline, frame['to']])).toEqual([
      [1, 'bob'],
      [0, 'bob'],
      [0, 'eve'],
    ])
  })
  it('answers 416 to the 121st call of a minute', async () => {
    for (let call = 0; call < 120; call++)
      expect((await service.call(messages.notifyBatch, batch(['who']))).code).toBe(200)
    expect((await service.call(messages.notifyBatch, batch(['who']))).code).toBe(416)
  })
})

describe('recall', () => {
  it('takes a message back within the window of the application, and 414 says that it is too late', async () => {
    const send = async () => (await service.call(messages.send, message())).data!
    const recall = async ({ msgid, timetag }: { msgid: number; timetag: number }, to = 'BOB') =>
      (await service.call(messages.recall, { deleteMsgid: msgid, timetag, type: 7, from: 'Ann', to, msg: 'why' })).code
    const [one, two, three] = [await send(), await send(), await send()]
    expect(await recall(one)).toBe(200)
    expect(await said('bob', 'ann')).toEqual(['hello', 'hello'])
    clock.advance(120_001)
    expect(await recall(two)).toBe(414)
    await service.call(local.updateSettings, { recallMinutes: 3 })
    expect(await recall(two)).toBe(200)
    expect(await recall({ ...three, msgid: three.msgid + 100 })).toBe(200)
    expect(await recall(three, 'not an accid')).toBe(200)
    expect((await said('bob', 'ann')).length).toBe(1)
    expect(
      (await service.send(messages.recall, { deleteMsgid: 1, timetag: 1, type: 6, from: 'ann', to: 'bob' })).code,
    ).toBe(414)
    expect(
      (await service.send(messages.recall, { deleteMsgid: 'x', timetag: 1, type: 7, from: 'ann', to: 'bob' })).code,
    ).toBe(414)
  })
})

describe('recall of an old message', () => {
  it('is possible where the caller ignores the time, and needs sender, receiver and kind all the same', async () => {
    const { msgid, timetag } = (await service.call(messages.send, message())).data!
    clock.advance(86_400_000)
    const recall = async (more: object): Promise<number> =>
      (
        await service.send(messages.recall, {
          deleteMsgid: msgid,
          timetag,
          type: 7,
          from: 'ann',
          to: 'bob',
          ...more,
        })
      ).code
    expect(await recall({ ignoreTime: 0 })).toBe(414)
    expect(await recall({ ignoreTime: 2 })).toBe(414)
    expect(await recall({ ignoreTime: 1, type: 8 })).toBe(200)
    expect(await said('bob', 'ann')).toEqual(['hello'])
    expect(await recall({ ignoreTime: 1 })).toBe(200)
    expect(await said('bob', 'ann')).toEqual([])
  })
})

describe('querySessionMsg', () => {
  it('reads only the types that are asked for', async () => {
    await service.call(messages.send, message({ body: text('text') }))
    await service.call(messages.send, message({ type: 100, body: text('own') }))
    await service.call(messages.send, message({ type: 1, body: '{"url":"http://h/a.png"}' }))
    const types = async (type: string) =>
      (await service.call(history.session, { from: 'ann', to: 'bob', limit: 9, reverse: 1, type })).msgs?.map(
        (one) => one.type,
      )
    expect(await types('0,100')).toEqual([0, 100])
    expect(await types('1')).toEqual([1])
    expect(await types('6')).toEqual([])
  })

  it('reads a window with both ends, in both orders, up to a limit', async () => {
    const begin = clock.now()
    for (const msg of ['a', 'b', 'c', 'd']) {
      await service.call(messages.send, message({ body: text(msg) }))
      clock.advance(10)
    }
    const read = async (more: object) => {
      const { size, msgs } = await service.call(history.session, { from: 'ann', to: 'bob', limit: 100, ...more })
      expect(size).toBe(msgs!.length)
      return msgs!.map(({ body }) => (body as { msg: string }).msg).join('')
    }
    expect(await read({})).toBe('dcba')
    expect(await read({ reverse: 2, limit: 2 })).toBe('dc')
    expect(await read({ reverse: 1, limit: 2 })).toBe('ab')
    expect(await read({ reverse: 1, begintime: begin + 10, endtime: begin + 20 })).toBe('bc')
    expect(await read({ reverse: 1, begintime: begin + 11, endtime: begin + 19 })).toBe('')
    expect(await read({ endtime: begin })).toBe('a')
  })
  it.each([
    ['a limit of 0', { limit: 0 }],
    ['a limit of 101', { limit: 101 }],
    ['no limit', { limit: '' }],
    ['another order', { reverse: 3 }],
    ['a window that ends before it begins', { begintime: 2, endtime: 1 }],
    ['a time that is none', { begintime: 'x' }],
    ['an account that is not registered', { from: 'nobody' }],
    ['another that is not registered', { to: 'nobody' }],
  ])('answers 414 to %s', async (_what, wrong) => {
    expect((await service.send(history.session, { from: 'ann', to: 'bob', limit: 1, ...wrong })).code).toBe(414)
  })
  it('forgets what is older than the days of the application', async () => {
    await service.call(messages.send, message())
    clock.advance(30 * 86_400_000)
    expect(await said('ann', 'bob')).toEqual(['hello'])
    clock.advance(1)
    expect(await said('ann', 'bob')).toEqual([])
    await service.call(local.updateSettings, { historyDays: 60 })
    expect(await said('ann', 'bob')).toEqual(['hello'])
  })
})
