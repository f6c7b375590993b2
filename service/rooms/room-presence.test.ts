import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxSessionRooms } from '../../contract/link/rooms.ts'
import { accounts, chatrooms, local, queue, robots, statistics } from '../../contract/operations/index.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { eventually } from '../testing/eventually.ts'

import { createRoomPresence } from './room-presence.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

const clock = manualWallClock()
let rig: RoomRig
const users = new Map<string, LinkUser>()
beforeAll(async () => {
  rig = await startRooms({ clock })
  for (const accid of ['cara', 'adam', 'mona', 'nora', 'tim', 'bill', 'stan']) users.set(accid, await rig.user(accid))
})
afterAll(() => rig.close())

const user = (accid: string): LinkUser => users.get(accid)!
const enter = async (roomid: number, ...accids: string[]): Promise<void> => {
  for (const accid of accids) await user(accid).request('roomEnter', { roomid })
}
interface Notice {
  readonly id: number
  readonly data: Record<string, unknown>
}
/** What an account received of a room: lines as text, notices as id. */
const heard = (accid: string, roomid: number): (string | number)[] =>
  user(accid)
    .of('roomMessage')
    .flatMap((push) =>
      push.roomid !== roomid ? [] : [push.type === 5 ? (JSON.parse(push.attach) as Notice).id : push.attach],
    )
const notices = (accid: string, roomid: number): Notice[] =>
  user(accid)
    .of('roomMessage')
    .flatMap((push) => (push.roomid === roomid && push.type === 5 ? [JSON.parse(push.attach) as Notice] : []))
let count = 0
const say = (accid: string, roomid: number, attach: string, clientId = `c${++count}`) =>
  user(accid).request('roomSend', { roomid, type: 0, attach, clientId })
const online = async (roomid: number) =>
  (await rig.call(chatrooms.get, { roomid, needOnlineUserCount: true })).chatroom!.onlineusercount

describe('a session', () => {
  it('enters with a nickname, is counted and told of, hears what others say once, and leaves', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara')
    const entered = await user('mona').request('roomEnter', {
      roomid,
      nick: '小莫',
      avatar: 'http://x/a',
      ext: 'badge',
      lines: 10,
    })
    expect(entered).toMatchObject({
      room: { roomid, creator: 'cara', muted: false, slow: 0 },
      type: 3,
      mutedFor: 0,
      online: 2,
      lines: [],
      more: false,
    })
    expect(await online(roomid)).toBe(2)
    const { data } = (await rig.call(chatrooms.queryMembers, { roomid, accids: ['mona', 'stan'] })).desc as unknown as {
      data: object[]
    }
    expect(data).toMatchObject([
      { accid: 'mona', nick: '小莫', avator: 'http://x/a', ext: 'badge', type: 3, onlineStat: true },
    ])
    const { msgid } = await say('mona', roomid, 'hi', 'mine')
    expect(await say('mona', roomid, 'hi', 'mine')).toMatchObject({ msgid })
    await rig.call(chatrooms.sendMsg, {
      roomid,
      fromAccid: 'stan',
      msgId: 'api',
      msgType: 10,
      attach: 'a tip',
      ext: 'e',
    })
    await eventually(() => expect(heard('cara', roomid)).toEqual([301, 301, 'hi', 'a tip']))
    expect(notices('cara', roomid)[1]).toEqual({
      id: 301,
      data: { operator: 'mona', opeNick: '小莫', target: ['mona'], tarNick: ['小莫'], ext: 'badge' },
    })
    expect(user('cara').of('roomMessage').at(-2)).toMatchObject({
      msgid,
      fromNick: '小莫',
      fromAvatar: 'http://x/a',
      fromExt: 'badge',
      clientId: 'mine',
      resend: 0,
    })
    expect(user('cara').of('roomMessage').at(-1)).toMatchObject({
      from: 'stan',
      type: 10,
      fromClientType: 'REST',
      ext: 'e',
    })
    // The speaker gets an answer instead of a push.
    expect(heard('mona', roomid)).toEqual([301, 'a tip'])
    const history = await user('cara').request('roomHistory', { roomid, limit: 1 })
    expect(history).toMatchObject({ more: true, lines: [{ attach: 'a tip' }] })
    expect(
      await user('cara').request('roomHistory', { roomid, before: Number(history.lines[0]!.msgid) }),
    ).toMatchObject({
      more: false,
      lines: [{ attach: 'hi' }],
    })
    await user('mona').request('roomLeave', { roomid })
    await eventually(() =>
      expect(notices('cara', roomid).at(-1)).toMatchObject({ id: 302, data: { operator: 'mona', opeNick: '小莫' } }),
    )
    await say('cara', roomid, 'gone?')
    expect(await online(roomid)).toBe(1)
    for (const kind of ['roomHistory', 'roomQueue', 'roomLeave'] as const)
      await expect(user('mona').request(kind, { roomid })).rejects.toMatchObject({ code: 403 })
    await expect(say('mona', roomid, 'from outside')).rejects.toMatchObject({ code: 403 })
    expect(heard('mona', roomid)).not.toContain('gone?')
  })

  it('is one of several of an account: the account leaves with the last one, also when the connection breaks', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara', 'stan')
    const phone = await rig.user('stan', 'phone')
    await eventually(async () => expect(await online(roomid)).toBe(1))
    await phone.request('roomEnter', { roomid })
    expect(await online(roomid)).toBe(2)
    phone.close()
    await eventually(() => expect(heard('cara', roomid)).toEqual([301, 301, 302, 301, 302]))
    expect(await online(roomid)).toBe(1)
    users.set('stan', await rig.user('stan'))
  })

  it('shows itself in another way when it enters again, and as it did when it says nothing of that', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara')
    await user('mona').request('roomEnter', { roomid, nick: 'Mo', ext: 'a' })
    await user('mona').request('roomEnter', { roomid })
    await user('mona').request('roomEnter', { roomid, nick: 'Moo' })
    await eventually(() => expect(heard('cara', roomid)).toEqual([301, 301, 316]))
    expect(notices('cara', roomid).at(-1)).toMatchObject({ data: { opeNick: 'Moo' } })
    await say('mona', roomid, 'me')
    await eventually(() =>
      expect(user('cara').of('roomMessage').at(-1)).toMatchObject({ fromNick: 'Moo', fromExt: 'a', attach: 'me' }),
    )
    expect(await online(roomid)).toBe(2)
  })

  it('that comes and goes, or shows itself in another way, without end is told of a few times a minute, and then is kept out', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara')
    for (let entry = 0; entry < 30; entry++) {
      await user('tim').request('roomEnter', { roomid })
      await user('tim').request('roomLeave', { roomid })
    }
    await expect(user('tim').request('roomEnter', { roomid })).rejects.toMatchObject({ code: 416 })
    await user('bill').request('roomEnter', { roomid })
    for (let change = 0; change < 15; change++)
      await user('bill').request('roomEnter', { roomid, ext: `looks like a notice ${change}` })
    await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'stan', msgId: 'end', msgType: 0, attach: 'end' })
    const of = (accid: string) => notices('cara', roomid).filter(({ data }) => data['operator'] === accid)
    await eventually(() => expect(heard('cara', roomid)).toContain('end'))
    await eventually(() => expect(JSON.stringify(of('bill'))).toContain('looks like a notice 9'))
    expect(of('tim').map(({ id }) => id)).toEqual(
      Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 301 : 302)),
    )
    expect(new Set(of('bill').map(({ data }) => data['ext'])).size).toBeLessThanOrEqual(11)
    expect(JSON.stringify(of('bill'))).not.toContain('looks like a notice 10')
  })

  it('is not let into a room that is closed, that it is blacklisted from, or that is not there', async () => {
    const roomid = await rig.room({ roles: true })
    await expect(user('bill').request('roomEnter', { roomid })).rejects.toMatchObject({ code: 13003 })
    await expect(user('mona').request('roomEnter', { roomid: 999_999_999 })).rejects.toMatchObject({ code: 404 })
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    await expect(user('mona').request('roomEnter', { roomid })).rejects.toMatchObject({ code: 13002 })
  })

  it('cannot do what only the developer does', async () => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid, 'adam')
    for (const kind of ['setMemberRole', 'roomMute', 'temporaryMute', 'muteRoom', 'toggleCloseStat'])
      await expect(
        user('adam').request(
          kind as 'ping',
          { roomid, operator: 'cara', target: 'mona', opt: 1, optvalue: true } as never,
        ),
      ).rejects.toMatchObject({
        code: 414,
      })
  })
})

describe('measures', () => {
  it('act on the next line, are told with operator, target, ext and duration, and lifting one leaves the other', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara', 'mona')
    const muted = async (): Promise<boolean> => {
      try {
        await say('mona', roomid, 'x')
        return false
      } catch (error) {
        expect(error).toMatchObject({ code: 403 })
        return true
      }
    }
    const set = (opt: number, optvalue: boolean) =>
      rig.call(chatrooms.setMemberRole, {
        roomid,
        operator: 'cara',
        target: 'mona',
        opt,
        optvalue,
        notifyExt: '{"why":1}',
      })
    expect(await muted()).toBe(false)
    await set(-2, true)
    await rig.call(chatrooms.temporaryMute, {
      roomid,
      operator: 'cara',
      target: 'mona',
      muteDuration: 60,
      notifyExt: 'spam',
    })
    expect(await muted()).toBe(true)
    await set(-2, false)
    expect(await muted()).toBe(true)
    clock.advance(60_000)
    expect(await muted()).toBe(false)
    await rig.call(chatrooms.temporaryMute, {
      roomid,
      operator: 'cara',
      target: 'mona',
      muteDuration: 60,
      needNotify: false,
    })
    await rig.call(chatrooms.temporaryMute, { roomid, operator: 'cara', target: 'mona', muteDuration: 0 })
    expect(await muted()).toBe(false)
    await eventually(() => expect(notices('mona', roomid).map(({ id }) => id)).toEqual([301, 305, 314, 306, 315]))
    const people = { operator: 'cara', opeNick: 'CARA', target: ['mona'], tarNick: ['MONA'] }
    expect(notices('cara', roomid).slice(2, 4)).toEqual([
      { id: 305, data: { ...people, ext: '{"why":1}' } },
      { id: 314, data: { ...people, ext: 'spam', muteDuration: 60 } },
    ])
    await set(1, true)
    await set(1, false)
    await set(2, true)
    await set(2, false)
    await eventually(() =>
      expect(notices('mona', roomid).map(({ id }) => id)).toEqual([301, 305, 314, 306, 315, 307, 308, 309, 310]),
    )
  })

  it('blacklisting puts somebody out at once, out of that room only', async () => {
    const [roomid, other] = [await rig.room(), await rig.room()]
    await enter(roomid, 'cara', 'mona')
    await enter(other, 'mona')
    await rig.role(roomid, 'mona', -1)
    await eventually(() =>
      expect(
        user('mona')
          .of('roomOut')
          .filter((push) => push.roomid === roomid),
      ).toMatchObject([{ reason: 'blacklisted' }]),
    )
    expect(heard('mona', roomid)).toEqual([301, 303, 313])
    expect(await online(roomid)).toBe(1)
    await expect(say('mona', roomid, 'x')).rejects.toMatchObject({ code: 403 })
    await say('cara', roomid, 'peace')
    expect(await say('mona', other, 'still here')).toHaveProperty('msgid')
    expect(heard('mona', roomid)).not.toContain('peace')
    await rig.role(roomid, 'mona', -1, false)
    expect(await user('mona').request('roomEnter', { roomid })).toMatchObject({ type: 3 })
  })

  it('muting the room leaves creator and admins speaking; closing it puts everybody out', async () => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid, 'cara', 'adam', 'mona', 'nora', 'tim')
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'adam', mute: true, notifyExt: 'calm' })
    for (const accid of ['mona', 'nora', 'tim'])
      await expect(say(accid, roomid, 'x')).rejects.toMatchObject({ code: 403 })
    for (const accid of ['cara', 'adam']) expect(await say(accid, roomid, accid)).toHaveProperty('msgid')
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: false, needNotify: false })
    expect(await say('mona', roomid, 'thanks')).toHaveProperty('msgid')
    await rig.call(chatrooms.update, { roomid, announcement: 'new', notifyExt: 'see' })
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    await eventually(() =>
      expect(
        user('tim')
          .of('roomOut')
          .filter((push) => push.roomid === roomid),
      ).toMatchObject([{ reason: 'closed' }]),
    )
    expect(heard('tim', roomid)).toEqual([301, 318, 'cara', 'adam', 'thanks', 312, 311])
    expect(notices('tim', roomid)[0]).toMatchObject({ data: { tempMuted: true, muteTtl: 3600 } })
    expect(notices('tim', roomid).at(-2)).toMatchObject({ data: { operator: 'cara', ext: 'see' } })
    expect(await online(roomid)).toBe(0)
  })

  it('leave nobody inside who entered while being blacklisted or while the room was closed', async () => {
    for (let round = 0; round < 10; round++) {
      const roomid = await rig.room()
      await enter(roomid, 'cara')
      const [outcome] = await Promise.all([
        user('mona')
          .request('roomEnter', { roomid })
          .catch((error: unknown) => error),
        round % 2 === 0
          ? rig.role(roomid, 'mona', -1)
          : rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false }),
      ])
      expect(await online(roomid)).toBe(round % 2 === 0 ? 1 : 0)
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: round % 2 === 0 ? 13003 : 13002 })
      else
        await eventually(() =>
          expect(
            user('mona')
              .of('roomOut')
              .some((push) => push.roomid === roomid),
          ).toBe(true),
        )
    }
  })

  it('a mute that comes while lines are under way: nothing is shown behind it', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara', 'mona')
    const lines = Array.from({ length: 20 }, (_, number) =>
      say('mona', roomid, `line ${number}`).catch((error: unknown) => error),
    )
    await rig.role(roomid, 'mona', -2)
    const outcomes = await Promise.all(lines)
    await say('cara', roomid, 'end')
    await eventually(() => expect(heard('mona', roomid)).toContain('end'))
    await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'cara', msgId: 'last', msgType: 0, attach: 'last' })
    await eventually(() => expect(heard('cara', roomid)).toContain('last'))
    const seen = heard('cara', roomid)
    expect(seen.slice(seen.indexOf(305) + 1)).toEqual(['last'])
    const shown = outcomes.filter((outcome) => !(outcome instanceof Error))
    expect(seen.filter((each) => typeof each === 'string' && each.startsWith('line'))).toHaveLength(shown.length)
  })
})

describe('those inside', () => {
  it('are told of the queue and of robots, which count but are never written to', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara')
    await rig.call(robots.add, { roomid, accids: ['mike'], notifyExt: 'bot' })
    expect(await online(roomid)).toBe(2)
    await rig.call(queue.offer, { roomid, key: 'k', value: 'v' })
    expect(await user('cara').request('roomQueue', { roomid })).toMatchObject({ list: [{ k: 'v' }] })
    await rig.call(queue.poll, { roomid })
    await rig.call(queue.init, { roomid, sizeLimit: 5 })
    await rig.call(robots.remove, { roomid, accids: ['mike'] })
    await eventually(() => expect(notices('cara', roomid).map(({ id }) => id)).toEqual([301, 301, 317, 317, 320, 302]))
    const [, robot, offered] = notices('cara', roomid)
    expect(robot).toMatchObject({ data: { operator: 'mike', opeNick: 'MIKE', ext: 'bot' } })
    expect(JSON.parse(offered!.data['queueChange'] as string)).toEqual({ _e: 'OFFER', key: 'k', content: 'v' })
    expect(await user('cara').request('roomMembers', { roomid, type: 2 })).toMatchObject({
      members: [{ accid: 'cara', type: 1, onlineStat: true }],
    })
  })

  it('are counted right after 1,000 entries and leaves at once, and the entries in the hour', async () => {
    const roomid = await rig.room()
    const at = clock.now()
    const crowd: LinkUser[] = []
    for (let number = 0; number < 40; number++) {
      const accid = `crowd${number}`
      const { info } = await rig.call(accounts.create, { accid, token: 't' })
      expect(info).toBeDefined()
      crowd.push(await rig.login(accid, 't'))
    }
    await Promise.all(
      crowd.map(async (one, index) => {
        for (let round = 0; round < 25; round++) {
          await one.request('roomEnter', { roomid, lines: 0 })
          if (round < 24 || index % 2 === 0) await one.request('roomLeave', { roomid })
        }
      }),
    )
    expect(await online(roomid)).toBe(20)
    clock.advance(2 * 3_600_000)
    await eventually(async () => {
      const { data } = await rig.call(statistics.topn, { timestamp: at, orderby: 'enter', topn: 1 })
      expect(data).toMatchObject([{ roomId: roomid, enterNums: 1000, activeNums: 40, msgs: 0 }])
    })
    for (const one of crowd) one.close()
    await eventually(async () => expect(await online(roomid)).toBe(0))
  })

  it('get no line that the word list caught, whose sender is not told', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara', 'mona')
    await rig.call(local.setWords, { words: ['rude'] })
    expect(await say('mona', roomid, 'RUDE')).toHaveProperty('msgid')
    await say('mona', roomid, 'kind')
    await eventually(() => expect(heard('cara', roomid)).toEqual([301, 301, 'kind']))
    await rig.call(local.setWords, { words: [] })
  })
})

describe('the answer to an entry', () => {
  it('has the room, the role, how long a mute lasts, and figures: for others than leaders who is online', async () => {
    const roomid = await rig.room({ roles: true, name: 'answers' })
    await rig.call(local.slowMode, { roomid, seconds: 5 })
    await rig.call(chatrooms.update, { roomid, announcement: 'a', broadcasturl: 'http://x/b', ext: 'e' })
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: true })
    await rig.call(robots.add, { roomid, accids: ['mike'] })
    const ask = (accid: string) => user(accid).request('roomEnter', { roomid, lines: 0 })
    const texts = { name: 'answers', announcement: 'a', broadcasturl: 'http://x/b', ext: 'e' }
    const room = { roomid, ...texts, creator: 'cara', muted: true, slow: 5 }
    const none = { lines: [], more: false }
    expect(await ask('cara')).toMatchObject({
      room,
      type: 1,
      mutedFor: 0,
      nick: 'CARA',
      online: 2,
      people: 1,
      robots: 1,
    })
    expect(await ask('adam')).toMatchObject({ type: 2, muted: 2, blacklisted: 1, ...none })
    const mona = await ask('mona')
    expect(mona).toMatchObject({ room, type: 0, mutedFor: 0, nick: 'MONA', online: 4, ...none })
    for (const figure of ['people', 'robots', 'muted', 'blacklisted', 'note']) expect(mona).not.toHaveProperty(figure)
    expect(await ask('tim')).toMatchObject({ type: 3, mutedFor: 3600 })
    expect(await ask('nora')).toMatchObject({ type: -1, mutedFor: 0 })
  })

  it('says why the appearance is another one than was asked for', async () => {
    const roomid = await rig.room()
    const ask = (accid: string, nick: string) => user(accid).request('roomEnter', { roomid, nick })
    expect(await ask('mona', 'Kestrel')).toMatchObject({ nick: 'Kestrel' })
    expect(await ask('stan', 'Kestrel')).toMatchObject({ nick: 'Kestrel 2', note: 'taken' })
    expect(await ask('stan', 'Moderator')).toMatchObject({ nick: 'Kestrel 2', note: 'reserved' })
    await rig.call(local.setWords, { words: ['rude'] })
    expect(await ask('stan', 'rude')).toMatchObject({ nick: 'Kestrel 2', note: 'caught' })
    await rig.call(local.setWords, { words: [] })
    await rig.role(roomid, 'stan', -2)
    expect(await ask('stan', 'Merlin')).toMatchObject({ nick: 'Kestrel 2', note: 'later' })
  })

  it('has the newest lines, as many as were asked for, and says whether there are more', async () => {
    const roomid = await rig.room()
    for (const msgId of ['1', '2', '3'])
      await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'stan', msgId, msgType: 0, attach: msgId })
    const read = async (lines: number) => {
      const answer = await user('mona').request('roomEnter', { roomid, lines })
      return [answer.lines.map(({ attach }) => attach), answer.more]
    }
    expect([await read(2), await read(3), await read(0)]).toEqual([
      [['3', '2'], true],
      [['3', '2', '1'], false],
      [[], false],
    ])
  })

  it('comes as often as somebody inside asks again, which is no entry', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara')
    for (let again = 0; again < 40; again++) await user('mona').request('roomEnter', { roomid, lines: 0 })
    await say('mona', roomid, 'still here')
    await eventually(() => expect(heard('cara', roomid)).toEqual([301, 301, 'still here']))
  })
})

type PresenceOptions = Parameters<typeof createRoomPresence>[0]

/** Requests of mona in a room in memory; `meanwhile` runs while an entry waits for its turn in the room. */
function presence({
  rooms = 0,
  isTold = true,
  outcome = 'same',
  broken = false,
  meanwhile = (): void => undefined,
} = {}) {
  const connection = { isOpen: true }
  const entered: unknown[] = []
  const said: unknown[] = []
  const counted: unknown[] = []
  const logged: string[] = []
  const session = new Map([['s', {}]])
  const room = {
    row: { roomid: 1, valid: 1 },
    members: new Map(),
    inside: new Map([['adam', { sessions: session }]]),
    robots: new Map(),
  }
  const { handlers, settled } = createRoomPresence({
    context: {
      on: (_uid: number, _roomid: number, _missing: number, work: (of: unknown) => unknown) => {
        meanwhile()
        return work(room)
      },
      must: () => room,
      nickOf: () => 'mona',
      commit: (_room: unknown, _change: unknown, notices: unknown) => {
        said.push(notices)
        return Promise.resolve()
      },
      options: {
        clock,
        accounts: { find: () => undefined },
        counts: { touched: () => said.push('counts') },
        pushes: { settled: () => Promise.resolve() },
        registry: {
          ofSession: () => Array.from({ length: rooms }),
          leave: () => true,
          enter: (...of: unknown[]) => {
            entered.push(of)
            return outcome
          },
        },
      },
    } as unknown as PresenceOptions['context'],
    gate: {
      enter: () => isTold,
      appear: () => ({ nick: 'mona', avatar: '', ext: '' }),
      wasTold: () => isTold,
    } as Partial<PresenceOptions['gate']> as PresenceOptions['gate'],
    names: { stored: () => (broken ? Promise.reject(new Error('disk full')) : Promise.resolve()) },
    lines: {
      count: (what: unknown) => {
        counted.push(what)
        return broken ? Promise.reject(new Error('disk full')) : Promise.resolve(undefined)
      },
    } as unknown as PresenceOptions['lines'],
    log: { error: (_about: unknown, words?: string) => void logged.push(words ?? '') },
    lists: { page: () => [] } as Partial<PresenceOptions['lists']> as PresenceOptions['lists'],
    isGuest: () => false,
  } as Partial<PresenceOptions> as PresenceOptions)
  const caller = (accid: string) =>
    ({ uid: 1, accid, session: 's', connection }) as unknown as Parameters<typeof handlers.roomEnter>[1]
  const enter = async () =>
    await handlers.roomEnter(
      { roomid: 1, lines: 0, notices: false } as Parameters<typeof handlers.roomEnter>[0],
      caller('mona'),
    )
  return { handlers, caller, connection, entered, said, counted, logged, settled, enter }
}

it.each([
  ['entered', 301, 1],
  ['changed', 316, 0],
] as const)('who has %s is told of with %i, and counts as %i entries', async (outcome, id, entries) => {
  const { enter, said, counted, settled } = presence({ outcome })
  await enter()
  await settled()
  expect(said).toMatchObject([[{ id, operator: 'mona', target: ['mona'] }]])
  expect(counted).toEqual(
    Array.from({ length: entries }, () => ({ uid: 1, roomid: 1, accid: 'mona', at: clock.now(), what: 'enters' })),
  )
})

it('nobody is told of who enters as before, nor of who comes too often, who is counted', async () => {
  const same = presence()
  await same.enter()
  expect([same.said, same.counted]).toEqual([[], []])
  const often = presence({ outcome: 'entered', isTold: false })
  await often.enter()
  expect([often.said, often.counted.length]).toEqual([['counts'], 1])
})

it('an entry is answered where its count and its name cannot be stored, and the log says so', async () => {
  const { enter, logged, settled } = presence({ outcome: 'entered', broken: true })
  expect(await enter()).toMatchObject({ online: 1, type: 3 })
  await settled()
  expect(logged.toSorted()).toEqual([
    'a name could not be stored; it is kept until the service ends',
    'an entry could not be counted',
  ])
})

it('a session that ends while its entry waits for its turn in the room is refused, and nobody is put inside', async () => {
  const { connection, enter, entered } = presence({ meanwhile: () => (connection.isOpen = false) })
  await expect(enter()).rejects.toMatchObject({ code: 403 })
  expect(entered).toEqual([])
})

it('a session is in a bounded number of rooms at once', async () => {
  const full = presence({ rooms: maxSessionRooms })
  await expect(full.enter()).rejects.toMatchObject({ code: 419 })
  expect(full.entered).toEqual([])
  const last = presence({ rooms: maxSessionRooms - 1 })
  await last.enter().catch(() => undefined)
  expect(last.entered).toHaveLength(1)
})

it('who was not told of as coming is not told of as going, but counted', async () => {
  const roomid = { roomid: 1 } as Parameters<ReturnType<typeof presence>['handlers']['roomLeave']>[0]
  const silent = presence({ isTold: false })
  await silent.handlers.roomLeave(roomid, silent.caller('adam'))
  expect(silent.said).toEqual(['counts'])
  const told = presence()
  await told.handlers.roomLeave(roomid, told.caller('adam'))
  expect(told.said).toMatchObject([[{ id: 302, operator: 'adam', target: ['adam'] }]])
})

it.each(['roomLeave', 'roomSend', 'roomHistory', 'roomMembers', 'roomQueue'] as const)(
  '%s is refused to who is not inside the room, and to another session of somebody inside',
  async (kind) => {
    const { handlers, caller } = presence()
    const handler = handlers[kind] as (parameters: object, of: object) => unknown
    const ask = async (of: object): Promise<unknown> => await handler({ roomid: 1, clientId: 'c' }, of)
    await expect(ask(caller('mona'))).rejects.toMatchObject({ code: 403, message: 'not in the room' })
    await expect(ask({ ...caller('adam'), session: 'other' })).rejects.toMatchObject({ code: 403 })
  },
)
