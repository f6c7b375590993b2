import { expect, it } from 'vitest'
import type { RoomMemberTable, RoomTable } from '../storage/room-tables.ts'
import { nobody, type Inside, type Room } from './room.ts'
import { outFrame, readyNotice, sessionsThatKnow, tellLeaders, type RoomNotice } from './room-notices.ts'

/** Accounts inside that must not be iterated. */
class Crowd extends Map<string, Inside> {
  override [Symbol.iterator](): never {
    throw new Error('everybody inside was looked at')
  }
}
function stage() {
  const told: string[] = []
  const inside = new Crowd()
  const members = new Map<string, RoomMemberTable>()
  const room = {
    row: { roomid: 7, uid: 1, creator: 'cara' } as RoomTable,
    memberChanges: 0,
    members,
    robots: new Map(),
    inside,
    queue: new Map(),
  }
  const member = (accid: string, more: Partial<RoomMemberTable>): void => {
    members.set(accid, { roomid: 7, accid, updated: 0, ...nobody, ...more })
    room.memberChanges++
  }
  for (const accid of ['cara', 'adam', 'mona', 'nora']) {
    const sessions = new Map(
      [1, 2].map((number) => [`${accid}${number}`, { write: () => void told.push(`${accid}${number}`) }]),
    )
    inside.set(accid, { accid, nick: '', avatar: '', ext: '', entered: 1, changed: 1, sessions })
  }
  return { room: room as unknown as Room, member, told: () => told.splice(0) }
}

it('creator and admins are told as they are at that moment, and nobody else inside is looked at', () => {
  const { room, member, told } = stage()
  tellLeaders(room, Buffer.alloc(1))
  expect(told()).toEqual(['cara1', 'cara2'])
  member('adam', { admin: 1 })
  member('absent', { admin: 1 })
  member('mona', { ordinary: 1 })
  tellLeaders(room, Buffer.alloc(1), { without: 'cara2' })
  expect(told()).toEqual(['cara1', 'adam1', 'adam2'])
  // Once, also who leads.
  tellLeaders(room, Buffer.alloc(1), { also: 'mona' })
  expect(told()).toEqual(['cara1', 'cara2', 'adam1', 'adam2', 'mona1', 'mona2'])
  tellLeaders(room, Buffer.alloc(1), { also: 'adam' })
  expect(told()).toEqual(['cara1', 'cara2', 'adam1', 'adam2'])
  member('adam', { admin: 1, muted: 1 })
  tellLeaders(room, Buffer.alloc(1))
  expect(told()).toEqual(['cara1', 'cara2'])
})

it('what is confidential of somebody is known to who leads and to themselves, and nobody else inside is looked at', () => {
  const { room, member } = stage()
  member('adam', { admin: 1 })
  expect([...sessionsThatKnow(room, ['mona', 'cara', 'gone'])].toSorted()).toEqual([
    'adam1',
    'adam2',
    'cara1',
    'cara2',
    'mona1',
    'mona2',
  ])
})

const contentOf = (text: string) => JSON.parse(text) as Record<string, unknown>
const ready = (notice: Pick<RoomNotice, 'id'> & Partial<RoomNotice>, line?: number) =>
  readyNotice(
    stage().room,
    { operator: 'cara', clientType: 'WEB', ...notice },
    { at: 100, clientId: 'unique', line },
    (accid) => accid.toUpperCase(),
  )
const dataOf = (text: string) =>
  (JSON.parse(String(contentOf(text)['attach'])) as { readonly data: Readonly<Record<string, unknown>> }).data

it('a notice names operator and targets with their names, and has further members as they are given', () => {
  const { text, fullText, copy, line } = ready(
    { id: 314, target: ['mona', 'cara'], ext: 'why', muteDuration: 60, more: { stillMuted: true } },
    9,
  )
  const data = { operator: 'cara', opeNick: 'CARA', target: ['mona', 'cara'], tarNick: ['MONA', 'CARA'], ext: 'why' }
  const attach = JSON.stringify({ data: { ...data, muteDuration: 60, stillMuted: true }, id: 314 })
  const about = { roomid: 7, at: 100, type: 5, attach }
  expect(contentOf(text)).toEqual({
    ...about,
    t: 'roomMessage',
    msgid: '9',
    from: 'cara',
    fromNick: 'CARA',
    fromClientType: 'WEB',
  })
  expect(fullText).toBeUndefined()
  expect(copy).toMatchObject({ roomId: '7', fromAccount: 'cara', fromNick: 'CARA', attach, msgidClient: 'unique' })
  expect(line).toMatchObject({
    ...about,
    line: 9,
    uid: 1,
    sender: 'cara',
    nick: 'CARA',
    clientType: 'WEB',
    state: 'shown',
  })
})

it('a notice of who comes or goes is not copied or kept, and has an extension of 512 characters at most', () => {
  for (const id of [301, 302, 316] as const) {
    const short = ready({ id, target: ['cara'], ext: 'x'.repeat(512) })
    expect([short.copy, short.line, contentOf(short.text)['msgid']]).toEqual([undefined, undefined, 'unique'])
    expect(dataOf(short.text)['ext']).toBe('x'.repeat(512))
    expect(dataOf(ready({ id, target: ['cara'], ext: 'x'.repeat(513) }).text)['ext']).toBe('')
  }
  expect(dataOf(ready({ id: 305, ext: 'x'.repeat(513) }).text)['ext']).toBe('x'.repeat(513))
})

it('a notice of somebody who cannot be looked up any more has the name that is given, as target too', () => {
  const { text } = ready({ id: 302, operator: 'mona', operatorNick: 'Moon', target: ['mona'] })
  expect(dataOf(text)).toMatchObject({ opeNick: 'Moon', tarNick: ['Moon'] })
  expect(contentOf(text)['fromNick']).toBe('Moon')
})

it('what is confidential stands in a second text beside the rest', () => {
  const { text, fullText } = ready({ id: 301, target: ['cara'], confidential: { muted: true } })
  expect(dataOf(text)).not.toHaveProperty('muted')
  expect(dataOf(fullText!)).toEqual({ ...dataOf(text), muted: true })
})

it('somebody who is put out learns of which room and why', () => {
  for (const reason of ['closed', 'blacklisted'] as const)
    expect(JSON.parse(outFrame(7, reason).subarray(2).toString())).toEqual({ t: 'roomOut', roomid: 7, reason })
})
