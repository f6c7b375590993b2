import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import { Failure } from '../failure.ts'
import { scratch } from '../testing/rig.ts'
import { openKnownRooms, type KnownRooms } from './known-rooms.ts'
import { createRoomDirectory, type RoomDirectory } from './room-directory.ts'
import { answeringClient } from './testing/answering-client.ts'
import { isLocal } from '../profiles/profiles.ts'

const roomid = 7
const cid = 'c'.repeat(32)
const chatroom = { roomid, name: 'Late', creator: 'ana', valid: true, onlineusercount: 3 }
const row = (more: object = {}) => ({
  roomid,
  name: 'Late',
  creator: 'ana',
  valid: true,
  online: 3,
  created: 50,
  ...more,
})
let folder: ReturnType<typeof scratch>
let known: KnownRooms
let answers: Map<Operation, unknown>
let calls: [Operation, object][]
let asked: string[]
let made: unknown[]
let directory: RoomDirectory
let seated: string | undefined
beforeEach(async () => {
  folder = scratch()
  known = await openKnownRooms(folder.dir)
  answers = new Map<Operation, unknown>([[chatrooms.get, { chatroom }]])
  asked = []
  made = []
  seated = undefined
  const answering = answeringClient((operation) => {
    const answer = answers.get(operation) ?? {}
    if (answer instanceof Error) throw answer
    return answer
  })
  calls = answering.calls
  directory = createRoomDirectory({
    client: (profileId) => {
      asked.push(profileId)
      return Promise.resolve(answering.client)
    },
    known,
    isExtended: isLocal,
    accounts: {
      createAccount: (...given) => {
        made.push(given)
        return Promise.resolve({ accid: 'ana', token: 't' })
      },
    },
    accidIn: () => seated,
  })
})
afterEach(() => folder[Symbol.dispose]())
const away = new Failure('unreachable', 'away')

describe('rooms of the embedded service', () => {
  it('are listed in parts of 100, each from before the last one', async () => {
    const hundred = Array.from({ length: 100 }, (_, at) => row({ roomid: at + 1, created: 1_000 - at }))
    answers.set(local.rooms, { ret: { list: hundred } })
    const { complete, rooms, next } = await directory.list('local', undefined)
    expect([complete, rooms.length, next]).toEqual([true, 100, 901])
    answers.set(local.rooms, { ret: { list: [row({ cid }), row({ valid: false })] } })
    expect(await directory.list('local', 901)).toEqual({
      complete: true,
      next: null,
      rooms: [
        { roomid, name: 'Late', creator: 'ana', valid: true, online: 3, cid },
        { roomid, name: 'Late', creator: 'ana', valid: false, online: 3, cid: null },
      ],
    })
    expect(calls).toEqual([
      [local.rooms, { limit: 100 }],
      [local.rooms, { limit: 100, before: 901 }],
    ])
  })

  it('are found by their number with one call', async () => {
    answers.set(local.roomDetails, { ret: { list: [row({ cid })] } })
    expect(await directory.find('local', roomid)).toEqual({ ...row({ cid }), created: undefined })
    answers.set(local.roomDetails, { ret: { list: [] } })
    expect(await directory.find('local', 8)).toBeUndefined()
    expect(calls.map(([, args]) => args)).toEqual([{ roomidList: [roomid] }, { roomidList: [8] }])
  })

  it('are made for a creator who is registered first where there is no such account', async () => {
    answers.set(chatrooms.create, { chatroom })
    answers.set(accounts.getUinfos, new Failure('missing', 'no account', { code: 414 }))
    expect(await directory.create({ profileId: 'local', accid: 'ana', name: 'Late', announcement: '' })).toEqual({
      roomid,
    })
    expect(made).toEqual([['local', { accid: 'ana' }, 'own']])
    expect(calls.at(-1)).toEqual([chatrooms.create, { creator: 'ana', name: 'Late' }])
    answers.set(accounts.getUinfos, { uinfos: [{ accid: 'ana' }] })
    await directory.create({ profileId: 'local', accid: 'ana', name: 'Late', announcement: 'hi' })
    expect(made).toHaveLength(1)
    expect(calls.at(-1)).toEqual([chatrooms.create, { creator: 'ana', name: 'Late', announcement: 'hi' }])
    expect(known.rooms('local')).toEqual([])
  })

  it('are linked to channels by the service, also to none', async () => {
    answers.set(local.linkedRoom, { ret: { roomid } })
    expect(await directory.linked({ profileId: 'local', cid })).toEqual({ roomid })
    answers.set(local.linkedRoom, { ret: {} })
    expect(await directory.linked({ profileId: 'local', cid })).toEqual({ roomid: null })
    await directory.link('local', cid, roomid)
    await directory.link('local', cid, null)
    expect(calls.slice(2)).toEqual([
      [local.linkRoom, { cid, roomid }],
      [local.linkRoom, { cid }],
    ])
    expect(known.linked('local', cid)).toBeUndefined()
  })
})

describe('rooms of a hosted service', () => {
  it('are those that were added here, after they were looked up, with their channel', async () => {
    expect(await directory.add({ profileId: 'h', roomid })).toEqual({
      roomid,
      name: 'Late',
      creator: 'ana',
      valid: true,
      online: 3,
      cid: null,
    })
    expect(calls).toEqual([[chatrooms.get, { roomid, needOnlineUserCount: true }]])
    await directory.link('h', cid, roomid)
    const listed = { roomid, name: 'Late', creator: 'ana', valid: null, online: null, cid }
    expect(await directory.list('h', undefined)).toEqual({ complete: false, next: null, rooms: [listed] })
    expect([
      await directory.find('h', roomid),
      await directory.find('h', 8),
      await directory.find('i', roomid),
    ]).toEqual([listed, undefined, undefined])
    expect([await directory.linked({ profileId: 'h', cid }), await directory.linked({ profileId: 'i', cid })]).toEqual([
      { roomid },
      { roomid: null },
    ])
    await directory.link('h', cid, null)
    expect(await directory.linked({ profileId: 'h', cid })).toEqual({ roomid: null })
    expect(calls).toHaveLength(1)
  })

  it('are not kept where the service has none of this number', async () => {
    answers.set(chatrooms.get, new Failure('code', 'no such room', { code: 404 }))
    await expect(directory.add({ profileId: 'h', roomid })).rejects.toThrow('no such room')
    expect(known.rooms('h')).toEqual([])
  })

  it('say that the number of people is not known where the service does not tell', async () => {
    answers.set(chatrooms.get, { chatroom: { ...chatroom, onlineusercount: undefined } })
    expect((await directory.add({ profileId: 'h', roomid })).online).toBeNull()
  })

  it('are made there and kept here, with no account made', async () => {
    answers.set(chatrooms.create, { chatroom: { ...chatroom, roomid: 9 } })
    expect(await directory.create({ profileId: 'h', accid: 'ana', name: 'Late', announcement: '' })).toEqual({
      roomid: 9,
    })
    expect([made, calls.map(([operation]) => operation)]).toEqual([[], [chatrooms.create]])
    expect(known.rooms('h')).toEqual([{ profileId: 'h', roomid: 9, name: 'Late', creator: 'ana' }])
    expect(asked).toEqual(['h'])
  })
})

describe('the creator of a room', () => {
  it('is asked for once, of each room and profile', async () => {
    for (const profileId of ['local', 'local', 'h', 'h']) expect(await directory.creator(profileId, roomid)).toBe('ana')
    expect(asked).toEqual(['local', 'h'])
    await directory.creator('h', 8)
    expect(calls.at(-1)).toEqual([chatrooms.get, { roomid: 8, needOnlineUserCount: false }])
  })

  it('is asked for again after a failure, which is thrown', async () => {
    answers.set(chatrooms.get, away)
    await expect(directory.creator('local', roomid)).rejects.toThrow('away')
    answers.set(chatrooms.get, { chatroom })
    expect(await directory.creator('local', roomid)).toBe('ana')
  })

  it('is, while the service is away, who sits in the room, and on a hosted service who is kept with it', async () => {
    answers.set(chatrooms.get, away)
    await known.noteRoom({ profileId: 'h', roomid, name: 'Late', creator: 'bea' })
    expect(await directory.creatorAsKnown('local', roomid)).toBe('')
    seated = 'ana'
    expect(await directory.creatorAsKnown('local', roomid)).toBe('ana')
    expect(await directory.creatorAsKnown('h', roomid)).toBe('bea')
    expect(await directory.creatorAsKnown('h', 8)).toBe('')
    answers.set(chatrooms.get, { chatroom: { ...chatroom, creator: 'kim' } })
    expect(await directory.creatorAsKnown('h', roomid)).toBe('kim')
  })
})
