import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxGuestExt, roomPageBytes, speakingLimits } from '../../contract/link/rooms.ts'
import { chatrooms, live, local } from '../../contract/operations/index.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
let cid: string
let roomid: number
const users = new Map<string, LinkUser>()
beforeAll(async () => {
  rig = await startRooms()
  cid = (await rig.call(live.create, { name: 'watched', type: 0 })).ret!.cid
  roomid = await rig.room({ roles: true })
  await rig.call(local.linkRoom, { cid, roomid })
  for (const accid of ['cara', 'adam', 'mona', 'mike', 'stan', 'tim']) {
    users.set(accid, await rig.user(accid))
    await users.get(accid)!.request('roomEnter', { roomid, lines: 0 })
  }
})
afterAll(() => rig.close())

async function guest(): Promise<LinkUser> {
  const answer = await fetch(`${rig.service.ready.mediaUrl}/watch/${cid}/guest`, { method: 'POST' })
  expect(answer.status).toBe(201)
  const { accid, token } = (await answer.json()) as WatchGuest
  const user = await rig.login(accid, token, randomBytes(4).toString('hex'))
  await user.request('roomEnter', { roomid, lines: 0 })
  return user
}
/** A visible line of which JSON makes six bytes per character. */
const longest = `x${'\u0001'.repeat(4095)}`

interface Outcome {
  readonly code: number
  readonly words: string
}
/** Accepted lines of a burst, and the codes of the others. */
async function burst(
  user: LinkUser,
  lines: number,
  attach: string,
  ext = '',
): Promise<{ readonly taken: number; readonly refused: readonly Outcome[]; readonly seconds: number }> {
  const begun = performance.now()
  const outcomes = await Promise.all(
    Array.from({ length: lines }, () =>
      user.request('roomSend', { roomid, type: 0, attach, ext, clientId: randomBytes(8).toString('hex') }).then(
        () => undefined,
        (error: unknown): Outcome => ({ code: (error as { code: number }).code, words: (error as Error).message }),
      ),
    ),
  )
  const refused = outcomes.filter((outcome) => outcome !== undefined)
  return { taken: lines - refused.length, refused, seconds: (performance.now() - begun) / 1000 }
}

describe('somebody who does not lead a room', () => {
  it.each([
    ['a guest', guest],
    ['an ordinary account', () => Promise.resolve(users.get('mona')!)],
    ['an account that is no member', () => Promise.resolve(users.get('stan')!)],
  ])('says so many lines by the link and no more: %s', async (_who, speaker) => {
    const { lines } = speakingLimits.account
    const { taken, refused, seconds } = await burst(await speaker(), 60, 'short')
    expect(taken).toBeGreaterThanOrEqual(lines.atOnce)
    expect(taken).toBeLessThanOrEqual(lines.atOnce + Math.ceil(seconds * lines.perSecond))
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([416]))
    expect(refused[0]!.words).toMatch(/^too many lines, or too long ones, in a short time; speak again in 1 s$/)
  })

  it('says so many bytes, counted as each reader gets them', async () => {
    const { bytes } = speakingLimits.account
    const { taken, refused, seconds } = await burst(await guest(), 20, longest)
    expect(taken).toBeGreaterThanOrEqual(1)
    expect((taken - 1) * 6 * 4096).toBeLessThanOrEqual(bytes.atOnce + seconds * bytes.perSecond)
    expect(refused.length + taken).toBe(20)
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([416]))
  })

  it('is shown as before once it has said so many bytes, in extensions too, and stays in the room', async () => {
    const speaker = users.get('mike')!
    await burst(speaker, 3, longest, longest)
    const { nick, note } = await speaker.request('roomEnter', {
      roomid,
      nick: 'another name',
      ext: '\u0001'.repeat(1024),
      lines: 0,
    })
    expect([nick, note]).toEqual(['MIKE', 'later'])
  })

  it('writes only a short extension as a guest', async () => {
    const [one, account] = [await guest(), await rig.user('abby')]
    const long = 'é'.repeat(maxGuestExt + 1)
    const short = '😀'.repeat(maxGuestExt)
    const say = (user: LinkUser, ext: string) =>
      user.request('roomSend', { roomid, type: 0, attach: 'x', ext, clientId: randomBytes(8).toString('hex') })
    for (const ask of [() => say(one, long), () => one.request('roomEnter', { roomid, ext: long })])
      await expect(ask()).rejects.toMatchObject({
        code: 414,
        message: expect.stringContaining(`${maxGuestExt} characters`),
      })
    expect(await one.request('roomEnter', { roomid, ext: short })).toMatchObject({ type: 3 })
    expect(await say(one, short)).toHaveProperty('msgid')
    expect(await account.request('roomEnter', { roomid, ext: long })).toHaveProperty('room')
  })
})

describe('those who lead a room, and signed calls', () => {
  it.each(['cara', 'adam'])('say as much as they want to: %s by the link', async (accid) => {
    expect(await burst(users.get(accid)!, 80, 'a short line')).toMatchObject({ taken: 80, refused: [] })
    expect(await burst(users.get(accid)!, 5, longest)).toMatchObject({ taken: 5, refused: [] })
  })

  it('say as much as they want to: a signed call for an account that may say nothing more by the link', async () => {
    expect((await burst(users.get('mona')!, 60, 'short')).refused.length).toBeGreaterThan(0)
    for (let line = 0; line < 60; line++) {
      const { code } = await rig.call(chatrooms.sendMsg, {
        roomid,
        fromAccid: 'mona',
        msgId: `signed ${line}`,
        msgType: 0,
        attach: line < 5 ? longest : 'short',
      })
      expect(code).toBe(200)
    }
  })
})

it('is refused as a guest where guests have taken the time of their deliveries, and by nobody else', async () => {
  // One line for all and one for quiet addresses, no more within the test.
  const once = { perSecond: 0.001, atOnce: 0.1 }
  const small = await startRooms({ deliveries: { lines: once, quiet: once } })
  try {
    const watched = (await small.call(live.create, { name: 'watched', type: 0 })).ret!.cid
    const room = await small.room({ roles: true })
    await small.call(local.linkRoom, { cid: watched, roomid: room })
    const enter = async (user: LinkUser): Promise<LinkUser> => {
      await user.request('roomEnter', { roomid: room, lines: 0 })
      return user
    }
    const guests = await Promise.all(
      [1, 2, 3].map(async (number) => {
        const { accid, token } = (await (
          await fetch(`${small.service.ready.mediaUrl}/watch/${watched}/guest`, { method: 'POST' })
        ).json()) as WatchGuest
        return enter(await small.login(accid, token, `tab-${number}`))
      }),
    )
    const say = (user: LinkUser) =>
      user.request('roomSend', { roomid: room, type: 0, attach: 'x', clientId: randomBytes(8).toString('hex') })
    for (const guest of guests.slice(0, 2)) expect(await say(guest)).toHaveProperty('msgid')
    for (const guest of guests)
      await expect(say(guest)).rejects.toMatchObject({ code: 416, message: expect.stringContaining('speak again in') })
    for (const accid of ['cara', 'adam', 'mona', 'stan']) {
      const user = await enter(await small.user(accid))
      for (let line = 0; line < 5; line++) expect(await say(user)).toHaveProperty('msgid')
    }
    expect(
      (
        await small.call(chatrooms.sendMsg, {
          roomid: room,
          fromAccid: 'mona',
          msgId: 'signed',
          msgType: 0,
          attach: 'x',
        })
      ).code,
    ).toBe(200)
  } finally {
    await small.close()
  }
})

describe('an answer with lines', () => {
  it('is bounded in bytes and says that there are more, which a reader gets whole by asking on', async () => {
    const many = await rig.room()
    for (let line = 0; line < 30; line++)
      await rig.call(chatrooms.sendMsg, {
        roomid: many,
        fromAccid: 'cara',
        msgId: `long ${line}`,
        msgType: 0,
        attach: `${line} ${longest}`.slice(0, 4096),
        ext: longest,
      })
    const reader = users.get('tim')!
    let part: {
      readonly lines: readonly { readonly attach: string; readonly msgid: string }[]
      readonly more: boolean
    } = await reader.request('roomEnter', {
      roomid: many,
      lines: 100,
    })
    const read = [...part.lines]
    const sizes = [Buffer.byteLength(JSON.stringify(part.lines))]
    for (let asked = 0; part.more && asked < 30; asked++) {
      part = await reader.request('roomHistory', { roomid: many, before: Number(read.at(-1)!.msgid), limit: 100 })
      read.push(...part.lines)
      sizes.push(Buffer.byteLength(JSON.stringify(part.lines)))
    }
    expect(sizes.length).toBeGreaterThan(5)
    // Including the commas between lines.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(roomPageBytes + 100)
    expect(read.map(({ attach }) => Number(attach.split(' ')[0]))).toEqual(
      Array.from({ length: 30 }, (_, line) => 29 - line),
    )
    expect(part.more).toBe(false)
  })

  it('has as many lines as were asked for where they are short', async () => {
    const short = await rig.room()
    for (let line = 0; line < 12; line++)
      await rig.call(chatrooms.sendMsg, {
        roomid: short,
        fromAccid: 'cara',
        msgId: `short ${line}`,
        msgType: 0,
        attach: 'x',
      })
    const { lines, more } = await users.get('tim')!.request('roomEnter', { roomid: short, lines: 12 })
    expect([lines.length, more]).toEqual([12, false])
  })
})
