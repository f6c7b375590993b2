import { onTestFinished, expect, it } from 'vitest'
import { chatrooms, live, local } from '../../contract/operations/index.ts'
import { push, type Encoder } from '../onair/testing/nodes.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'
import type { ServiceOptions } from '../service.ts'
import { eventually } from '../testing/eventually.ts'
import { startService, type TestService } from '../testing/start-service.ts'

async function started(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return service
}
async function pushTo({ service }: Pick<TestService, 'service'>, pushUrl: string): Promise<Encoder> {
  const { encoder } = await push(service.listening.rtmp, pushUrl)
  onTestFinished(() => encoder.close())
  return encoder
}
const listed = async (service: Pick<TestService, 'call'>, parameters = {}) =>
  (await service.call(local.broadcasts, parameters)).ret!

it('a push is a broadcast, which is told in events, in the state of its channel, in lists and by itself', async () => {
  const service = await started()
  const { cid, pushUrl } = (await service.call(live.create, { name: 'harbour' })).ret!
  const heard = await service.events()
  const encoder = await pushTo(service, pushUrl)
  const { broadcastId } = await heard.next('broadcast')
  await eventually(async () =>
    expect((await service.call(local.channelDetails, { cidList: [cid] })).ret!.list).toMatchObject([{ broadcastId }]),
  )
  const { list, more } = await listed(service)
  expect([list, more]).toEqual([
    [
      {
        broadcastId,
        cid,
        channel: 'harbour',
        title: 'harbour',
        began: expect.any(Number) as number,
        pushes: 1,
        viewers: 0,
        peak: 0,
      },
    ],
    false,
  ])
  expect((await service.call(local.removeBroadcast, { broadcastId })).code).toBe(631)
  const { markerId } = (await service.call(local.addMarker, { cid, label: 'kick-off' })).ret!
  await service.call(local.holdNow, { cid })
  encoder.close()
  const over = await heard.next('broadcast', ({ change }) => change === 'ended')
  expect(over).toMatchObject({ cid, broadcastId, how: 'lost' })
  const one = (await service.call(local.broadcast, { broadcastId })).ret!
  expect(one).toMatchObject({
    broadcastId,
    ended: expect.any(Number) as number,
    how: 'lost',
    clean: false,
    pushList: [{ began: list[0]!.began, ended: one.ended, how: 'lost' }],
    events: [{ kind: 'held', detail: 'hand' }],
    eventsLeftOut: 0,
    vids: [],
    markers: [{ markerId, label: 'kick-off' }],
  })
  expect(one).not.toHaveProperty('chat')
  expect((await service.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]).not.toHaveProperty('broadcastId')
  heard.close()
})

it('has a title, and stays when its channel is deleted until it is deleted itself', async () => {
  const service = await started()
  const { cid, pushUrl } = (await service.call(live.create, { name: 'harbour' })).ret!
  const heard = await service.events()
  const encoder = await pushTo(service, pushUrl)
  await eventually(async () => expect((await listed(service)).list).toHaveLength(1))
  const { broadcastId } = (await listed(service)).list[0]!
  expect((await service.call(local.setBroadcastTitle, { broadcastId, title: 'Night Radio 214' })).code).toBe(200)
  expect((await listed(service)).list).toMatchObject([{ title: 'Night Radio 214', channel: 'harbour' }])
  await service.call(local.setBroadcastTitle, { broadcastId })
  expect((await listed(service)).list).toMatchObject([{ title: 'harbour' }])
  await service.call(live.remove, { cid })
  await eventually(async () =>
    expect((await listed(service, { cid })).list).toMatchObject([{ how: 'deleted', clean: true }]),
  )
  expect((await service.call(local.removeBroadcast, { broadcastId })).code).toBe(200)
  expect((await listed(service)).list).toEqual([])
  await heard.next('broadcast', ({ change }) => change === 'removed')
  const told = heard.events.flatMap((event) => (event.type === 'broadcast' ? [event.change] : []))
  expect(told).toEqual(['began', 'changed', 'changed', 'ended', 'removed'])
  heard.close()
  encoder.close()
})

it('lists those of one channel or of all by pages, newest first', async () => {
  const service = await started()
  const cids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const { cid, pushUrl } = (await service.call(live.create, { name })).ret!
    cids.push(cid)
    const encoder = await pushTo(service, pushUrl)
    await eventually(async () => expect((await listed(service, { cid })).list).toHaveLength(1))
    encoder.close()
  }
  await eventually(async () => expect((await listed(service)).list[0]).toHaveProperty('how'))
  const all = (await listed(service)).list
  expect(all.map(({ channel }) => channel)).toEqual(['c', 'b', 'a'])
  const first = await listed(service, { limit: 2 })
  expect([first.list, first.more]).toEqual([all.slice(0, 2), true])
  const last = first.list.at(-1)!
  const rest = await listed(service, { limit: 2, beforeBegan: last.began, beforeId: last.broadcastId })
  expect([rest.list, rest.more]).toEqual([all.slice(2), false])
  expect((await listed(service, { cid: cids[1] })).list).toEqual([all[1]])
  expect((await listed(service, { beginTime: all[1]!.began, endTime: all[1]!.began })).list).toEqual([all[1]])
  expect((await service.call(local.broadcasts, { beforeBegan: 5 })).code).toBe(631)
})

it('refuses what is of another application, not there or malformed, and says when its rows are broken', async () => {
  const service = await started({ faults: true })
  const { pushUrl } = (await service.call(live.create, { name: 'harbour' })).ret!
  const encoder = await pushTo(service, pushUrl)
  await eventually(async () => expect((await listed(service)).list).toHaveLength(1))
  const { broadcastId } = (await listed(service)).list[0]!
  expect((await listed(service.other)).list).toEqual([])
  for (const operation of [local.broadcast, local.setBroadcastTitle, local.removeBroadcast]) {
    expect((await service.other.call(operation, { broadcastId })).code).toBe(617)
    expect((await service.call(operation, { broadcastId: 'f'.repeat(24) })).code).toBe(618)
    expect((await service.send(operation, '{}')).code).toBe(631)
  }
  expect((await service.send(local.broadcasts, '{')).code).toBe(631)
  for (const { path } of [local.broadcasts, local.broadcast, local.setBroadcastTitle, local.removeBroadcast])
    await service.call(local.faults, { path, code: 501 })
  expect((await service.call(local.broadcasts, {})).code).toBe(501)
  for (const operation of [local.broadcast, local.setBroadcastTitle, local.removeBroadcast])
    expect((await service.call(operation, { broadcastId })).code).toBe(501)
  encoder.close()
})

it('counts what was said in the linked room meanwhile', async () => {
  const rig: RoomRig = await startRooms()
  onTestFinished(() => rig.close())
  const { cid, pushUrl } = (await rig.call(live.create, { name: 'harbour' })).ret!
  const roomid = await rig.room()
  await rig.call(local.linkRoom, { cid, roomid })
  await rig.call(local.setWords, { words: ['maybe'], hold: true })
  const [cara, mona] = [await rig.user('cara'), await rig.user('mona')]
  for (const user of [cara, mona]) await user.request('roomEnter', { roomid })
  let count = 0
  const say = async (fromAccid: string, attach: string): Promise<void> => {
    const msgId = `e${++count}`
    expect((await rig.call(chatrooms.sendMsg, { roomid, fromAccid, msgId, msgType: 0, attach })).code).toBe(200)
  }
  await say('mona', 'before')
  await eventually(() => expect(cara.of('roomMessage').some(({ attach }) => attach === 'before')).toBe(true))
  const encoder = await pushTo({ service: rig.service }, pushUrl)
  await eventually(async () => expect((await listed(rig)).list).toHaveLength(1))
  const { broadcastId } = (await listed(rig)).list[0]!
  const chat = async () => (await rig.call(local.broadcast, { broadcastId })).ret!.chat
  expect(await chat()).toEqual({ roomid, lines: 0, people: 0, held: 0, caught: 0, removed: 0, measures: 0 })
  for (const text of ['one', 'two', 'maybe this', 'maybe that', 'maybe not']) await say('mona', text)
  await say('cara', 'three')
  const held = (await rig.call(local.held, { roomid })).ret!.list
  const idOf = (text: string): string => held.find(({ attach }) => attach === text)!.msgid
  await rig.call(local.decideHeld, { roomid, msgid: idOf('maybe this'), allow: true })
  await rig.call(local.decideHeld, { roomid, msgid: idOf('maybe that'), allow: false })
  const lines = (await rig.call(local.roomHistory, { roomid })).ret!.list
  const { msgid } = lines.find(({ attach }) => attach === 'two')!
  await rig.call(local.removeLine, { roomid, operator: 'cara', msgid })
  await rig.mute(roomid, 'mike', 60)
  const counted = { roomid, lines: 4, people: 2, held: 2, caught: 1, removed: 1, measures: 1 }
  expect(await chat()).toEqual(counted)
  encoder.close()
  await eventually(async () => expect((await listed(rig)).list[0]).toHaveProperty('ended'))
  await eventually(async () => expect(Date.now()).toBeGreaterThan((await listed(rig)).list[0]!.ended!))
  await say('cara', 'after')
  expect(await chat()).toEqual(counted)
})
