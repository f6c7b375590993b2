import { beforeEach, describe, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { noticeType, roomNotices } from '../../contract/catalogue/notices.ts'
import { linkClose } from '../../contract/link/frames.ts'
import type { RoomPanel, RoomPush } from '../../contract/rpc/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { Failure } from '../failure.ts'
import { failureOf, until } from '../testing/rig.ts'
import { createRoomPanels, type RoomPanels } from './room-panels.ts'
import { playedLink, type SentFrame } from './testing/played-link.ts'

const roomid = 7
const address = { url: 'ws://service/link', appKey: 'app' }
const figures = { online: 5, people: 3, robots: 2, muted: 1, blacklisted: 4 }
const texts = { announcement: 'hi', broadcasturl: '', ext: '' }
const room = { roomid, name: 'Late', ...texts, creator: 'host', muted: false, slow: 5 }
const entry = { type: 1, mutedFor: 0, nick: 'The host', lines: [], more: false }
let clock: ReturnType<typeof manualClock>
let link: ReturnType<typeof playedLink>
let panels: RoomPanels
let told: RoomPanel[]
let pushed: [number, RoomPush][]
let answers: Record<string, object | undefined>
const panel = (of = roomid): RoomPanel =>
  told.findLast((each) => each.roomid === of) ?? expect.fail('nothing was told of this room')
const enter = (of = roomid, token = 'first') =>
  panels.enter({ roomid: of, accid: 'host', token, name: 'as listed', nick: 'The host' })
const enterings = () => link.sockets.flatMap(({ sent }) => sent.filter(({ t }) => t === 'roomEnter'))
const inside = async (of = roomid): Promise<void> => {
  enter(of)
  await until('to be inside', () => panel(of).phase === 'inside')
}
/** Lets frames that are under way arrive. */
const settle = () => new Promise((resolve) => setImmediate(resolve))
const line = (more: object = {}) => ({
  t: 'roomMessage',
  roomid,
  msgid: 'm1',
  at: 9,
  from: 'mei',
  fromNick: 'Mei',
  fromClientType: 'WEB',
  type: 0,
  attach: 'hello',
  ...more,
})
const notice = (id: number) => line({ type: noticeType, attach: JSON.stringify({ id, data: {} }) })

beforeEach(() => {
  clock = manualClock()
  told = []
  pushed = []
  answers = { roomEnter: { ...entry, room, ...figures } }
  link = playedLink((frame: SentFrame) => answers[frame.t])
  panels = createRoomPanels({
    profileId: 'local',
    clock,
    random: () => 0.5,
    device: 'this-device',
    openSocket: link.open,
    changed: (each) => void told.push(each),
    pushed: (of, push) => void pushed.push([of, push]),
    log: () => undefined,
  })
  panels.serviceAt(address)
})

describe('a session in a room', () => {
  it('logs in as the creator with the device of the app and a client kind of its own', async () => {
    expect(enter()).toMatchObject({ phase: 'connecting', profileId: 'local', roomid, accid: 'host', name: 'as listed' })
    await until('to be inside', () => panel().phase === 'inside')
    expect(link.last().url).toBe(address.url)
    expect(link.last().sent[0]).toMatchObject({
      t: 'login',
      appKey: 'app',
      accid: 'host',
      token: 'first',
      device: 'this-device',
      clientType: 'WEB',
      sdkVersion: 'sidestage-room',
    })
    expect(enterings()).toMatchObject([{ roomid, lines: 0 }])
  })

  it('is told as connecting first, and then as inside with what the service says of the room', async () => {
    await inside()
    expect(told[0]).toMatchObject({ phase: 'connecting', name: 'as listed', online: null, counts: null })
    expect(panel()).toEqual({
      profileId: 'local',
      roomid,
      phase: 'inside',
      reason: null,
      accid: 'host',
      name: 'Late',
      announcement: 'hi',
      muted: false,
      mutedBy: null,
      mutedAt: null,
      slow: 5,
      online: 5,
      counts: { people: 3, robots: 2, muted: 1, blacklisted: 4 },
    })
    expect([panels.find(roomid), panels.all()]).toEqual([panel(), [panel()]])
  })

  it.each(['people', 'robots', 'muted', 'blacklisted'])(
    'has no counts while the service omits one: %s',
    async (name) => {
      const { [name as 'people']: _omitted, ...rest } = figures
      answers['roomEnter'] = { ...entry, room, ...rest }
      await inside()
      expect(panel()).toMatchObject({ online: 5, counts: null })
    },
  )

  it('waits while there is no service, and enters when there is one', async () => {
    panels.serviceAt(undefined)
    enter()
    expect([panel().phase, link.sockets.length]).toEqual(['waiting', 0])
    panels.serviceAt(address)
    await until('to be inside', () => panel().phase === 'inside')
  })

  it('stays on its link while the address of the service is the same, and changes with it', async () => {
    await inside()
    panels.serviceAt({ ...address })
    expect(link.sockets).toHaveLength(1)
    panels.serviceAt({ ...address, appKey: 'other' })
    await until('the second link', () => enterings().length === 2)
    expect(link.last().sent[0]).toMatchObject({ appKey: 'other' })
    panels.serviceAt({ url: 'ws://moved/link', appKey: 'other' })
    await until('the third link', () => enterings().length === 3)
    expect(link.sockets.map(({ url, isClosed }) => [url, isClosed])).toEqual([
      [address.url, true],
      [address.url, true],
      ['ws://moved/link', false],
    ])
  })

  it('is entered anew by a second call, whose token is used, and hears nothing more from the link before', async () => {
    await inside()
    const first = link.last()
    enter(roomid, 'second')
    expect(first.isClosed).toBe(true)
    await until('to be inside again', () => enterings().length === 2 && panel().phase === 'inside')
    expect(link.last().sent[0]).toMatchObject({ token: 'second' })
    first.push(line())
    expect([panels.all().length, pushed]).toEqual([1, []])
  })

  it('leaves by closing its link, tells that, and is gone', async () => {
    await inside()
    panels.leave(roomid)
    expect(link.last().isClosed).toBe(true)
    expect(panel()).toMatchObject({ phase: 'off', online: null, counts: null })
    expect([panels.all(), panels.find(roomid), panels.hasRefusedToken(roomid)]).toEqual([[], undefined, false])
    const before = told.length
    panels.leave(roomid)
    expect(told).toHaveLength(before)
  })

  it('is one of eight at most; one that is inside already may be entered again', async () => {
    for (let of = 1; of <= 8; of++) enter(of)
    expect(await failureOf((async () => enter(9))())).toMatchObject({
      kind: 'absent',
      detail: 'at most 8 rooms at once',
    })
    enter(8)
    panels.leave(1)
    enter(9)
    expect(panels.all().map((each) => each.roomid)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('ends without a word: all links are closed and no room is left', async () => {
    await inside(1)
    await inside(2)
    const before = told.length
    panels.end()
    expect(link.sockets.map(({ isClosed }) => isClosed)).toEqual([true, true])
    expect([told.length, panels.all()]).toEqual([before, []])
  })
})

describe('a session that is not admitted', () => {
  it.each([
    [{ code: 13002, desc: 'closed' }, reasonOf('link', 'closed')],
    [{ code: 13003, desc: 'not you' }, reasonOf('link', 'answered', { code: '13003', answer: 'not you' })],
  ])('is refused with the reason of the service: %j', async (refusal, reason) => {
    answers['roomEnter'] = refusal
    enter()
    await until('the refusal', () => panel().phase === 'refused')
    expect(panel()).toMatchObject({ reason, online: refusal.code === 13002 ? 0 : null, counts: null })
    expect(panels.hasRefusedToken(roomid)).toBe(false)
  })

  it('is entered again by itself after a fault of the service, and not after a refusal', async () => {
    answers['roomEnter'] = { code: 500, desc: 'the database is away' }
    enter()
    await until('the fault', () => panel().phase === 'refused')
    expect(panel().reason).toEqual(reasonOf('link', 'answered', { code: '500', answer: 'the database is away' }))
    clock.advance(5_000)
    await until('a second try', () => enterings().length === 2)
    await settle()
    answers['roomEnter'] = { ...entry, room, ...figures }
    clock.advance(5_000)
    await until('to be inside', () => panel().phase === 'inside')
    panels.leave(roomid)
    answers['roomEnter'] = { code: 13002, desc: 'closed' }
    enter()
    await until('the refusal', () => panel().phase === 'refused')
    const before = enterings().length
    clock.advance(5_000)
    await settle()
    expect(enterings()).toHaveLength(before)
  })

  it('is refused where the contract has the answer otherwise, which reaches no page', async () => {
    answers['roomEnter'] = { ...entry, room: { ...room, name: 5 }, ...figures }
    enter()
    await until('the refusal', () => panel().phase === 'refused')
    expect(panel()).toMatchObject({
      name: 'as listed',
      reason: reasonOf('link', 'failed', { system: 'roomEnter.room.name is not a string' }),
    })
  })

  it('says whether it was its token that was refused', async () => {
    answers['login'] = { code: 414, desc: 'wrong token' }
    enter()
    await until('the refusal', () => panel().phase === 'refused')
    expect(panel().reason).toEqual(reasonOf('link', 'credentials'))
    expect([panels.hasRefusedToken(roomid), panels.hasRefusedToken(8)]).toEqual([true, false])
  })

  it('is refused when the account is kicked from the link, not for its token', async () => {
    await inside()
    link.last().push({ t: 'kicked', reason: 'elsewhere' })
    link.last().drop(linkClose.kicked)
    expect(panel()).toMatchObject({
      phase: 'refused',
      reason: reasonOf('link', 'elsewhere'),
      online: null,
      counts: null,
    })
    expect(panels.hasRefusedToken(roomid)).toBe(false)
  })

  it('is not refused when the link drops before the room answers', async () => {
    answers['roomEnter'] = undefined
    enter()
    await until('to ask', () => enterings().length === 1)
    link.last().drop(1006)
    await settle()
    expect(panel()).toMatchObject({ phase: 'waiting', reason: null })
  })
})

describe('a session whose link drops', () => {
  it('waits, connects by itself with the newest token of the account, and enters again', async () => {
    await inside()
    panels.renewed('host', 'renewed')
    panels.renewed('somebody', 'not mine')
    link.last().drop(1006)
    expect(panel()).toMatchObject({ phase: 'waiting', online: null, counts: null })
    clock.advance(500)
    expect(panel().phase).toBe('connecting')
    await until('to be inside again', () => panel().phase === 'inside')
    expect(link.last().sent[0]).toMatchObject({ t: 'login', token: 'renewed' })
    expect(panel()).toMatchObject({ online: 5, counts: { people: 3 } })
  })

  it('knows who muted the room only while it is muted', async () => {
    await inside()
    link.last().push(notice(roomNotices.roomMuted))
    answers['roomEnter'] = { ...entry, room: { ...room, muted: true }, ...figures }
    link.last().drop(1006)
    clock.advance(500)
    await until('to be inside again', () => panel().phase === 'inside')
    expect(panel()).toMatchObject({ muted: true, mutedBy: 'mei', mutedAt: 9 })
    answers['roomEnter'] = { ...entry, room, ...figures }
    link.last().drop(1006)
    clock.advance(500)
    await until('to be inside again', () => panel().phase === 'inside')
    expect(panel()).toMatchObject({ muted: false, mutedBy: null, mutedAt: null })
  })

  it('takes no answer of a link that was replaced meanwhile', async () => {
    answers['roomEnter'] = undefined
    enter()
    await until('to ask', () => enterings().length === 1)
    const first = link.last()
    enter(roomid, 'second')
    await until('to ask again', () => enterings().length === 2)
    first.answer(first.sent.at(-1)!, { ...entry, room: { ...room, name: 'of the old link' }, ...figures })
    await settle()
    expect(panel()).toMatchObject({ phase: 'connecting', name: 'as listed' })
  })
})

describe('what a room pushes', () => {
  it('reaches the pages of that room, and nothing else does', async () => {
    await inside()
    const { push } = link.last()
    push(line())
    push({ t: 'roomRecall', roomid, msgid: 'm1', at: 9, from: 'mei', clientId: 'c', operator: 'host' })
    const before = told.length
    push(line({ roomid: 8 }))
    push({ ...notice(roomNotices.roomMuted), roomid: 8 })
    push({ t: 'kindOfLater', roomid })
    push({
      t: 'notification',
      msgid: 1,
      at: 1,
      scene: 'p2p',
      from: 'mei',
      to: 'host',
      attach: '',
      push: false,
      badge: false,
    })
    expect(pushed.map(([of, { t }]) => [of, t])).toEqual([
      [roomid, 'roomMessage'],
      [roomid, 'roomRecall'],
    ])
    expect(told).toHaveLength(before)
  })

  it('tells who muted the room and when, and that it is not muted any more', async () => {
    await inside()
    link.last().push(notice(roomNotices.roomMuted))
    expect(panel()).toMatchObject({ muted: true, mutedBy: 'mei', mutedAt: 9, phase: 'inside', online: 5 })
    link.last().push(notice(roomNotices.roomUnmuted))
    expect(panel()).toMatchObject({ muted: false, mutedBy: null, mutedAt: null })
    expect(pushed).toHaveLength(2)
  })

  it('is no notice where somebody writes what a notice looks like', async () => {
    await inside()
    link.last().push(line({ attach: JSON.stringify({ id: roomNotices.roomMuted, data: {} }) }))
    expect(panel().muted).toBe(false)
  })

  it('makes it read the room again when the room was changed', async () => {
    await inside()
    answers['roomEnter'] = { ...entry, room: { ...room, announcement: 'new', slow: 9 }, ...figures }
    link.last().push(notice(roomNotices.updated))
    await until('the new text', () => panel().announcement === 'new')
    expect(panel()).toMatchObject({ phase: 'inside', slow: 9 })
    expect([link.sockets.length, enterings().length]).toEqual([1, 2])
  })

  it('counts people without a push to the pages', async () => {
    await inside()
    link.last().push({ t: 'roomCount', roomid, online: 9, people: 8, robots: 1, muted: 0, blacklisted: 2 })
    expect(panel()).toMatchObject({ online: 9, counts: { people: 8, robots: 1, muted: 0, blacklisted: 2 } })
    link.last().push({ t: 'roomCount', roomid, online: 10 })
    expect(panel()).toMatchObject({ online: 10, counts: null })
    expect(pushed).toEqual([])
  })

  it.each([
    ['closed', 0],
    ['blacklisted', null],
  ] as const)('says why it was put out: %s', async (reason, online) => {
    await inside()
    link.last().push({ t: 'roomOut', roomid, reason })
    expect(panel()).toMatchObject({ phase: 'refused', reason: reasonOf('link', reason), online, counts: null })
    expect(pushed).toMatchObject([[roomid, { t: 'roomOut', reason }]])
  })
})

describe('a line that is said', () => {
  const say = () => panels.say(roomid, 'hello', 'c1')

  it('goes over the link, and comes to the pages under the name of the creator', async () => {
    await inside()
    answers['roomSend'] = { msgid: 'm9', at: 77 }
    expect(await say()).toEqual({ msgid: 'm9', at: 77 })
    expect(link.last().sent.at(-1)).toMatchObject({
      t: 'roomSend',
      roomid,
      type: 0,
      attach: 'hello',
      clientId: 'c1',
      resend: 0,
    })
    expect(pushed).toEqual([
      [
        roomid,
        {
          t: 'roomMessage',
          roomid,
          msgid: 'm9',
          at: 77,
          from: 'host',
          fromNick: 'The host',
          fromClientType: 'WEB',
          type: 0,
          attach: 'hello',
          clientId: 'c1',
        },
      ],
    ])
  })

  it.each([
    [
      { code: 403, desc: 'muted' },
      { kind: 'code', code: 403 },
    ],
    [
      { code: 500, desc: 'no space', reason: 'full' },
      { kind: 'full', code: 500 },
    ],
  ])('and is refused fails with the reason of the service, and comes to no page: %j', async (refusal, failure) => {
    await inside()
    answers['roomSend'] = refusal
    expect(await failureOf(say())).toMatchObject(failure)
    expect(pushed).toEqual([])
  })

  it('fails as unreachable when the link drops before its answer, without a service', async () => {
    await inside()
    const saying = failureOf(say())
    link.last().drop(1006)
    expect(await saying).toMatchObject({ kind: 'unreachable', detail: 'the connection dropped' })
    expect(await failureOf(panels.say(8, 'hello', 'c1'))).toMatchObject({
      kind: 'unreachable',
      detail: 'the link is not open',
    })
    await expect(panels.say(8, 'hello', 'c1')).rejects.toBeInstanceOf(Failure)
    panels.serviceAt(undefined)
    expect(await failureOf(say())).toMatchObject({ kind: 'unreachable', detail: 'the link is not open' })
  })
})
