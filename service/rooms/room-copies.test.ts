import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { roomCopy } from '../../contract/callbacks/copy.ts'
import { chatrooms, local, queue } from '../../contract/operations/index.ts'
import { membersFault } from '../../contract/validate.ts'
import { startReceiver } from '../outbox/testing/receiver.ts'
import { eventually } from '../testing/eventually.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
let receiver: Awaited<ReturnType<typeof startReceiver>>
let roomid: number
beforeAll(async () => {
  receiver = await startReceiver()
  rig = await startRooms()
  expect((await rig.call(local.setCopyTarget, { url: receiver.url })).code).toBe(200)
})
afterAll(async () => {
  await rig.close()
  await receiver.close()
})
beforeEach(async () => {
  roomid = await rig.room()
})

/** Copies of the room so far, each validated; all values are strings. */
const copies = (): Record<string, string>[] =>
  receiver.received.flatMap(({ body, fields }) => {
    if (body === '{}' || fields['roomId'] !== String(roomid)) return []
    expect([fields['eventType'], membersFault(roomCopy, fields)]).toEqual(['4', undefined])
    expect(Object.values(fields).filter((value) => typeof value !== 'string')).toEqual([])
    return [fields]
  })

describe('copies of a room', () => {
  it('have every field of the specification, with what it means', async () => {
    await rig.call(local.setWords, { words: ['bad'] })
    const mona = await rig.user('mona')
    const before = Date.now()
    await mona.request('roomEnter', { roomid, nick: '小莫', avatar: 'http://x/a.png', ext: '{"badge":1}' })
    const { at } = await mona.request('roomSend', {
      roomid,
      type: 0,
      attach: 'so bad',
      clientId: 'full',
      resend: 1,
      ext: '{"e":"x"}',
    })
    await rig.call(local.setWords, { words: [] })
    await eventually(() => expect(copies()).toHaveLength(1))
    const [copy] = copies()
    expect(copy).toEqual({
      eventType: '4',
      roomId: String(roomid),
      fromAccount: 'mona',
      fromAvator: 'http://x/a.png',
      fromClientType: 'WEB',
      fromExt: '{"badge":1}',
      fromNick: '小莫',
      msgTimestamp: String(at),
      msgType: 'TEXT',
      attach: 'so bad',
      msgidClient: 'full',
      resendFlag: '1',
      roleInfoTimetag: expect.any(String) as string,
      ext: '{"e":"x"}',
      antispam: 'true',
    })
    expect(Object.keys(copy!).toSorted()).toEqual(Object.keys(roomCopy).toSorted())
    // The card's time is that of the entry, or of a later change of appearance.
    const changed = Number(copy!['roleInfoTimetag'])
    expect(changed).toBeGreaterThanOrEqual(before)
    expect(changed).toBeLessThanOrEqual(at)
    await mona.request('roomEnter', { roomid, nick: 'Mo' })
    await mona.request('roomSend', { roomid, type: 0, attach: 'good', clientId: 'next' })
    await eventually(() => expect(copies()).toHaveLength(2))
    const next = copies()[1]!
    expect(next).toMatchObject({ fromNick: 'Mo', resendFlag: '0' })
    expect(Number(next['roleInfoTimetag'])).toBeGreaterThan(changed)
    expect(next).not.toHaveProperty('antispam')
    expect(next).not.toHaveProperty('ext')
  })

  it('name every type, with the content as it was sent', async () => {
    const said = [
      [0, 'TEXT', 'plain'],
      [1, 'PICTURE', '{"url":"http://x/a.png"}'],
      [2, 'AUDIO', '{"url":"http://x/a.aac","dur":1000}'],
      [3, 'VIDEO', '{"url":"http://x/a.mp4"}'],
      [4, 'LOCATION', '{"lng":1.5,"lat":2}'],
      [6, 'FILE', '{"url":"http://x/a","name":"a"}'],
      [10, 'TIPS', 'a tip'],
      [100, 'CUSTOM', '{"any":1}'],
    ] as const
    for (const [msgType, , attach] of said)
      await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'mona', msgId: `t${msgType}`, msgType, attach })
    await eventually(() =>
      expect(copies().map((copy) => [copy['msgType'], copy['attach'], copy['fromClientType']])).toEqual(
        said.map(([, name, attach]) => [name, attach, 'REST']),
      ),
    )
  })

  it('tell in order of every measure, role and change of the room and its queue, and not of who comes and goes', async () => {
    const mona = await rig.user('mona')
    await mona.request('roomEnter', { roomid })
    for (const opt of [-2, 1, 2, -1] as const)
      for (const on of [true, false]) expect(await rig.role(roomid, 'mona', opt, on)).toBe(200)
    for (const seconds of [60, 0]) expect(await rig.mute(roomid, 'mona', seconds)).toBe(200)
    for (const mute of [true, false]) await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute })
    await rig.call(queue.offer, { roomid, key: 'k', value: 'v' })
    await rig.call(queue.drop, { roomid })
    await rig.call(chatrooms.update, { roomid, name: 'new' })
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    const told = () => copies().map((copy) => [copy['msgType'], (JSON.parse(copy['attach']!) as { id: number }).id])
    const ids = [305, 306, 307, 308, 309, 310, 303, 313, 304, 314, 315, 318, 319, 317, 320, 312, 311]
    await eventually(() => expect(told()).toEqual(ids.map((id) => ['NOTIFICATION', id])))
    expect(copies()[0]).toMatchObject({
      fromAccount: 'cara',
      fromNick: 'CARA',
      fromClientType: 'REST',
      resendFlag: '0',
    })
  })

  it('are made while their kind is active', async () => {
    const line = (msgId: string) =>
      rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'mona', msgId, msgType: 0, attach: msgId })
    await rig.call(local.setCopyTarget, { url: receiver.url, kinds: [1, 2, 3] })
    await line('unheard')
    await rig.role(roomid, 'mona', -2)
    await rig.call(local.setCopyTarget, { url: receiver.url, kinds: [1, 4] })
    await rig.role(roomid, 'mona', -2, false)
    await line('heard')
    await eventually(() => expect(copies().map((copy) => copy['msgType'])).toEqual(['NOTIFICATION', 'TEXT']))
    expect(copies()[1]).toMatchObject({ attach: 'heard' })
  })
})
