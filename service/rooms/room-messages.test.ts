import { describe, expect, it, onTestFinished } from 'vitest'
import { Refused } from '../refusal.ts'
import type { Line, RoomLines, RoomWrite } from './room-lines.ts'
import { createRoomMessages } from './room-messages.ts'
import type { RoomContext } from './room-context.ts'
import type { Room } from './room.ts'
import type { SpokenLine } from './room-gate.ts'
import { pushesOf, startStoredRoom } from './testing/stored-room.ts'

/** A registry of one room, in which somebody is. */
const onlyRoom = (room: Room) => ({
  onSeats: (call: (room: Room) => () => void) => void call(room),
  putOut: () => undefined,
})

/** Messages of a room with lines in memory; `during` runs while one is being stored. */
function made(during: () => void) {
  const stored: Line[] = []
  const told: string[] = []
  let refused = false
  const room = {
    row: { roomid: 7, uid: 1 },
    inside: new Map(),
    listeners: { size: 1, tell: (frame: Buffer) => void told.push(frame.toString()) },
  } as unknown as Room
  const lines: Pick<RoomLines, 'write' | 'withdraw'> = {
    write: async (_uid, { line: said }) => {
      const line = { ...said, line: stored.length + 1 }
      stored.push(line)
      await Promise.resolve()
      during()
      return { line, isRepeated: false }
    },
    withdraw: ({ line }) => {
      stored.splice(
        stored.findIndex((each) => each.line === line),
        1,
      )
      return Promise.resolve()
    },
  }
  const context = {
    must: () => room,
    tell: pushesOf(onlyRoom(room)).tell,
    mustExist: () => undefined,
    options: {
      registry: { stamp: () => 1000 },
      accounts: { find: () => ({ name: 'Mona', icon: '' }) },
      clock: () => 1000,
    },
  } as unknown as RoomContext
  const messages = createRoomMessages({
    context,
    lines: lines as RoomLines,
    words: { read: () => ({ hold: false }) },
    gate: {
      speak: () => false,
      requireCanSpeak: () => {
        if (refused) throw new Refused(403, 'muted')
      },
    },
    isGuest: () => false,
  })
  const say = () =>
    messages.say(1, { roomid: 7, from: 'mona', clientType: 'WEB', clientId: 'c1', type: 0, attach: 'hello' })
  return { say, stored, told, mute: () => (refused = true) }
}

it('a line whose sender is muted while it is being stored is told to nobody and leaves nothing behind: it may be said again later', async () => {
  const muted = made(() => muted.mute())
  await expect(muted.say()).rejects.toMatchObject({ code: 403 })
  expect([muted.stored, muted.told]).toEqual([[], []])
})

it('a line whose sender may still speak once it is stored is told', async () => {
  const heard = made(() => undefined)
  expect(await heard.say()).toMatchObject({ sender: 'mona', attach: 'hello', state: 'shown' })
  expect([heard.stored.length, heard.told.length]).toEqual([1, 1])
})

describe('a line that the word list caught', () => {
  const state = (hold: boolean) => {
    const written: RoomWrite[] = []
    const told: { readonly to: string; readonly frame: Record<string, unknown> }[] = []
    const read = (to: string) => (frame: Buffer) =>
      void told.push({ to, frame: JSON.parse(frame.toString().slice(frame.indexOf('{'))) as Record<string, unknown> })
    const inside = (accid: string, session: string) =>
      [
        accid,
        { accid, nick: accid, avatar: '', ext: '', sessions: new Map([[session, { write: read(session) }]]) },
      ] as const
    const room = {
      row: { roomid: 7, uid: 1, creator: 'cara' },
      members: new Map(),
      memberChanges: 0,
      inside: new Map([inside('cara', 'c'), inside('mona', 'm')]),
      listeners: { size: 2, tell: read('all') },
    } as unknown as Room
    const set: unknown[] = []
    let refused = false
    const messages = createRoomMessages({
      context: {
        must: () => room,
        tell: pushesOf(onlyRoom(room)).tell,
        mustExist: () => undefined,
        options: {
          registry: { stamp: () => 2000 },
          accounts: { find: () => undefined },
          clock: { now: () => 3000 },
        },
      } as unknown as RoomContext,
      lines: {
        write: (_uid: number, what: RoomWrite) => {
          written.push(what)
          return Promise.resolve({ line: { ...what.line, line: 5 }, isRepeated: false })
        },
        setState: (_line: Line, change: object, copy?: unknown) => {
          set.push({ ...change, copied: copy !== undefined })
          return Promise.resolve()
        },
      } as unknown as RoomLines,
      words: { read: () => ({ hold }) },
      gate: {
        speak: () => true,
        requireCanSpeak: () => {
          if (refused) throw new Refused(403, 'muted')
        },
      },
      isGuest: () => false,
    })
    const say = (from: string, session: string) =>
      messages.say(1, { roomid: 7, from, clientType: 'WEB', clientId: 'c1', type: 0, attach: 'rude', session })
    return { room, messages, say, written, told, set, mute: () => (refused = true) }
  }

  it('is shown to nobody and counts as no line', async () => {
    const { say, written, told } = state(false)
    expect(await say('mona', 'm')).toMatchObject({ state: 'caught' })
    expect(told).toEqual([])
    expect(written).toMatchObject([{ line: { state: 'caught' } }])
    expect(written[0]).not.toHaveProperty('statEvent')
  })

  it('is told to those who lead where lines are held, but not to the session that said it', async () => {
    const { say, told } = state(true)
    await say('mona', 'm')
    expect(told).toMatchObject([{ to: 'c', frame: { t: 'roomHeld', msgid: '5', from: 'mona', attach: 'rude' } }])
    told.length = 0
    await say('cara', 'c')
    expect(told).toEqual([])
  })

  it('is shown to all and copied when let through, and who leads and who said it are told of the decision', async () => {
    const { room, messages, say, told, set } = state(true)
    const line = await say('mona', 'm')
    told.length = 0
    await messages.decide(room, line, true)
    expect(set).toEqual([{ state: 'shown', at: 2000, heldAt: 2000, copied: true }])
    expect(told).toMatchObject([
      { to: 'all', frame: { t: 'roomMessage', msgid: '5' } },
      { to: 'c', frame: { t: 'roomDecided', msgid: '5', allow: true } },
      { to: 'm', frame: { t: 'roomDecided', msgid: '5', allow: true } },
    ])
  })

  it('is shown to nobody when it is dropped, and not let through while its sender may not speak', async () => {
    const { room, messages, say, told, set, mute } = state(true)
    const line = await say('mona', 'm')
    told.length = 0
    mute()
    await expect(messages.decide(room, line, true)).rejects.toMatchObject({ code: 403 })
    expect([told, set]).toEqual([[], []])
    await messages.decide(room, line, false)
    expect(set).toEqual([{ state: 'caught', copied: false }])
    expect(told).toMatchObject([
      { to: 'c', frame: { t: 'roomDecided', allow: false } },
      { to: 'm', frame: { t: 'roomDecided', allow: false } },
    ])
  })

  it('and that is deleted is told as deleted to all inside, with who did it', async () => {
    const { room, messages, say, told, set } = state(true)
    const line = await say('mona', 'm')
    told.length = 0
    await messages.remove(room, line, 'cara', 'why')
    expect(set).toEqual([{ state: 'removed', copied: false }])
    expect(told).toMatchObject([
      { to: 'all', frame: { t: 'roomRecall', msgid: '5', from: 'mona', operator: 'cara', at: 3000, ext: 'why' } },
    ])
  })
})

describe('a line that is said', () => {
  /** Messages of a stored room with mona, mike and a guest inside, in three sessions; lines are in memory. */
  const begin = async () => {
    const rig = await startStoredRoom()
    onTestFinished(() => rig.close())
    const spoken: SpokenLine[] = []
    const written: RoomWrite[] = []
    const messages = createRoomMessages({
      context: rig.context,
      lines: {
        write: (_uid: number, what: RoomWrite) => {
          written.push(what)
          return Promise.resolve({ line: { ...what.line, line: 5 }, isRepeated: false })
        },
      } as Partial<RoomLines> as RoomLines,
      words: { read: () => ({ hold: false }) },
      gate: { speak: (_room, line) => spoken.push(line) < 0, requireCanSpeak: () => undefined },
      isGuest: (_uid, accid) => accid === 'guest-1',
    })
    rig.accounts.set('guest-1', '')
    const told = { mona: rig.enter('mona'), mike: rig.enter('mike'), guest: rig.enter('guest-1') }
    const say = (from: string, more: Partial<Parameters<typeof messages.say>[1]> = {}) =>
      messages.say(1, { roomid: 7, from, clientType: 'WEB', clientId: 'c1', type: 0, attach: 'hello', ...more })
    return { ...rig, say, told, spoken, written }
  }

  it('goes to every session inside but its own, with name, extension and whether it was sent again', async () => {
    const { say, told, registry, room } = await begin()
    registry.enter(
      room,
      'mona',
      'mona',
      { write: () => undefined },
      { nick: 'Moon', avatar: 'http://x/a', ext: 'badge' },
    )
    await say('mona', { session: 'mona', ext: 'e', resend: 1 })
    const pushed = {
      t: 'roomMessage',
      roomid: 7,
      msgid: '5',
      from: 'mona',
      fromNick: 'Moon',
      fromAvatar: 'http://x/a',
      fromClientType: 'WEB',
      type: 0,
      attach: 'hello',
      ext: 'e',
      clientId: 'c1',
      fromExt: 'badge',
      resend: 1,
    }
    expect(told.mike).toEqual([{ ...pushed, at: told.mike[0]!['at'] }])
    expect([told.mona, told.guest.length]).toEqual([[], 1])
    await say('mona')
    expect([told.mona.length, told.mike[1]]).toEqual([1, expect.not.objectContaining({ resend: 1 })])
  })

  it('of somebody outside has the name and the icon of the account', async () => {
    const { say, told, context } = await begin()
    context.options.accounts.find = () => ({ name: 'Card', icon: 'http://x/card' })
    await say('stan')
    expect(told.mike).toMatchObject([{ fromNick: 'Card', fromAvatar: 'http://x/card' }])
    expect(told.mike[0]).not.toHaveProperty('fromExt')
  })

  it('counts as a line of its sender, with a copy', async () => {
    const { say, written } = await begin()
    await say('mona')
    expect(written).toMatchObject([
      {
        line: { uid: 1, roomid: 7, sender: 'mona', state: 'shown', heldAt: null },
        statEvent: { uid: 1, roomid: 7, accid: 'mona', what: 'msgs' },
        copy: { fromAccount: 'mona', attach: 'hello', msgidClient: 'c1' },
      },
    ])
  })

  it('of a guest is delivered in the time that guests have, by as many as are inside; of others at once', async () => {
    const { say, told, delivered } = await begin()
    await say('guest-1', { subnet: '192.0.2.1' })
    expect([delivered, told.mike.length]).toEqual([[3], 1])
    await say('mona', { subnet: '192.0.2.1' })
    // A signed call in the name of a guest is no line of the link.
    await say('guest-1')
    expect([delivered, told.mike.length]).toEqual([[3], 3])
  })

  it('is compared with the word list in text and extension, or in what the developer gives instead', async () => {
    const { say, spoken } = await begin()
    await say('mona', { attach: 'text', ext: 'more' })
    await say('mona', { attach: 'text' })
    await say('mona', { attach: 'text', ext: 'more', antispam: true, antispamCustom: 'instead' })
    await say('mona', { attach: 'text', antispamCustom: 'unused' })
    await say('mona', { attach: 'text', antispam: true })
    expect(spoken.map(({ texts }) => texts)).toEqual([['text', 'more'], ['text'], ['instead'], ['text'], ['text']])
  })

  it('by the link is charged with address and bytes, as each reader gets them; a signed call is not', async () => {
    const { say, spoken } = await begin()
    await say('mona', { subnet: '192.0.2.1' })
    await say('mona', { subnet: '192.0.2.1', attach: `hello${'x'.repeat(1000)}`, ext: 'y'.repeat(100) })
    await say('guest-1', { subnet: '192.0.2.2' })
    await say('mona')
    const [short, long, guest, signed] = spoken.map(({ link }) => link)
    expect([short, guest, signed]).toMatchObject([
      { subnet: '192.0.2.1', isGuest: false },
      { subnet: '192.0.2.2', isGuest: true },
      undefined,
    ])
    expect(long!.bytes - short!.bytes).toBe(1100)
    expect(short!.bytes).toBeGreaterThan(256)
  })

  it('of an unknown sender, in an unknown room or of the wrong form is refused before anything is stored', async () => {
    const { say, written, spoken } = await begin()
    for (const attempt of [say('nobody'), say('mona', { roomid: 8 }), say('mona', { type: 1, attach: '[]' })])
      await expect(attempt).rejects.toMatchObject({ code: 414 })
    expect([written, spoken]).toEqual([[], []])
  })
})
