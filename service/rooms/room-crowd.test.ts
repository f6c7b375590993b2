import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkLimits } from '../../contract/link/frames.ts'
import { speakingLimits } from '../../contract/link/rooms.ts'
import { accounts, chatrooms, local, robots } from '../../contract/operations/index.ts'
import { openRaw, type RawLink } from '../link/testing/raw-client.ts'
import { eventually } from '../testing/eventually.ts'
import { testCredentials } from '../testing/start-service.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

// Many members at once, and one without limits.

const crowd = Array.from({ length: 40 }, (_, number) => `crowd${number}`)
let rig: RoomRig
const open: RawLink[] = []
beforeAll(async () => {
  rig = await startRooms()
  await Promise.all(
    crowd.map(async (accid) => expect((await rig.call(accounts.create, { accid, token: 'token' })).code).toBe(200)),
  )
})
afterAll(async () => {
  for (const { socket } of open) socket.terminate()
  await rig.close()
})

const logIn = async (accid: string, token = `token-${accid}`): Promise<RawLink> => {
  const raw = await openRaw(rig.service.ready.linkUrl)
  open.push(raw)
  const answer = await raw.ask('login', {
    appKey: testCredentials.appKey,
    accid,
    token,
    device: `${accid}-device`,
    clientType: 'WEB',
  })
  expect(answer.t).toBe('ok')
  return raw
}
interface Notice {
  readonly id: number
  readonly data: { readonly target: string[]; readonly operator: string }
}
/** Entries (301) and exits (302) seen by a session, by name. */
const heard = ({ frames }: RawLink, roomid: number) =>
  frames
    .filter((frame) => frame.t === 'roomMessage' && frame['roomid'] === roomid)
    .map((frame) => {
      if (frame['type'] !== 5) return { at: frame['at'] as number, what: String(frame['attach']) }
      const { id, data } = JSON.parse(String(frame['attach'])) as Notice
      return { at: frame['at'] as number, what: `${id} ${data.target.join(' ')}` }
    })
const online = async (roomid: number) =>
  (await rig.call(chatrooms.get, { roomid, needOnlineUserCount: true })).chatroom!.onlineusercount

describe('everybody inside', () => {
  it('is told of everybody who comes after, once, in one order, whoever comes when', async () => {
    const roomid = await rig.room()
    const links = await Promise.all(crowd.map((accid) => logIn(accid, 'token')))
    await Promise.all(links.map((link) => link.ask('roomEnter', { roomid })))
    const whole = crowd.map((accid) => `301 ${accid}`).toSorted()
    // The first to enter saw all; each other those after its own entry.
    await eventually(() => expect(Math.max(...links.map((link) => heard(link, roomid).length))).toBe(crowd.length))
    const all = links.map((link) => heard(link, roomid)).find((seen) => seen.length === crowd.length)!
    expect(all.map(({ what }) => what).toSorted()).toEqual(whole)
    expect(all.map(({ at }) => at)).toEqual([...new Set(all.map(({ at }) => at))].toSorted((one, other) => one - other))
    for (const [index, link] of links.entries()) {
      const from = all.findIndex(({ what }) => what === `301 ${crowd[index]}`)
      await eventually(() => expect(heard(link, roomid)).toEqual(all.slice(from)))
    }

    // Half leave while the others talk: nobody misses an exit, and all see the same order.
    const [leaving, staying] = [links.slice(0, 20), links.slice(20)]
    await Promise.all([
      ...leaving.map((link, index) => (index % 2 === 0 ? link.ask('roomLeave', { roomid }) : link.socket.terminate())),
      ...staying.map((link, index) =>
        link.ask('roomSend', { roomid, type: 0, attach: `line ${index}`, clientId: `c${index}` }),
      ),
    ])
    await eventually(async () => expect(await online(roomid)).toBe(20))
    await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'cara', msgId: 'end', msgType: 0, attach: 'end' })
    for (const link of staying) await eventually(() => expect(heard(link, roomid).at(-1)!.what).toBe('end'))
    const gone = crowd.slice(0, 20).map((accid) => `302 ${accid}`)
    const common = (link: RawLink) => heard(link, roomid).filter(({ what }) => what.startsWith('302') || what === 'end')
    expect(
      common(staying[0]!)
        .map(({ what }) => what)
        .toSorted(),
    ).toEqual([...gone, 'end'].toSorted())
    for (const link of staying) {
      expect(common(link)).toEqual(common(staying[0]!))
      // Its own line was answered, the others pushed.
      expect(
        heard(link, roomid)
          .map(({ what }) => what)
          .filter((what) => what.startsWith('line')),
      ).toHaveLength(19)
    }
    for (const { socket } of links) socket.terminate()
    await eventually(async () => expect(await online(roomid)).toBe(0))
  })

  it('is counted right with robots among them, whoever comes, goes, is put in and out or blacklisted at once', async () => {
    const roomid = await rig.room()
    const links = await Promise.all(crowd.slice(0, 20).map((accid) => logIn(accid, 'token')))
    await Promise.all(
      links.map(async (link, index) => {
        const accid = crowd[index]!
        for (let round = 0; round < 10; round++) {
          await link.ask('roomEnter', { roomid, lines: 0 })
          if (round % 3 === index % 3) await rig.call(robots.add, { roomid, accids: [accid, crowd[20 + index]!] })
          if (round % 3 === (index + 1) % 3) await rig.call(robots.remove, { roomid, accids: [accid] })
          if (round < 9) await link.ask('roomLeave', { roomid })
        }
        if (index % 4 === 0) expect(await rig.role(roomid, accid, -1)).toBe(200)
        if (index % 4 === 1) await link.ask('roomLeave', { roomid })
      }),
    )
    // Lists and counts agree.
    const { data } = (await rig.call(chatrooms.membersByPage, { roomid, type: 1, limit: 100 })).desc as unknown as {
      data: { accid: string; onlineStat: boolean; isRobot?: boolean }[]
    }
    const inside = crowd.slice(0, 20).filter((_, index) => index % 4 > 1)
    const names = data.map(({ accid }) => accid)
    expect(new Set(names).size).toBe(names.length)
    for (const accid of inside) expect(names).toContain(accid)
    for (const accid of crowd.slice(0, 20).filter((_, index) => index % 4 === 0)) expect(names).not.toContain(accid)
    for (const accid of crowd.slice(20))
      expect(data.find((one) => one.accid === accid)).toMatchObject({ isRobot: true })
    expect(await online(roomid)).toBe(data.length)
    expect((await rig.call(local.rooms, {})).ret!.list.find((room) => room.roomid === roomid)).toMatchObject({
      online: data.length,
    })
    const answer = await rig.call(robots.remove, { roomid, accids: crowd })
    expect(answer.code).toBe(200)
    expect(await online(roomid)).toBe(inside.length)
    for (const { socket } of links) socket.terminate()
    await eventually(async () => expect(await online(roomid)).toBe(0))
  })

  it('comes back after all connections broke at once, again and again, and stands there once', async () => {
    const roomid = await rig.room()
    const cara = await rig.user('cara')
    await cara.request('roomEnter', { roomid })
    for (let storm = 0; storm < 3; storm++) {
      const links = await Promise.all(crowd.map((accid) => logIn(accid, 'token')))
      await Promise.all(links.map((link) => link.ask('roomEnter', { roomid })))
      expect(await online(roomid)).toBe(crowd.length + 1)
      for (const { socket } of links) socket.terminate()
      // The next storm does not wait for the service.
    }
    await eventually(async () => expect(await online(roomid)).toBe(1))
    await eventually(() => {
      const seen = cara
        .of('roomMessage')
        .flatMap((push) => (push.roomid === roomid ? [(JSON.parse(push.attach) as Notice).id] : []))
      expect(seen.filter((id) => id === 301).length - seen.filter((id) => id === 302).length).toBe(1)
    })
  })
})

describe('one who says 1,000 lines in a second', () => {
  it('is cut and leaves the room; the others have read nothing twice and go on', async () => {
    const roomid = await rig.room()
    const cara = await rig.user('cara')
    await cara.request('roomEnter', { roomid })
    const flooder = await logIn('mona')
    await flooder.ask('roomEnter', { roomid })
    for (let number = 0; number < 1000; number++)
      flooder.socket.send(
        JSON.stringify({
          t: 'roomSend',
          id: 1000 + number,
          roomid,
          type: 0,
          attach: `flood ${number}`,
          clientId: `f${number}`,
        }),
      )
    expect((await flooder.closed).code).toBe(4429)
    const lines = () =>
      cara.of('roomMessage').flatMap((push) => (push.roomid === roomid && push.type === 0 ? [push.attach] : []))
    await eventually(async () => expect(await online(roomid)).toBe(1))
    await rig.call(chatrooms.sendMsg, {
      roomid,
      fromAccid: 'mike',
      msgId: 'after',
      msgType: 0,
      attach: 'after the flood',
    })
    await eventually(() => expect(lines().at(-1)).toBe('after the flood'))
    const flood = lines().slice(0, -1)
    expect(flood.length).toBeLessThan(linkLimits.framesIn10s)
    const numbers = flood.map((attach) => Number(/^flood (\d+)$/.exec(attach)![1]))
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
    // Excess lines are refused; refilled ones are accepted.
    const first = numbers.slice(0, speakingLimits.account.lines.atOnce)
    expect(first).toEqual(first.map((_, number) => number))
    expect(await cara.request('roomSend', { roomid, type: 0, attach: 'peace', clientId: 'p' })).toHaveProperty('msgid')
  })
})

describe('muting the whole room while lines are under way', () => {
  it('shows nothing behind it but what creator and admins say, and what was refused may be said later with the same id', async () => {
    for (let round = 0; round < 5; round++) {
      const roomid = await rig.room({ roles: true })
      // Another speaker each round, within the limit per account.
      const speaker = crowd[round]!
      const [cara, adam, mona] = [await rig.user('cara'), await rig.user('adam'), await rig.login(speaker, 'token')]
      for (const user of [cara, adam, mona]) await user.request('roomEnter', { roomid })
      const say = (user: typeof cara, attach: string, resend = 0) =>
        user.request('roomSend', { roomid, type: 0, attach, clientId: attach, resend })
      const lines = Array.from({ length: 12 }, (_, number) =>
        say(mona, `line ${number}`).catch((error: unknown) => error),
      )
      const [muted, ...led] = await Promise.all([
        rig.call(chatrooms.muteRoom, { roomid, operator: 'adam', mute: true }),
        ...[0, 1, 2].map((number) => say(adam, `led ${number}`)),
      ])
      expect([muted.code, led.length]).toEqual([200, 3])
      const outcomes = await Promise.all(lines)
      await say(adam, 'end')
      const seen = () =>
        cara
          .of('roomMessage')
          .flatMap((push) =>
            push.roomid !== roomid ? [] : [push.type === 5 ? (JSON.parse(push.attach) as Notice).id : push.attach],
          )
      await eventually(() => expect(seen().at(-1)).toBe('end'))
      const behind = seen().slice(seen().indexOf(318) + 1)
      expect(behind.filter((each) => typeof each === 'string' && each.startsWith('line'))).toEqual([])
      const shown = (): (string | number)[] =>
        seen().filter((each) => typeof each === 'string' && each.startsWith('line'))
      const said = outcomes.flatMap((outcome, number) => (outcome instanceof Error ? [] : [`line ${number}`]))
      expect(shown()).toEqual(said)

      await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: false })
      // Resent by an uncertain client: each is shown once.
      for (let number = 0; number < 12; number++) expect(await say(mona, `line ${number}`, 1)).toHaveProperty('msgid')
      await eventually(() => expect(shown()).toHaveLength(12))
      expect(new Set(shown()).size).toBe(12)
      const kept = (await rig.call(local.roomHistory, { roomid })).ret!.list.filter(({ from }) => from === speaker)
      expect([kept.length, kept.some(({ removed }) => removed)]).toEqual([12, false])
      for (const user of [adam, mona, cara]) user.close()
    }
  })
})

describe('a line', () => {
  it('is of the account that logged in, whatever else its frame says', async () => {
    const roomid = await rig.room({ roles: true })
    const [stan, cara] = [await logIn('stan'), await rig.user('cara')]
    await cara.request('roomEnter', { roomid })
    await stan.ask('roomEnter', { roomid })
    const posing = {
      accid: 'cara',
      from: 'cara',
      fromAccid: 'cara',
      operator: 'cara',
      fromNick: 'CARA',
      account: 'cara',
    }
    const answer = await stan.ask('roomSend', {
      roomid,
      type: 0,
      attach: 'I am cara',
      clientId: 'x',
      ...posing,
    } as never)
    expect(answer.t).toBe('ok')
    await eventually(() =>
      expect(cara.of('roomMessage').at(-1)).toMatchObject({ from: 'stan', fromNick: 'STAN', attach: 'I am cara' }),
    )
    for (const kind of [
      'setMemberRole',
      'temporaryMute',
      'muteRoom',
      'toggleCloseStat',
      'removeLine',
      'decideHeld',
      'slowMode',
    ])
      expect(
        await stan.ask(
          kind as 'roomLeave',
          { roomid, target: 'mona', opt: 1, optvalue: true, muteDuration: 60, mute: true, ...posing } as never,
        ),
      ).toMatchObject({
        t: 'error',
        code: 414,
      })
    // This session is outside, another of the account is inside.
    const elsewhere = await openRaw(rig.service.ready.linkUrl)
    open.push(elsewhere)
    await elsewhere.ask('login', {
      appKey: testCredentials.appKey,
      accid: 'stan',
      token: 'token-stan',
      device: 'phone',
      clientType: 'IOS',
    })
    expect(await elsewhere.ask('roomSend', { roomid, type: 0, attach: 'x', clientId: 'y' })).toMatchObject({
      t: 'error',
      code: 403,
    })
  })

  it('with a msgId that another sender has used is said; the same of one sender once, on the link and the API, with resendFlag 0 and 1, over a restart', async () => {
    const roomid = await rig.room()
    let mona = await rig.user('mona')
    await mona.request('roomEnter', { roomid })
    const api = async (fromAccid: string, attach: string, resendFlag: 0 | 1) =>
      (await rig.call(chatrooms.sendMsg, { roomid, fromAccid, msgId: 'same', msgType: 0, attach, resendFlag }))
        .desc as unknown as { attach: string }
    expect((await api('mike', 'of mike', 0)).attach).toBe('of mike')
    const { msgid } = await mona.request('roomSend', { roomid, type: 0, attach: 'of mona', clientId: 'same' })
    for (const resend of [0, 1])
      expect(
        await mona.request('roomSend', { roomid, type: 0, attach: 'again', clientId: 'same', resend }),
      ).toMatchObject({ msgid })
    for (const resendFlag of [0, 1] as const) {
      expect((await api('mona', 'again', resendFlag)).attach).toBe('of mona')
      expect((await api('mike', 'again', resendFlag)).attach).toBe('of mike')
    }
    await rig.stop()
    rig = await startRooms({ dataDir: rig.dataDir })
    mona = await rig.user('mona')
    await mona.request('roomEnter', { roomid })
    for (const resend of [0, 1])
      expect(
        await mona.request('roomSend', { roomid, type: 0, attach: 'later', clientId: 'same', resend }),
      ).toMatchObject({ msgid })
    expect((await rig.call(local.roomHistory, { roomid })).ret!.list.map(({ attach }) => attach)).toEqual([
      'of mona',
      'of mike',
    ])
  })
})
