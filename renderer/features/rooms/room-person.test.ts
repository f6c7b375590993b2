import { defineStore } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RoomAction } from '../../../contract/rpc/index.ts'
import { roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { useRoomPerson } from './room-person.ts'

const start = 1_000_000
type Line = {
  msgid: string
  at: number
  from: string
  type: number
  attach: string
  removed: boolean
  nick: string
  clientId: string
}
const line = (n: number): Line => ({
  msgid: String(n),
  at: n,
  from: 'lee',
  type: 0,
  attach: `line ${n}`,
  removed: n === 3,
  nick: 'Lee',
  clientId: '',
})
const member = { roomid: 7, accid: 'lee', nick: 'Lee', type: 3, onlineStat: true, enterTime: start - 60_000 }

let inside: readonly object[]
let muted: readonly object[]
let blacklisted: readonly object[]
let said: readonly Line[]
let actions: readonly RoomAction[]
let kept: string[]
beforeEach(() => {
  inside = [member]
  muted = []
  blacklisted = []
  said = [1, 2, 3].map(line)
  actions = []
  kept = []
})
const stage = (hosted = false) => {
  const on = roomStage(
    {
      'chatrooms.queryMembers': () => ({ desc: { data: inside } }),
      'chatrooms.membersByPage': () => ({ desc: { data: [] } }),
      'queue.list': () => ({ desc: { list: [] } }),
      'local.muted': () => ({ ret: { list: muted, more: false } }),
      'local.blacklisted': () => ({ ret: { list: blacklisted, more: false } }),
      history: ({ call }) => {
        const rest = said
          .filter(({ msgid, from }) => from === call.accid && Number(msgid) < Number(call.before ?? Infinity))
          .toReversed()
        return { ret: { list: rest.slice(0, call.limit), more: rest.length > (call.limit ?? Infinity) } }
      },
      actions: ({ before }) => actions.filter(({ id }) => id < (before ?? Infinity)).slice(0, 100),
      note: () => ({ text: 'friendly' }),
      setNote: ({ text }: { text: string }) => void kept.push(text),
    },
    start,
  )
  if (hosted) {
    on.companion.choose('h')
    on.room.rooms = [{ roomid: 7, name: 'Seven', creator: 'host', valid: true, online: 1, cid: null }]
    on.room.roomid = 7
  }
  // A store is made within the page, as a component is.
  return { ...on, person: defineStore('person', () => useRoomPerson('lee'))() }
}

describe('a person of the room', () => {
  it('has a name, a role and a time of entering, as the service gives them', async () => {
    const { person } = stage()
    expect([person.online, person.nick]).toEqual([null, 'lee'])
    await vi.waitFor(() => expect(person.online).toBe(true))
    expect([person.nick, person.type, person.since, person.robot, person.guard]).toEqual([
      'Lee',
      3,
      start - 60_000,
      false,
      null,
    ])
  })

  it('is spared as a moderator also when no list names them', async () => {
    inside = [{ ...member, type: 2 }]
    const { person } = stage()
    await vi.waitFor(() => expect(person.guard).toBe('admin'))
  })

  it('is away when nobody of that name is inside', async () => {
    inside = []
    const { person } = stage()
    await vi.waitFor(() => expect(person.online).toBe(false))
    expect([person.since, person.type]).toEqual([null, null])
    await vi.waitFor(() => expect(person.nick).toBe('Lee'))
  })
})

describe('what is in force', () => {
  it('is each measure on its own, a timed mute until its time is over', async () => {
    muted = [{ accid: 'lee', permanent: true, seconds: 30 }]
    blacklisted = [{ accid: 'lee', at: 1 }]
    const { person, room, companion, time } = stage()
    await room.readPeople()
    await vi.waitFor(() => expect(person.inForce).toHaveLength(3))
    expect(person.inForce).toEqual([
      { kind: 'mute' },
      { kind: 'blacklist' },
      { kind: 'temporaryMute', until: start + 30_000 },
    ])
    time.now = start + 30_000
    companion.tick()
    expect(person.inForce).toEqual([{ kind: 'mute' }, { kind: 'blacklist' }])
  })

  it('is known of a hosted profile for those inside only', async () => {
    inside = [{ ...member, tempMuted: true, tempMuteTtl: 9 }]
    const { person } = stage(true)
    await vi.waitFor(() => expect(person.inForce).toEqual([{ kind: 'temporaryMute', until: start + 9_000 }]))
    expect(person.isForceKnown).toBe(true)
    inside = []
    const away = stage(true).person
    await vi.waitFor(() => expect(away.online).toBe(false))
    expect(away.isForceKnown).toBe(false)
  })
})

describe('the past of a person', () => {
  it('is read by pages, each line once, with what is said now', async () => {
    said = Array.from({ length: 120 }, (_, index) => line(index + 1))
    const { person, room } = stage()
    await vi.waitFor(() => expect(person.lines).toHaveLength(50))
    expect(person.older.lines).toBe(true)
    room.apply({
      type: 'roomPush',
      profileId: 'local',
      roomid: 7,
      push: {
        t: 'roomMessage',
        roomid: 7,
        msgid: '121',
        at: 121,
        from: 'lee',
        fromNick: 'Lee',
        fromClientType: 'WEB',
        type: 0,
        attach: 'now',
      },
    })
    for (const wanted of [101, 121]) {
      await person.readOlderLines()
      expect(person.lines).toHaveLength(wanted)
    }
    expect(person.older.lines).toBe(false)
    expect(person.lines.map(({ msgid }) => Number(msgid))).toEqual(Array.from({ length: 121 }, (_, index) => index + 1))
    expect(person.lines[2]?.removed).not.toBeNull()
  })

  it('has every measure of the log, the newest first', async () => {
    actions = Array.from({ length: 130 }, (_, index) =>
      roomAction({ kind: 'mute', target: 'lee', on: true }, { id: 130 - index }),
    )
    const { person } = stage()
    await vi.waitFor(() => expect(person.actions).toHaveLength(100))
    expect(person.older.actions).toBe(true)
    await person.readOlderActions()
    expect([person.actions.length, person.actions.at(-1)?.id, person.older.actions]).toEqual([130, 1, false])
  })
})

it('keeps a note when it was changed, and says when something could not be read', async () => {
  const { person } = stage()
  await vi.waitFor(() => expect(person.note).toBe('friendly'))
  await person.keepNote()
  person.note = 'asks for spoilers'
  await person.keepNote()
  await person.keepNote()
  expect(kept).toEqual(['asks for spoilers'])
  expect(person.noteKept).toBe(true)
  expect(person.failure).toBeNull()
  said = null as never
  await person.readOlderLines()
  expect(person.failure).not.toBeNull()
  // What was said of it before is no longer so when a note is kept.
  person.note = 'friendly again'
  await person.keepNote()
  expect(person.failure).toBeNull()
})

describe('what is in force at a hosted service', () => {
  it('is each measure that the service says of them, and the mute as long as it was told', async () => {
    inside = [{ ...member, muted: true, blacklisted: true, tempMuted: true, tempMuteTtl: 9 }]
    const { person, companion, time } = stage(true)
    await vi.waitFor(() =>
      expect(person.inForce).toEqual([
        { kind: 'mute' },
        { kind: 'blacklist' },
        { kind: 'temporaryMute', until: start + 9_000 },
      ]),
    )
    time.now = start + 9_000
    companion.tick()
    expect(person.inForce).toHaveLength(2)
  })

  it('is nothing where nothing is said', async () => {
    inside = [{ ...member, tempMuted: false, tempMuteTtl: 9 }]
    const { person } = stage(true)
    await vi.waitFor(() => expect(person.online).toBe(true))
    expect(person.inForce).toEqual([])
  })
})

describe('who a person of the room is', () => {
  it('is the creator whatever the lists say', async () => {
    const { room } = stage()
    const creator = defineStore('creator', () => useRoomPerson('host'))()
    expect([room.creator, creator.type, creator.guard]).toEqual(['host', 1, 'creator'])
    await vi.waitFor(() => expect(creator.online).toBe(false))
  })

  it('is a robot where the service or the list says so', async () => {
    inside = [{ ...member, isRobot: true }]
    const { person } = stage()
    await vi.waitFor(() => expect(person.robot).toBe(true))
    inside = []
    const listed = stage()
    listed.room.people = [{ accid: 'lee', nick: 'Lee', type: 3, online: true, robot: true, since: null }]
    expect(listed.person.robot).toBe(true)
  })

  it('came when the log says where the service does not', async () => {
    inside = [{ ...member, enterTime: undefined }]
    const { person, room } = stage()
    await vi.waitFor(() => expect(person.online).toBe(true))
    expect(person.since).toBeNull()
    const push = (at: number, target: string) => ({
      t: 'roomMessage' as const,
      roomid: 7,
      msgid: `n${at}`,
      at,
      from: target,
      fromNick: '',
      fromClientType: 'WEB',
      type: 5,
      attach: JSON.stringify({ id: 301, data: { target: [target], tarNick: [''] } }),
    })
    for (const [at, target] of [
      [10, 'lee'],
      [20, 'lee'],
      [30, 'kim'],
    ] as const)
      room.apply({ type: 'roomPush', profileId: 'local', roomid: 7, push: push(at, target) })
    expect(person.since).toBe(20)
  })

  it('is asked for again after the people of the room were read', async () => {
    const on = stage()
    await vi.waitFor(() => expect(on.person.online).toBe(true))
    const before = on.calls('chatrooms.queryMembers').length
    inside = []
    await on.room.readPeople()
    await vi.waitFor(() => expect(on.person.online).toBe(false))
    expect(on.calls('chatrooms.queryMembers').length).toBeGreaterThan(before)
  })
})

describe('a person for a moderator at another computer', () => {
  it('has the log of that room only, and no note', async () => {
    actions = [roomAction({ kind: 'mute', target: 'lee', on: true }, { id: 3 })]
    const on = stage()
    on.companion.about = {
      version: '1',
      shell: 'browser',
      platform: '',
      capabilities: [],
      shellReason: null,
      seat: { profileId: 'local', roomid: 7, cid: null, accid: 'mei', name: 'Mei' },
    }
    const before = on.calls('note').length
    const person = defineStore('theirs', () => useRoomPerson('lee'))()
    await vi.waitFor(() => expect(person.actions).toHaveLength(1))
    expect(on.calls('actions').at(-1)).toEqual({ profileId: 'local', roomid: 7, target: 'lee' })
    expect([on.calls('note').length, person.note]).toEqual([before, ''])
  })
})

describe('the note of a person', () => {
  it('that is written before it was read stays, and is kept as it is', async () => {
    const on = stage()
    on.person.note = 'typed at once'
    await vi.waitFor(() => expect(on.calls('note')).toHaveLength(1))
    await on.person.keepNote()
    expect([on.person.note, kept]).toEqual(['typed at once', ['typed at once']])
  })

  it('is not kept where nothing was changed', async () => {
    const { person } = stage()
    await vi.waitFor(() => expect(person.note).toBe('friendly'))
    await person.keepNote()
    expect([kept, person.noteKept]).toEqual([[], false])
  })
})

it('lines and entries are all where a page is not full', async () => {
  said = Array.from({ length: 50 }, (_, index) => line(index + 1))
  actions = Array.from({ length: 99 }, (_, index) =>
    roomAction({ kind: 'mute', target: 'lee', on: true }, { id: 99 - index }),
  )
  const on = stage()
  await vi.waitFor(() => expect([on.person.lines.length, on.person.actions.length]).toEqual([50, 99]))
  expect(on.person.older).toEqual({ lines: false, actions: false })
  expect(on.calls('history')[0]).toMatchObject({ call: { roomid: 7, accid: 'lee', limit: 50 } })
})
