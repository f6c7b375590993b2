import { expect, it } from 'vitest'
import type { CopyReceiver, RoomCopies, RoomPanel } from '../../../contract/rpc/index.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { lookEvery, staleAfter, useHostedRoom } from './hosted-room.ts'

const began = 1_000_000
const copies: RoomCopies = {
  receiver: 'off',
  url: null,
  lastAt: null,
  verified: null,
  dropped: 0,
  elsewhere: 0,
  readAt: null,
}
const panel: RoomPanel = {
  profileId: 'h',
  roomid: 7,
  phase: 'inside',
  reason: null,
  accid: 'host',
  name: 'Seven',
  announcement: '',
  muted: false,
  mutedBy: null,
  mutedAt: null,
  slow: 0,
  online: 3,
  counts: null,
  copies,
}
const line = (profileId: string, msgid: string) => ({
  type: 'roomPush' as const,
  profileId,
  roomid: 7,
  push: {
    t: 'roomMessage' as const,
    roomid: 7,
    msgid,
    at: began,
    from: 'ana',
    fromNick: '',
    fromClientType: 'WEB',
    type: 0,
    attach: msgid,
  },
})
const stage = (procedures: Parameters<typeof roomStage>[0] = {}) => {
  const on = roomStage(
    { enter: () => panel, history: () => ({ ret: { list: [], more: false } }), ...procedures },
    began,
  )
  const choose = (id: string): void => {
    on.companion.choose(id)
    on.room.roomid = 7
  }
  choose('h')
  const put = (more: Partial<RoomCopies>): void => {
    on.room.apply({ type: 'room', panel: { ...panel, copies: { ...copies, ...more } } })
  }
  const at = (ms: number): void => {
    on.time.now = began + ms
    on.companion.clock = began + ms
  }
  return { ...on, choose, put, at, hosted: useHostedRoom() }
}

it('says where lines come from: no receiver, none yet, receiving, and none for long', () => {
  const on = stage()
  expect(on.hosted.state).toBeNull()
  on.put({})
  expect(on.hosted.state).toBe('off')
  on.put({ receiver: 'failed' })
  expect(on.hosted.state).toBe('failed')
  on.put({ receiver: 'listening', url: 'http://127.0.0.1:9/copy' })
  expect(on.hosted.state).toBe('waiting')
  on.put({ receiver: 'listening', lastAt: began })
  on.at(staleAfter)
  expect([on.hosted.state, on.hosted.age]).toEqual(['receiving', staleAfter])
  on.at(staleAfter + 1)
  expect(on.hosted.state).toBe('stale')
})

it('keeps rooms of the same number of two profiles apart', () => {
  const on = stage()
  on.put({})
  on.room.apply({ type: 'room', panel: { ...panel, profileId: 'local', name: 'Other' } })
  on.room.apply(line('local', 'there'))
  on.room.apply(line('h', 'here'))
  expect([on.room.panel?.name, on.room.log.map(({ text }) => text)]).toEqual(['Seven', ['here']])
  on.choose('local')
  expect([on.room.panel?.name, on.room.log.map(({ text }) => text)]).toEqual(['Other', ['there']])
})

it('opens with what was received, notifications among it', async () => {
  const attach = JSON.stringify({
    id: 314,
    data: { operator: 'host', target: ['ana'], tarNick: ['Ana'], muteDuration: 60 },
  })
  const on = stage({
    'chatrooms.membersByPage': () => ({ desc: { data: [] } }),
    'queue.list': () => ({ desc: { list: [] } }),
    history: () => ({
      ret: {
        list: [
          { msgid: 'b', at: 2, from: 'host', type: 5, attach, removed: false, nick: '', clientId: '' },
          { msgid: 'a', at: 1, from: 'ana', type: 0, attach: 'hello', removed: false, nick: 'Ana', clientId: '' },
        ],
        more: false,
      },
    }),
  })
  await on.room.open(7)
  expect(on.room.failure).toBeNull()
  expect(on.room.log.map(({ text, notice }) => notice?.id ?? text)).toEqual(['hello', 314])
  expect(on.room.panel?.copies).toEqual(copies)
})

it('says every 20 s that the room is shown, and nothing of rooms of this computer', async () => {
  const on = stage()
  await on.hosted.look()
  on.put({})
  await on.hosted.look()
  expect(on.calls('enter')).toEqual([])
  on.at(lookEvery)
  await on.hosted.look()
  await on.hosted.look()
  expect(on.calls('enter')).toEqual([{ profileId: 'h', roomid: 7, renew: false }])
  on.choose('local')
  on.at(lookEvery * 3)
  await on.hosted.look()
  expect(on.calls('enter')).toHaveLength(1)
})

it('starts the receiver where it listened last, and says why it cannot', async () => {
  let refused = false
  const receiver: CopyReceiver = {
    profileId: 'h',
    phase: 'off',
    host: '127.0.0.1',
    port: 9001,
    url: null,
    reason: null,
    open: false,
    verification: 'unverified',
    ignored: 0,
  }
  const on = stage({
    'copies.state': () => receiver,
    'copies.start': () => {
      if (refused) throw refusal(500)
      return { ...receiver, phase: 'listening' }
    },
  })
  on.put({})
  await on.hosted.start()
  expect(on.calls('copies.start')).toEqual([{ profileId: 'h', host: '127.0.0.1', port: 9001 }])
  expect([on.hosted.failure, on.hosted.busy]).toEqual([null, false])
  refused = true
  await on.hosted.start()
  expect([on.hosted.failure?.code, on.hosted.busy]).toEqual([500, false])
})
