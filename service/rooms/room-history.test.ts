import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, local, queue, robots } from '../../contract/operations/index.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { eventually } from '../testing/eventually.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
let cara: LinkUser
let mona: LinkUser
beforeAll(async () => {
  rig = await startRooms()
  cara = await rig.user('cara')
  mona = await rig.user('mona')
})
afterAll(() => rig.close())

let count = 0
const say = (roomid: number, attach: string) =>
  mona.request('roomSend', { roomid, type: 0, attach, clientId: `h${++count}` })
/** A line as its text, a notice as its id. */
const read = ({ type, attach }: { readonly type: number; readonly attach: string }): string | number =>
  type === 5 ? (JSON.parse(attach) as { id: number }).id : attach
const historyOf = async (roomid: number, notices?: boolean) =>
  (await rig.call(local.roomHistory, { roomid, ...(notices !== undefined && { notices }) })).ret!.list

describe('the history of a room', () => {
  it('has what was done there among what was said, in the same order, for those who ask for it', async () => {
    const roomid = await rig.room()
    for (const user of [cara, mona]) await user.request('roomEnter', { roomid })
    await say(roomid, 'one')
    await rig.call(chatrooms.setMemberRole, {
      roomid,
      operator: 'cara',
      target: 'mona',
      opt: -2,
      optvalue: true,
      notifyExt: 'rude',
    })
    await rig.role(roomid, 'mona', -2, false)
    await say(roomid, 'two')
    await rig.call(queue.offer, { roomid, key: 'k', value: 'v' })
    await rig.call(robots.add, { roomid, accids: ['mike'] })
    await rig.call(chatrooms.update, { roomid, name: 'new' })
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: true })
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: false, needNotify: false })
    await say(roomid, 'three')
    const pushed = () => cara.of('roomMessage').filter((push) => push.roomid === roomid)
    await eventually(() =>
      expect(pushed().map(read)).toEqual([301, 301, 'one', 305, 306, 'two', 317, 301, 312, 318, 'three']),
    )

    const all = ['three', 318, 312, 'two', 306, 305, 'one']
    const asked = await cara.request('roomHistory', { roomid, notices: true })
    expect(asked.lines.map(read)).toEqual(all)
    // Pushed lines are recognised by msgid.
    const known = new Map(pushed().map((push) => [push.msgid, push]))
    for (const line of asked.lines)
      expect(known.get(line.msgid)).toMatchObject({ at: line.at, from: line.from, attach: line.attach })
    expect(asked.lines.map(({ at }) => at)).toEqual(
      asked.lines.map(({ at }) => at).toSorted((one, other) => other - one),
    )
    expect((await cara.request('roomEnter', { roomid, notices: true, lines: 2 })).lines.map(read)).toEqual([
      'three',
      318,
    ])
    const paged = [
      ...asked.lines.slice(0, 3),
      ...(await cara.request('roomHistory', { roomid, notices: true, before: Number(asked.lines[2]!.msgid) })).lines,
    ]
    expect(paged).toEqual(asked.lines)
    expect((await historyOf(roomid, true)).map(read)).toEqual(all)
    expect((await historyOf(roomid, true)).find((line) => read(line) === 305)).toMatchObject({
      from: 'cara',
      nick: 'CARA',
      removed: false,
    })

    for (const lines of [
      (await cara.request('roomHistory', { roomid })).lines,
      (await mona.request('roomEnter', { roomid })).lines,
      await historyOf(roomid),
    ])
      expect(lines.map(read)).toEqual(['three', 'two', 'one'])
  })

  it('keeps what was done over a restart, and nobody can delete it', async () => {
    const roomid = await rig.room()
    await rig.mute(roomid, 'mona', 3600)
    await rig.stop()
    rig = await startRooms({ dataDir: rig.dataDir })
    const [mute] = await historyOf(roomid, true)
    expect(read(mute!)).toBe(314)
    expect((await rig.call(local.removeLine, { roomid, operator: 'cara', msgid: mute!.msgid })).code).toBe(618)
    expect((await rig.call(local.decideHeld, { roomid, msgid: mute!.msgid, allow: false })).code).toBe(618)
    await rig.mute(roomid, 'mona', 0)
    const now = await historyOf(roomid, true)
    expect(now.map(read)).toEqual([315, 314])
    expect(Number(now[0]!.msgid)).toBeGreaterThan(Number(mute!.msgid))
    cara = await rig.user('cara')
    mona = await rig.user('mona')
  })

  it('tells the end of a mute to those inside when its second is over', async () => {
    const roomid = await rig.room()
    for (const user of [cara, mona]) await user.request('roomEnter', { roomid })
    await rig.mute(roomid, 'mona', 1)
    const notices = () => mona.of('roomMessage').flatMap((push) => (push.roomid === roomid ? [read(push)] : []))
    await eventually(() => expect(notices()).toEqual([301, 314, 315]))
    expect(await say(roomid, 'free')).toHaveProperty('msgid')
  })
})

describe('a line that waits for a decision', () => {
  it('is told to creator and admins inside, how it was decided to its sender too, and to nobody else', async () => {
    const roomid = await rig.room({ roles: true })
    const [adam, mike] = [await rig.user('adam'), await rig.user('mike')]
    for (const user of [cara, adam, mona, mike]) await user.request('roomEnter', { roomid })
    await rig.call(local.setWords, { words: ['maybe'], hold: true })
    const held = await say(roomid, 'maybe yes')
    expect(held).toMatchObject({ held: true })
    expect(await say(roomid, 'sure')).not.toHaveProperty('held')
    await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'mike', msgId: 'api', msgType: 0, attach: 'maybe no' })
    for (const leader of [cara, adam])
      await eventually(() =>
        expect(leader.of('roomHeld')).toMatchObject([
          { roomid, msgid: held.msgid, from: 'mona', fromNick: 'MONA', attach: 'maybe yes', type: 0 },
          { roomid, from: 'mike', attach: 'maybe no', fromClientType: 'REST' },
        ]),
      )
    const [first, second] = cara.of('roomHeld')
    await rig.call(local.decideHeld, { roomid, msgid: first!.msgid, allow: true })
    await rig.call(local.decideHeld, { roomid, msgid: second!.msgid, allow: false })
    for (const leader of [cara, adam])
      await eventually(() =>
        expect(leader.of('roomDecided')).toEqual([
          { t: 'roomDecided', roomid, msgid: first!.msgid, allow: true, heldAt: first!.at },
          { t: 'roomDecided', roomid, msgid: second!.msgid, allow: false },
        ]),
      )
    const heard = (user: LinkUser) =>
      user.of('roomMessage').flatMap((push) => (push.roomid === roomid && push.type === 0 ? [push.attach] : []))
    for (const user of [cara, mike]) await eventually(() => expect(heard(user)).toEqual(['sure', 'maybe yes']))
    for (const [index, user] of [mona, mike].entries()) {
      await eventually(() =>
        expect(user.of('roomDecided')).toMatchObject([
          { roomid, msgid: [first, second][index]!.msgid, allow: index === 0 },
        ]),
      )
      expect(user.of('roomHeld')).toEqual([])
    }
    await rig.call(local.setWords, { words: ['maybe'] })
    await say(roomid, 'maybe caught')
    await rig.call(local.setWords, { words: [] })
    await say(roomid, 'end')
    await eventually(() => expect(heard(adam).at(-1)).toBe('end'))
    expect(adam.of('roomHeld')).toHaveLength(2)
  })

  it('is given to its sender alone on entering again, where asked for, until it is decided', async () => {
    const roomid = await rig.room()
    const mike = await rig.user('mike')
    for (const user of [mona, mike]) await user.request('roomEnter', { roomid })
    await rig.call(local.setWords, { words: ['maybe'], hold: true })
    for (const attach of ['maybe one', 'maybe two']) await say(roomid, attach)
    const held = async (user: LinkUser) =>
      (await user.request('roomEnter', { roomid, held: true })).held?.map(({ attach, msgid }) => [attach, msgid])
    expect(await mona.request('roomEnter', { roomid })).not.toHaveProperty('held')
    const [two, one] = (await held(mona))!
    expect([two![0], one![0]]).toEqual(['maybe two', 'maybe one'])
    expect(await held(mike)).toEqual([])
    await rig.call(local.decideHeld, { roomid, msgid: two![1]!, allow: false })
    await rig.call(local.decideHeld, { roomid, msgid: one![1]!, allow: true })
    expect(await held(mona)).toEqual([])
    await rig.call(local.setWords, { words: [] })
  })
})
