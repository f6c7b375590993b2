import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, live, local } from '../../contract/operations/index.ts'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
let roomid = 0
const speakers: Record<string, LinkUser> = {}
beforeAll(async () => {
  rig = await startRooms()
  roomid = await rig.room()
  const { cid } = (await rig.call(live.create, { name: 'channel', type: 0 })).ret!
  await rig.call(local.linkRoom, { cid, roomid })
  const { accid, token } = (await (
    await fetch(`${rig.service.ready.mediaUrl}/watch/${cid}/guest`, { method: 'POST' })
  ).json()) as WatchGuest
  speakers['a guest'] = await rig.login(accid, token)
  speakers['an account'] = await rig.user('mona')
  speakers['the host'] = await rig.user('cara')
  for (const speaker of Object.values(speakers)) await speaker.request('roomEnter', { roomid })
})
afterAll(() => rig.close())

const unseen = [
  ['four zero-width spaces', '\u200b'.repeat(4)],
  ['Braille blanks', '\u2800'.repeat(3)],
  ['spaces of several widths', ' \u3000\u00a0\t'],
  ['the null notehead', '\u{1d159}'],
  ['blank hieroglyphs', '\u{13441}\u{13442}'],
  ['Hangul fillers', '\u3164\uffa0'],
  ['marks on nothing', '\u0301'],
  ['a variation selector', '\ufe0f\u200d'],
  ['turns of the reading', '\u202e\u2066'],
] as const
let count = 0
/** Code of a line over the link; 200 on success. */
async function codeOf(speaker: LinkUser, type: number, attach: string): Promise<number> {
  try {
    await speaker.request('roomSend', { roomid, type, attach, clientId: `u${++count}` })
    return 200
  } catch (error) {
    if (error instanceof LinkFailure) return error.code
    throw error
  }
}
const kept = async () => (await rig.call(local.roomHistory, { roomid })).ret!.list.length

describe.each(['a guest', 'an account', 'the host'])('%s', (who) => {
  it.each(unseen)('says no line of which nothing can be seen by the link: %s', async (_what, text) => {
    const before = await kept()
    const ways: readonly (readonly [number, string])[] = [
      [0, text],
      [10, text],
      [0, JSON.stringify({ msg: text })],
      [10, JSON.stringify({ msg: text, name: 'x' })],
    ]
    for (const [type, attach] of ways)
      expect([type, attach, await codeOf(speakers[who]!, type, attach)]).toEqual([type, attach, 414])
    expect(await kept()).toBe(before)
  })
})

it('what can be seen is said, and so are attachments, whose text may be what it is', async () => {
  const speaker = speakers['an account']!
  const pictured = '\u2800\u28ff\u2800'
  for (const [type, attach] of [
    [0, '.'],
    [0, pictured],
    [0, '{}'],
    [0, JSON.stringify({ msg: 'hello' })],
    [0, '\u{e000}'],
    [1, JSON.stringify({ url: 'http://x/', name: '\u2800' })],
    [100, JSON.stringify({ msg: '\u2800', data: 1 })],
  ] as const)
    expect([attach, await codeOf(speaker, type, attach)]).toEqual([attach, 200])
})

it.each(unseen)('the signed API says what its specification takes: %s', async (_what, text) => {
  expect(
    (await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'mona', msgId: `a${++count}`, msgType: 0, attach: text }))
      .code,
  ).toBe(200)
})

it.each(unseen)('a name of nothing but them is none: %s', async (_what, nick) => {
  expect(await speakers['a guest']!.request('roomEnter', { roomid, nick })).toMatchObject({ nick: '' })
})
