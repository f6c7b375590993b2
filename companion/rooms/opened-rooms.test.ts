import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import type { RoomAction, RoomPanel, RoomPush } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { Failure } from '../failure.ts'
import { failureOf, scratch, until } from '../testing/rig.ts'
import { openActionLog } from './action-log.ts'
import { openRooms, type Rooms } from './rooms.ts'
import { answeringClient } from './testing/answering-client.ts'
import { playedLink } from './testing/played-link.ts'
import { isLocal } from '../profiles/profiles.ts'

const roomid = 7
const room = { roomid, name: 'Late', announcement: 'hi', creator: 'ana', muted: false, slow: 0 }
const entry = {
  room: { ...room, broadcasturl: '', ext: '' },
  type: 1,
  mutedFor: 0,
  nick: 'Ana',
  lines: [],
  more: false,
}
let folder: ReturnType<typeof scratch>
let rooms: Rooms
let link: ReturnType<typeof playedLink>
let answers: Map<Operation, unknown>
let calls: [Operation, object][]
let told: RoomPanel[]
let pushed: [string, number, RoomPush][]
let tokens: unknown[]
let kept: string | undefined
let refusals: number
const open = (): Promise<Rooms> => {
  const answering = answeringClient((operation) => {
    const answer = answers.get(operation) ?? {}
    if (answer instanceof Error) throw answer
    return answer
  })
  calls = answering.calls
  return openRooms({
    dataDir: folder.dir,
    clock: manualClock(),
    random: (bytes) => Buffer.alloc(bytes, 0x80),
    client: () => Promise.resolve(answering.client),
    isExtended: isLocal,
    openSocket: link.open,
    device: 'this-device',
    accounts: {
      createAccount: () => Promise.reject(new Error('not asked for here')),
      ownAccount: () => Promise.reject(new Error('not asked for here')),
      refreshToken: (...given) => {
        tokens.push(['refresh', ...given])
        return Promise.resolve({ accid: 'ana', token: 'renewed' })
      },
    },
    token: (...given) => {
      tokens.push(given)
      return Promise.resolve(kept)
    },
    receiver: () => ({ phase: 'off', url: null }),
    changed: (panel) => void told.push(panel),
    pushed: (...push) => void pushed.push(push),
    log: () => undefined,
  })
}
beforeEach(async () => {
  folder = scratch()
  ;[told, pushed, tokens, kept, refusals] = [[], [], [], 'kept', 0]
  link = playedLink(({ t }) => {
    if (t === 'login' && refusals-- > 0) return { code: 414, desc: 'refused' }
    if (t === 'roomSend') return { msgid: 'm', at: 9 }
    return t === 'roomEnter' ? { ...entry, online: 1 } : undefined
  })
  answers = new Map<Operation, unknown>([
    [chatrooms.get, { chatroom: { ...room, valid: true, onlineusercount: 2 } }],
    [accounts.getUinfos, { uinfos: [{ accid: 'ana', name: 'Ana' }] }],
    [local.roomPeople, { ret: { list: [] } }],
  ])
  rooms = await open()
  rooms.serviceAt({ url: 'ws://service/link', appKey: 'app' })
  return () => {
    rooms.close()
    folder[Symbol.dispose]()
  }
})
const inside = async (): Promise<void> => {
  await rooms.enter('local', roomid, false)
  await until('to be inside', () => told.at(-1)?.phase === 'inside')
}
const logins = () => link.sockets.map(({ sent }) => sent[0]?.['token'])

describe('a room of this computer', () => {
  it('is entered as its creator with the kept token and the name of the account, and told', async () => {
    expect(await rooms.enter('local', roomid, false)).toMatchObject({ accid: 'ana', name: 'Late', phase: 'connecting' })
    await until('to be inside', () => told.at(-1)?.phase === 'inside')
    expect([tokens, logins()]).toEqual([[['local', 'ana', false]], ['kept']])
    expect(rooms.panels('local')).toEqual([told.at(-1)])
    expect(rooms.panels('h')).toEqual([])
  })

  it('stays as it is when it is entered once more, and is left', async () => {
    await inside()
    const before = calls.length
    expect(await rooms.enter('local', roomid, false)).toEqual(told.at(-1))
    expect([link.sockets.length, calls.length]).toEqual([1, before])
    rooms.leave('h', roomid)
    expect(rooms.panels('local')).toHaveLength(1)
    rooms.leave('local', roomid)
    expect([rooms.panels('local'), told.at(-1)?.phase, link.last().isClosed]).toEqual([[], 'off', true])
  })

  it('is entered with a new token where that is wanted, also while it is inside', async () => {
    await inside()
    await rooms.enter('local', roomid, true)
    await until('the second link', () => logins()[1] !== undefined)
    expect(tokens.at(-1)).toEqual(['refresh', 'local', 'ana', 'own'])
    expect(logins()).toEqual(['kept', 'renewed'])
  })

  it('says when its token is known to have been refused, and tries again with what it is given then', async () => {
    refusals = 1
    await rooms.enter('local', roomid, false)
    await until('the refusal', () => told.at(-1)?.phase === 'refused')
    kept = 'another'
    await inside()
    expect(tokens).toEqual([
      ['local', 'ana', false],
      ['local', 'ana', true],
    ])
    expect(logins()).toEqual(['kept', 'another'])
  })

  it('is not entered without a token, which is said', async () => {
    kept = undefined
    expect(await failureOf(rooms.enter('local', roomid, false))).toMatchObject({ kind: 'secret' })
    expect([link.sockets, rooms.panels('local')]).toEqual([[], []])
  })

  it('goes on with a token that was renewed, of this computer only', async () => {
    await inside()
    rooms.renewed('local', 'ana', 'fresh')
    rooms.renewed('h', 'ana', 'of another')
    rooms.serviceAt({ url: 'ws://moved/link', appKey: 'app' })
    await until('the second link', () => logins()[1] !== undefined)
    expect(logins()).toEqual(['kept', 'fresh'])
  })

  it('pushes what comes with its profile and room', async () => {
    await inside()
    link.last().push({ t: 'roomDecided', roomid, msgid: 'm', allow: true })
    expect(pushed).toEqual([['local', roomid, { t: 'roomDecided', roomid, msgid: 'm', allow: true }]])
  })

  it('has what is said from here under the name of the account', async () => {
    await inside()
    await rooms.say('local', roomid, 'hello')
    expect(pushed).toMatchObject([['local', roomid, { from: 'ana', fromNick: 'Ana', attach: 'hello' }]])
  })

  it('has its history from the service', async () => {
    answers.set(local.roomHistory, { ret: { list: [], more: true } })
    expect(await rooms.history({ profileId: 'local', call: { roomid, limit: 3 } })).toEqual({
      ret: { list: [], more: true },
    })
    expect(calls.at(-1)).toEqual([local.roomHistory, { roomid, limit: 3 }])
  })
})

describe('a room of a hosted profile', () => {
  it('is entered without a link once it was added, and read with the number of people', async () => {
    expect(await failureOf(rooms.enter('h', roomid, false))).toMatchObject({ kind: 'absent' })
    await rooms.add({ profileId: 'h', roomid })
    expect(await rooms.enter('h', roomid, false)).toMatchObject({ accid: 'ana', phase: 'connecting' })
    await until('to be read', () => told.at(-1)?.phase === 'inside')
    expect([told.at(-1)?.online, link.sockets, tokens]).toEqual([2, [], []])
    expect(calls.at(-1)).toEqual([chatrooms.get, { roomid, needOnlineUserCount: true }])
    expect([rooms.panels('h').length, rooms.panels('local')]).toEqual([1, []])
    rooms.leave('h', roomid)
    expect(rooms.panels('h')).toEqual([])
  })

  it('takes copies of its lines into the history, and those of this computer are none', async () => {
    await rooms.add({ profileId: 'h', roomid })
    await rooms.add({ profileId: 'local', roomid })
    const fields = { eventType: '4', roomId: String(roomid), attach: 'hello', fromAccount: 'mei', msgidClient: 'c' }
    const copy = { verdict: 'accepted', fields, at: 5, verified: true } as unknown as Parameters<Rooms['copied']>[1]
    for (const profileId of ['h', 'local']) rooms.copied(profileId, copy)
    expect((await rooms.history({ profileId: 'h', call: { roomid } })).ret.list).toMatchObject([
      { attach: 'hello', from: 'mei' },
    ])
    expect(calls.map(([operation]) => operation)).not.toContain(local.roomHistory)
    await rooms.forgetProfile('h')
    expect((await rooms.history({ profileId: 'h', call: { roomid } })).ret.list).toEqual([])
    expect((await rooms.list('h', undefined)).rooms).toEqual([])
  })
})

describe('the log of actions', () => {
  const act = (at: number) =>
    rooms.act({ profileId: 'local', roomid: at, measure: { kind: 'mute', target: `t${at}`, on: true }, why: '' })

  it('is listed for a room or a person, 100 entries at once', async () => {
    for (let at = 1; at <= 3; at++) await act(at)
    const targets = (of: object) =>
      rooms.actions({ profileId: 'local', ...of }).map(({ what }) => ('target' in what ? what.target : undefined))
    expect([targets({}), targets({ roomid: 2 }), targets({ target: 't3' })]).toEqual([
      ['t3', 't2', 't1'],
      ['t2'],
      ['t3'],
    ])
    expect(rooms.actions({ profileId: 'h' })).toEqual([])
    const [newest] = rooms.actions({ profileId: 'local' })
    expect(targets({ before: newest!.id })).toEqual(['t2', 't1'])
    const log = openActionLog(path.join(folder.dir, 'actions.db'))
    const action = { kind: 'muteRoom', on: true } as const
    for (let at = 0; at < 101; at++)
      log.begin({
        profileId: 'local',
        roomid: 9,
        at,
        operator: 'ana',
        seat: false,
        what: action,
        why: '',
        undoes: null,
      })
    log.close()
    expect(rooms.actions({ profileId: 'local', roomid: 9 })).toHaveLength(100)
  })

  it('is exported with names of people that the service tells, and a name of the file that says room', async () => {
    await act(roomid)
    answers.set(local.roomPeople, {
      ret: {
        list: [
          { accid: 'ana', nick: 'Ana', type: 1 },
          { accid: `t${roomid}`, nick: 'Tee', type: 0 },
        ],
      },
    })
    const json = await rooms.exportActions({ profileId: 'local', roomid, format: 'json' })
    expect(json).toMatchObject({ name: `room-${roomid}-actions.json`, next: null, dropped: null })
    expect(JSON.parse(json.text) as RoomAction[]).toMatchObject([{ operatorName: 'Ana', targetName: 'Tee' }])
    const csv = await rooms.exportActions({ profileId: 'local', roomid, format: 'csv' })
    expect([csv.name, csv.text.split('\r\n').length]).toEqual([`room-${roomid}-actions.csv`, 3])
    answers.set(local.roomPeople, new Failure('down', 'away'))
    expect(JSON.parse((await rooms.exportActions({ profileId: 'local', roomid, format: 'json' })).text)).toHaveLength(1)
  })
})

it('private notes are kept for a person and profile', async () => {
  await rooms.setNote({ profileId: 'local', accid: 'ana', text: 'friendly' })
  expect([
    rooms.note({ profileId: 'local', accid: 'ana' }).text,
    rooms.note({ profileId: 'h', accid: 'ana' }).text,
    rooms.note({ profileId: 'local', accid: 'ben' }).text,
  ]).toEqual(['friendly', '', ''])
})
