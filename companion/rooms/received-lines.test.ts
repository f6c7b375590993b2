import { beforeEach, describe, expect, it } from 'vitest'
import { roomMessageCopy } from '../../contract/callbacks/copy-builders.ts'
import { noticeType, roomNotices } from '../../contract/catalogue/notices.ts'
import { maxLinesBytes } from '../../contract/operations/local.ts'
import type { Measure, ReceivedCopy, RoomPanel, RoomPush } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { scratch, until } from '../testing/rig.ts'
import type { ReadRoom } from './hosted-panels.ts'
import { type HostedRooms, openHostedRooms } from './hosted-rooms.ts'
import { copiedId } from './copied-line.ts'

const profileId = 'h'
const roomid = 7
const known = [7, 8].map((each) => ({ profileId, roomid: each, name: 'Late', creator: 'host' }))
let clock: ReturnType<typeof manualClock>
let hosted: HostedRooms
let told: RoomPanel[]
let pushed: [string, number, RoomPush][]
let asked: [string, number][]
let read: ReadRoom
beforeEach(() => {
  const folder = scratch()
  clock = manualClock()
  ;[told, pushed, asked] = [[], [], []]
  read = { name: 'Late', announcement: 'hi', valid: true, muted: false, onlineusercount: 3 }
  hosted = openHostedRooms({
    dataDir: folder.dir,
    clock,
    known: (id) => known.filter((room) => room.profileId === id),
    read: (...of) => {
      asked.push(of)
      return Promise.resolve(read)
    },
    receiver: () => ({ phase: 'listening', url: 'http://127.0.0.1:1/' }),
    changed: (panel) => void told.push(panel),
    pushed: (...push) => void pushed.push(push),
  })
  return () => {
    hosted.close()
    folder[Symbol.dispose]()
  }
})
const copyOf = (fields: Record<string, string>, more: Partial<ReceivedCopy> = {}): ReceivedCopy => ({
  id: 1,
  at: clock.now(),
  test: null,
  from: '127.0.0.1',
  fields,
  verdict: 'accepted',
  verified: true,
  stale: false,
  why: null,
  ...more,
})
const said = (clientId: string, at: number, more: object = {}) =>
  roomMessageCopy({
    roomid,
    from: 'ana',
    nick: 'Ana',
    clientType: 'WEB',
    at,
    type: 0,
    attach: `said ${clientId}`,
    clientId,
    ...more,
  })
const notice = (id: number, from = 'mei') =>
  said(`notice ${id}`, clock.now(), { type: noticeType, from, attach: JSON.stringify({ id, data: {} }) })
const copied = (fields: Record<string, string>, more?: Partial<ReceivedCopy>) =>
  hosted.copied(profileId, copyOf(fields, more))
const texts = (call: object = {}) => hosted.history(profileId, { roomid, ...call }).ret.list.map(({ attach }) => attach)
const panel = () => told.findLast((each) => each.roomid === roomid)!
const enter = async (of = roomid): Promise<void> => {
  hosted.enter(profileId, of)
  await until('the room to be read', () => told.findLast((each) => each.roomid === of)?.phase === 'inside')
}

describe('a copy of a line', () => {
  it('is kept, pushed to who sits in its room, and told with its time and whether it was verified', async () => {
    copied(said('before', 5))
    expect(pushed).toEqual([])
    await enter()
    clock.advance(10)
    copied(said('a', 10), { verified: false })
    expect(pushed).toMatchObject([[profileId, roomid, { t: 'roomMessage', attach: 'said a', from: 'ana' }]])
    expect(texts()).toEqual(['said a', 'said before'])
    const at = clock.now()
    clock.advance(1_000)
    expect(panel().copies).toMatchObject({ lastAt: at, verified: false, dropped: 0, elsewhere: 0 })
  })

  it('that came before is not pushed again', async () => {
    await enter()
    copied(said('a', 10))
    copied(said('a', 10))
    expect([pushed.length, texts()]).toEqual([1, ['said a']])
  })

  it('is pushed to its room only', async () => {
    await enter(8)
    copied(said('a', 10))
    expect(pushed).toEqual([])
    expect(hosted.history(profileId, { roomid: 8 }).ret.list).toEqual([])
  })

  it.each<[string, Record<string, string>, Partial<ReceivedCopy>]>([
    ['one that is forged', said('a', 10), { verdict: 'forged' }],
    ['one that came before', said('a', 10), { verdict: 'duplicate' }],
    ['one of another kind', { ...said('a', 10), eventType: '1' }, {}],
  ])('is ignored and not counted: %s', async (_what, fields, more) => {
    await enter()
    copied(fields, more)
    clock.advance(1_000)
    expect([texts(), pushed, panel().copies?.dropped, panel().copies?.elsewhere]).toEqual([[], [], 0, 0])
  })

  it('without content is counted as dropped, and one of a room that was not added as one from elsewhere', async () => {
    await enter()
    const { attach: _content, ...without } = said('a', 10)
    copied(without)
    for (let times = 0; times < 2; times++) copied(said('b', 10, { roomid: 99 }))
    clock.advance(1_000)
    expect(panel().copies).toMatchObject({ dropped: 1, elsewhere: 2 })
    hosted.forget(profileId)
    await enter()
    expect(panel().copies).toMatchObject({ dropped: 0, elsewhere: 0 })
  })
})

describe('a notice among the copies', () => {
  it('that the room is muted is believed when the service says so, with who did it and when', async () => {
    await enter()
    read = { ...read, muted: true }
    copied(notice(roomNotices.roomMuted))
    expect(panel().muted).toBe(false)
    const at = clock.now()
    clock.advance(2_000)
    await until('the answer', () => panel().muted)
    expect(panel()).toMatchObject({ mutedBy: 'mei', mutedAt: at })
    read = { ...read, muted: false }
    copied(notice(roomNotices.roomUnmuted))
    clock.advance(2_000)
    await until('the answer', () => !panel().muted)
    expect(panel().mutedBy).toBeNull()
  })

  it.each([
    [roomNotices.updated, 2],
    [roomNotices.closed, 2],
    [roomNotices.muted, 1],
    [roomNotices.queueChanged, 1],
  ])('of what changes the room itself makes it be read: %i', async (id, reads) => {
    await enter()
    copied(notice(id))
    clock.advance(2_000)
    expect(asked).toHaveLength(reads)
  })

  it('is none where somebody says what a notice looks like', async () => {
    await enter()
    copied({ ...notice(roomNotices.updated), msgType: 'TEXT' })
    clock.advance(2_000)
    expect(asked).toHaveLength(1)
  })

  it('is in the history where it is asked for', () => {
    copied(said('a', 10))
    copied(notice(roomNotices.updated))
    expect([texts().length, texts({ notices: true }).length]).toEqual([1, 2])
  })
})

describe('a line that is said from here', () => {
  const own = { roomid, at: 10, from: 'HOST', fromNick: 'The host', attach: 'mine', clientId: 'c1' }

  it('is pushed and kept at once, and its copy is no second one but is told as the last', async () => {
    await enter()
    const line = hosted.said(profileId, own)
    expect(line).toMatchObject({ msgid: copiedId('host', 'c1'), from: 'host', fromClientType: 'REST', type: 0 })
    expect(pushed).toEqual([[profileId, roomid, line]])
    copied(said('c1', 10, { from: 'host', attach: 'mine' }))
    expect([pushed.length, texts()]).toEqual([1, ['mine']])
    clock.advance(1_000)
    expect(panel().copies).toMatchObject({ verified: true, lastAt: clock.now() - 1_000 })
  })

  it('in a room that was not added is not kept', () => {
    hosted.said(profileId, { ...own, roomid: 99 })
    expect([pushed, hosted.history(profileId, { roomid: 99 }).ret.list]).toEqual([[], []])
  })
})

describe('the history of a hosted room', () => {
  it('is of one person and time, latest first, in parts with the word whether there is more', () => {
    for (let at = 1; at <= 5; at++) copied(said(`l${at}`, at, { from: at % 2 === 0 ? 'ana' : 'Ben' }))
    expect(texts({ accid: 'BEN' })).toEqual(['said l5', 'said l3', 'said l1'])
    expect(texts({ beginTime: 2, endTime: 4 })).toEqual(['said l4', 'said l3', 'said l2'])
    const part = hosted.history(profileId, { roomid, limit: 2 }).ret
    expect([part.list.map(({ attach }) => attach), part.more]).toEqual([['said l5', 'said l4'], true])
    const next = hosted.history(profileId, { roomid, limit: 3, before: part.list.at(-1)!.msgid }).ret
    expect([next.list.map(({ attach }) => attach), next.more]).toEqual([['said l3', 'said l2', 'said l1'], false])
    expect(part.list[0]).toMatchObject({ at: 5, from: 'ben', type: 0, removed: false, nick: 'Ana', clientId: 'l5' })
  })

  it('gives 100 lines where no number is asked for, and no more bytes than an answer has room for', () => {
    for (let at = 1; at <= 101; at++) copied(said(`l${at}`, at))
    const { list, more } = hosted.history(profileId, { roomid }).ret
    expect([list.length, more]).toEqual([100, true])
    for (let at = 1; at <= 100; at++) copied(said(`long ${at}`, 1_000 + at, { attach: '深'.repeat(8_000) }))
    const long = hosted.history(profileId, { roomid }).ret
    expect(Buffer.byteLength(JSON.stringify(long.list))).toBeLessThanOrEqual(maxLinesBytes + 101)
    expect([long.list.length < 100, long.more]).toEqual([true, true])
  })
})

describe('what is done from here', () => {
  it('to mute the room is shown at once, with the operator', async () => {
    await enter()
    hosted.acted(profileId, roomid, 'host', { kind: 'muteRoom', on: true })
    expect(panel()).toMatchObject({ muted: true, mutedBy: 'host', mutedAt: clock.now() })
    hosted.acted(profileId, roomid, 'host', { kind: 'muteRoom', on: false })
    expect(panel()).toMatchObject({ muted: false, mutedBy: null })
  })

  it.each<[Measure, number]>([
    [{ kind: 'openRoom', on: false }, 2],
    [{ kind: 'announce', text: 'x' }, 2],
    [{ kind: 'rename', text: 'x' }, 2],
    [{ kind: 'mute', target: 'ana', on: true }, 1],
    [{ kind: 'queueClear' }, 1],
  ])('to the room itself makes it be read: %j', async (measure, reads) => {
    await enter()
    hosted.acted(profileId, roomid, 'host', measure)
    clock.advance(2_000)
    expect(asked).toHaveLength(reads)
    expect(asked[0]).toEqual([profileId, roomid])
  })
})

describe('a profile', () => {
  it('that was removed has no rooms and lines any more, and others keep theirs', async () => {
    await enter()
    copied(said('a', 10))
    hosted.copied('other', copyOf(said('a', 10)))
    hosted.forget(profileId)
    expect([panel().phase, hosted.panels(profileId), texts()]).toEqual(['off', [], []])
  })

  it('whose receiver changed has that told by its rooms', async () => {
    await enter()
    await enter(8)
    told.splice(0)
    hosted.receiverChanged(profileId)
    hosted.receiverChanged('other')
    clock.advance(1_000)
    expect(told.map((each) => each.roomid)).toEqual([7, 8])
  })

  it('is entered only with a room that was added, and left', async () => {
    expect(() => hosted.enter(profileId, 99)).toThrow('was not added here')
    expect(() => hosted.enter('other', roomid)).toThrow('was not added here')
    await enter()
    hosted.leave(profileId, roomid)
    expect([panel().phase, hosted.panels(profileId)]).toEqual(['off', []])
  })
})
