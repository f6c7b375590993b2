import { ORPCError } from '@orpc/client'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RoomPanel, RoomPush } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { undoFor } from './room-measures.ts'

const panel = (phase: RoomPanel['phase'], more: Partial<RoomPanel> = {}): RoomPanel => ({
  profileId: 'local',
  roomid: 7,
  phase,
  reason: null,
  accid: 'host',
  name: 'Seven',
  announcement: '',
  muted: false,
  mutedBy: null,
  mutedAt: null,
  slow: 0,
  online: 1,
  counts: null,
  ...more,
})
const pushed = (push: RoomPush, profileId = 'local'): AppEvent => ({
  type: 'roomPush',
  profileId,
  roomid: push.roomid,
  push,
})
const line = (msgid: number, attach: string, roomid = 7): RoomPush & { t: 'roomMessage' } => ({
  t: 'roomMessage',
  roomid,
  msgid: String(msgid),
  at: msgid,
  from: 'ana',
  fromNick: 'Ana',
  fromClientType: 'WEB',
  type: 0,
  attach,
})
const recall = (msgid: number): RoomPush => ({
  t: 'roomRecall',
  roomid: 7,
  msgid: String(msgid),
  at: 50,
  from: 'ana',
  clientId: 'c',
  operator: 'mei',
  ext: 'advertising',
})
const past = (msgid: number, attach: string, removed = false) => ({
  msgid: String(msgid),
  at: msgid,
  from: 'ana',
  type: 0,
  attach,
  removed,
  nick: 'Ana',
  clientId: 'c',
})

let history: (ReturnType<typeof past> & { heldAt?: number })[] = []
let refused: number | null = null
/** Why the app is not let into a room. */
let shut: number | null = null
let queued: Record<string, string>[] = []
/** The next answers with a queue come after this. */
let slowQueue: Promise<void> | undefined
let listed: (input: { before?: number | undefined }) => unknown
let muted: readonly object[] = []
/** Seconds that are left of the timed mute of a person, as the app knows them in the turn of a measure. */
let running: number | undefined
let online: Readonly<Record<string, number>> = {}
/** Seconds that are left of timed mutes, as a list of people says them. */
let left: Readonly<Record<string, number>> = {}
const outlasted = (leftSeconds: number) =>
  new ORPCError('FAILED', { data: { kind: 'outlasted', code: null, skewSeconds: null, leftSeconds, detail: 'muted' } })
let members: (input: { call: { roomid: number; type: number } }) => unknown
const member = (accid: string) => ({ roomid: 7, accid, nick: '', type: 0, onlineStat: true })
const stage = () =>
  roomStage(
    {
      list: (input) => listed(input),
      'chatrooms.queryMembers': ({ call: { accids } }: { call: { accids: string[] } }) => ({
        desc: {
          data: accids
            .filter((accid) => accid in online)
            .map((accid) => ({
              ...member(accid),
              type: online[accid],
              ...(accid in left && { tempMuted: true, tempMuteTtl: left[accid] }),
            })),
        },
      }),
      'chatrooms.membersByPage': (input: { call: { roomid: number; type: number } }) => members(input),
      'queue.list': async () => {
        const list = queued
        await slowQueue
        return { desc: { list } }
      },
      'local.muted': () => ({ ret: { list: muted, more: false } }),
      'local.blacklisted': () => ({ ret: { list: [], more: false } }),
      history: () => ({ ret: { list: history, more: false } }),
      enter: ({ roomid }: { roomid: number }) => {
        if (shut !== null) throw refusal(shut)
        return panel('connecting', { roomid })
      },
      act: ({ measure, undoes, shortens }) => {
        if (refused !== null) throw refusal(refused)
        const replaced = running
        if (measure.kind === 'temporaryMute') {
          if (!shortens && undoes === undefined && measure.seconds > 0 && measure.seconds < (running ?? 0))
            throw outlasted(running!)
          running &&= measure.seconds
        }
        const [first] = Object.entries(queued[0] ?? {})
        return {
          action: roomAction(measure, { id: 4 }),
          taken: measure.kind === 'queueTake' && first ? { key: first[0], value: first[1] } : null,
          ...(replaced !== undefined && { replaced }),
        }
      },
    },
    1_000,
  )
beforeEach(() => {
  history = []
  refused = null
  shut = null
  queued = []
  slowQueue = undefined
  muted = []
  running = undefined
  online = {}
  left = {}
  listed = () => ({ rooms: [], next: null, complete: true })
  members = ({ call }) => ({ desc: { data: call.type === 0 ? [member(`of_${call.roomid}`)] : [] } })
})
const texts = (on: ReturnType<typeof stage>): string[] => on.room.log.map(({ text }) => text)

it('says of a line that waited when it was said, told by the decision or by the history', async () => {
  const on = stage()
  on.room.apply({ type: 'room', panel: panel('inside') })
  on.room.apply(pushed(line(1, 'before')))
  on.room.apply(pushed({ ...line(2, 'late'), at: 40 }))
  on.room.apply(pushed({ t: 'roomDecided', roomid: 7, msgid: '2', allow: true, heldAt: 2 }))
  on.room.apply(pushed({ t: 'roomDecided', roomid: 7, msgid: '1', allow: false }))
  const held = (): unknown[] => on.room.log.map(({ msgid, at, heldAt }) => [msgid, at, heldAt])
  expect(held()).toEqual([
    ['1', 1, undefined],
    ['2', 40, 2],
  ])
  history = [{ ...past(3, 'later'), at: 60, heldAt: 30 }]
  await on.room.open(7)
  expect(held().at(-1)).toEqual(['3', 60, 30])
})

it('shows what is said in its room of its profile, and nothing that is said elsewhere under the same number', () => {
  const on = stage()
  on.room.apply(pushed(line(1, 'here')))
  on.room.apply(pushed(line(2, 'another room', 8)))
  on.room.apply(pushed(line(3, 'another service'), 'h'))
  expect(texts(on)).toEqual(['here'])
  on.room.roomid = 8
  expect(texts(on)).toEqual(['another room'])
})

it('keeps a deleted line readable, with who and why', () => {
  const on = stage()
  on.room.apply(pushed(line(1, 'cheap coins')))
  on.room.apply(pushed(recall(1)))
  expect(on.room.log[0]).toMatchObject({ text: 'cheap coins', removed: { by: 'mei', why: 'advertising', at: 50 } })
})

it('fills in what was said while the link was away, once, and knows what was deleted meanwhile', async () => {
  const on = stage()
  on.room.apply({ type: 'room', panel: panel('inside') })
  on.room.apply(pushed(line(1, 'before')))
  on.room.apply({ type: 'room', panel: panel('waiting') })
  history = [past(3, 'after'), past(2, 'missed'), past(1, 'before', true)]
  on.room.apply({ type: 'room', panel: panel('inside') })
  await expect.poll(() => texts(on)).toEqual(['before', 'missed', 'after'])
  expect(on.room.log[0]?.removed).not.toBeNull()
  on.room.apply({ type: 'room', panel: panel('inside', { online: 5 }) })
  expect(on.calls('history')).toHaveLength(1)
})

it('knows how many are inside only while the service and the app can be asked', () => {
  const on = stage()
  on.room.apply({ type: 'room', panel: panel('inside', { online: 8 }) })
  on.companion.line = 'open'
  expect(on.room.online).toBe(8)
  on.fault(true)
  expect(on.room.online).toBeNull()
  on.fault(false)
  expect(on.room.online).toBe(8)
  on.companion.line = 'lost'
  expect(on.room.online).toBeNull()
})

it('takes back what was done within 5 s by its own inverse, and not a moment later', async () => {
  const on = stage()
  const acts = (): unknown[] => on.calls('act').map((input) => input as { measure: unknown; undoes?: number })
  expect(await on.room.act({ kind: 'mute', target: 'ana', on: true }, 'spoilers')).toBe(true)
  expect(acts()[0]).toMatchObject({ roomid: 7, why: 'spoilers' })
  await on.room.undo()
  expect(acts()[1]).toEqual({
    profileId: 'local',
    roomid: 7,
    measure: { kind: 'mute', target: 'ana', on: false },
    why: '',
    undoes: 4,
  })
  expect(on.room.undoable).toBeNull()
  await on.room.act({ kind: 'muteRoom', on: true })
  on.time.now += undoFor
  await on.room.undo()
  expect(acts()).toHaveLength(3)
})

it('offers nothing of a room in another one, when the answer comes there', async () => {
  const on = stage()
  const measure = on.room.act({ kind: 'mute', target: 'ana', on: true })
  const opened = on.room.open(8)
  expect(await measure).toBe(true)
  await opened
  expect([on.room.undoable, on.room.carried]).toEqual([null, null])
})

describe('a timed mute of somebody who is muted already', () => {
  const timed = (seconds: number) => ({ kind: 'temporaryMute', target: 'ana', seconds }) as const
  const acts = (on: ReturnType<typeof stage>): unknown[] =>
    on.calls('act').map((input) => (input as { measure: unknown }).measure)

  it('says where the other lasts longer, and is taken on purpose only', async () => {
    running = 86_400
    const on = stage()
    expect(await on.room.act(timed(60), 'spoilers')).toBe(false)
    expect([on.room.undoable, on.room.refusals]).toEqual([null, []])
    expect(on.room.outlasted).toMatchObject({ measure: timed(60), mutedUntil: 86_401_000 })
    // On purpose it is, and what it shortened comes back.
    expect(await on.room.act(timed(60), '', { shortens: true })).toBe(true)
    expect(on.calls('act').map((input) => (input as { shortens?: boolean }).shortens)).toEqual([undefined, true])
    expect(on.room.outlasted).toBeNull()
    on.time.now += 4_000
    await on.room.undo()
    expect(acts(on)).toEqual([timed(60), timed(60), timed(86_396)])
  })

  it('is taken where it lasts longer, and taken back to what was left of the other', async () => {
    running = 600
    const on = stage()
    expect(await on.room.act(timed(3600))).toBe(true)
    on.time.now += 1_000
    await on.room.undo()
    expect(acts(on)).toEqual([timed(3600), timed(599)])
    running = 1
    await on.room.act(timed(60))
    on.time.now += 2_000
    await on.room.undo()
    expect(acts(on).slice(2)).toEqual([timed(60), timed(0)])
  })
})

it('says why a measure was refused, and offers no undo for it', async () => {
  const on = stage()
  refused = 403
  expect(await on.room.act({ kind: 'mute', target: 'ana', on: true })).toBe(false)
  expect(on.room.refusals).toMatchObject([{ measure: { kind: 'mute' }, failure: { code: 403 } }])
  expect(on.room.undoable).toBeNull()
  refused = null
  await on.room.act({ kind: 'removeLine', target: 'ana', msgid: '1' })
  expect(on.room.undoable).toBeNull()
})

it('tells who was taken from the queue', async () => {
  const on = stage()
  queued = [{ ghost: 'call-in' }]
  await on.room.act({ kind: 'queueTake' })
  expect(on.room.taken).toEqual({ key: 'ghost', value: 'call-in', until: 1_000 + undoFor })
  queued = []
  await on.room.act({ kind: 'queueTake' })
  expect(on.room.taken?.key).toBe('ghost')
})

it('keeps people and queue of the same room while it is read again, and those of another room never', async () => {
  const on = stage()
  queued = [{ ghost: 'call-in' }]
  await on.room.open(7)
  expect(on.room.people.map(({ accid }) => accid)).toEqual(['of_7'])
  const again = on.room.open(7)
  expect(on.room.people.map(({ accid }) => accid)).toEqual(['of_7'])
  expect(on.room.queue).toEqual([{ key: 'ghost', value: 'call-in' }])
  await again
  // The answer for the room that was left comes last.
  let answer = (): void => undefined
  members = async ({ call }) => {
    if (call.roomid === 8)
      await new Promise<void>((resolve) => {
        answer = resolve
      })
    return { desc: { data: call.type === 0 ? [member(`of_${call.roomid}`)] : [] } }
  }
  const left = on.room.open(8)
  expect(on.room.people).toEqual([])
  await expect.poll(() => on.calls('chatrooms.membersByPage').length).toBe(6)
  await on.room.open(9)
  answer()
  await Promise.race([left, Promise.resolve()])
  expect(on.room.people.map(({ accid }) => accid)).toEqual(['of_9'])
})

it('reads the queue again when somebody else changed or emptied it', async () => {
  const on = stage()
  await on.room.open(7)
  const notice = (id: number) =>
    JSON.stringify({ id, data: { operator: 'host', opeNick: '', target: [], tarNick: [], ext: '' } })
  queued = [{ song: 'an ordinary song' }]
  on.room.apply(pushed({ ...line(3, notice(317)), from: 'host', type: 5 }))
  await expect.poll(() => on.room.queue).toEqual([{ key: 'song', value: 'an ordinary song' }])
  queued = []
  on.room.apply(pushed({ ...line(4, notice(320)), from: 'host', type: 5 }))
  await expect.poll(() => on.room.queue).toEqual([])
  expect(on.calls('chatrooms.membersByPage')).toHaveLength(2)
})

it('shows the new name of somebody who took one', async () => {
  const on = stage()
  await on.room.open(7)
  const notice = JSON.stringify({
    id: 316,
    data: { operator: 'of_7', opeNick: '', target: ['of_7'], tarNick: ['New Name'], ext: '' },
  })
  on.room.apply(pushed({ ...line(3, notice), from: 'of_7', type: 5 }))
  expect(on.room.people.map(({ accid, nick }) => [accid, nick])).toEqual([['of_7', 'New Name']])
})

it('believes an event that came while it entered more than the answer', async () => {
  const on = stage()
  const opening = on.room.open(7)
  on.room.apply({ type: 'room', panel: panel('inside') })
  await opening
  expect(on.room.panel?.phase).toBe('inside')
  on.room.apply({ type: 'room', panel: panel('off') })
  expect(on.room.panel).toBeNull()
})

it('says why the app could not go in, of this room only, until it is inside', async () => {
  const on = stage()
  shut = 403
  await on.room.open(7)
  expect(on.room.outside?.code).toBe(403)
  on.room.apply({ type: 'room', panel: panel('waiting') })
  expect(on.room.outside?.code).toBe(403)
  on.room.apply({ type: 'room', panel: panel('inside') })
  expect(on.room.outside).toBeNull()
  await on.room.open(7)
  expect(on.room.outside?.code).toBe(403)
  const opened = on.room.open(8)
  expect(on.room.outside).toBeNull()
  await opened
  expect(on.room.outside?.code).toBe(403)
})

it('lets go of what could not be read when it is entered with a new token', async () => {
  members = () => {
    throw refusal(500)
  }
  const on = stage()
  await on.room.readPeople()
  expect(on.room.failure?.code).toBe(500)
  expect(await on.room.renew(7)).toBe(true)
  expect(on.room.failure).toBeNull()
  expect(on.calls('enter')).toEqual([{ profileId: 'local', roomid: 7, renew: true }])
})

it('drops its room with the profile, and remembers the room of each', async () => {
  const on = stage()
  await on.room.open(7)
  on.companion.choose('h')
  expect([on.room.roomid, on.room.rooms]).toEqual([null, null])
  expect(on.room.remembered()).toBeNull()
  on.companion.choose('local')
  // Without a list, as while the service is down, what was shown last is shown again.
  expect(on.room.remembered()).toBe(7)
  await on.room.readRooms()
  expect(on.room.remembered()).toBeNull()
})

const listedRoom = (roomid: number) => ({
  roomid,
  name: `Room ${roomid}`,
  creator: 'host',
  valid: true,
  online: 0,
  cid: null,
})
/** 250 rooms, the newest first, in pages of 100. */
const pages = ({ before = 251 }: { before?: number | undefined }) => {
  const rooms = Array.from({ length: Math.min(100, before - 1) }, (_, index) => listedRoom(before - 1 - index))
  const last = rooms.at(-1)?.roomid ?? 1
  return { rooms, next: last > 1 ? last : null, complete: true }
}

it('lists rooms page after page, and as many at once as it takes to the one that was shown last', async () => {
  listed = pages
  const on = stage()
  await on.room.readRooms()
  expect(on.room.rooms).toHaveLength(100)
  expect(on.room.hasMoreRooms).toBe(true)
  await on.room.moreRooms()
  await on.room.moreRooms()
  expect(on.room.rooms?.map(({ roomid }) => roomid)).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index))
  expect(on.room.hasMoreRooms).toBe(false)
  const asked = on.calls('list').length
  await on.room.moreRooms()
  expect(on.calls('list')).toHaveLength(asked)

  await on.room.open(120)
  await on.room.readRooms()
  expect(on.room.rooms).toHaveLength(200)
  expect(on.room.remembered()).toBe(120)
  await on.room.readRooms(30)
  expect(on.room.rooms).toHaveLength(250)
})

it('knows that somebody leads whom the first hundred members do not have, and learns when that is so no more', async () => {
  const fixed = Array.from({ length: 100 }, (_, index) => member(`fixed_${index}`))
  members = ({ call }) => ({ desc: { data: call.type === 0 ? fixed : [] } })
  online = { ana: 2 }
  const on = stage()
  await on.room.readPeople()
  expect(on.room.guard('ana')).toBeNull()
  on.room.apply(pushed(line(1, 'hello')))
  await expect.poll(() => on.room.guard('ana')).toBe('admin')
  on.room.apply(pushed(line(2, 'again')))
  online = { ana: 3 }
  const notice = JSON.stringify({
    id: 308,
    data: { operator: 'host', opeNick: '', target: ['ana'], tarNick: [''], ext: '' },
  })
  on.room.apply(pushed({ ...line(3, notice), from: 'host', type: 5 }))
  await expect.poll(() => on.room.guard('ana')).toBeNull()
  expect(on.calls('chatrooms.queryMembers')).toHaveLength(2)
})

it('lets go of what was not read while the room was away when it is back, and keeps what was not read inside', async () => {
  const on = stage()
  await on.room.open(7)
  on.room.apply({ type: 'room', panel: panel('inside') })
  on.room.apply({ type: 'room', panel: panel('waiting') })
  members = () => {
    throw refusal(404)
  }
  await on.room.readPeople()
  expect(on.room.failure).toMatchObject({ code: 404 })
  on.room.apply({ type: 'room', panel: panel('inside') })
  expect([on.room.failure, on.room.outside]).toEqual([null, null])
  await on.room.readPeople()
  on.room.apply({ type: 'room', panel: panel('inside', { online: 2 }) })
  expect(on.room.failure).toMatchObject({ code: 404 })
})

it('takes nobody for a moderator who is one in another room', async () => {
  const fixed = Array.from({ length: 100 }, (_, index) => member(`fixed_${index}`))
  members = ({ call }) => ({ desc: { data: call.type === 0 ? fixed : [] } })
  online = { ana: 2 }
  const on = stage()
  await on.room.readPeople()
  on.room.apply(pushed(line(1, 'hello')))
  await expect.poll(() => on.room.guard('ana')).toBe('admin')
  online = {}
  await on.room.open(8)
  expect(on.room.guard('ana')).toBeNull()
})

it('reads the room of a moderator again when channels changed, as it may belong to another one', () => {
  const on = stage()
  const channels = (profileId: string): void => on.room.apply({ type: 'channels', profileId })
  channels('local')
  expect(on.calls('list')).toEqual([])
  on.companion.about = {
    version: '1',
    shell: 'browser',
    platform: '',
    capabilities: [],
    shellReason: null,
    seat: { profileId: 'local', roomid: 7, cid: null, accid: 'mei', name: 'Mei' },
  }
  channels('h')
  expect(on.calls('list')).toEqual([])
  channels('local')
  expect(on.calls('list')).toEqual([{ profileId: 'local' }])
})

it('shows no queue of another room that comes late', async () => {
  const on = stage()
  const late = Promise.withResolvers<void>()
  slowQueue = late.promise
  queued = [{ ana: 'first song' }]
  const before = on.room.readPeople()
  slowQueue = undefined
  queued = [{ lee: 'second song' }]
  await on.room.open(8)
  late.resolve()
  await before
  expect(on.room.queue).toEqual([{ key: 'lee', value: 'second song' }])
})

it('keeps robots online whoever goes, and adds nobody to a list of people that is not whole', () => {
  const on = stage()
  const robot = { accid: 'bot', nick: 'Bot', type: 3, online: true, robot: true, since: null }
  const moved = (n: number, id: number, accid: string): void => {
    const data = { operator: accid, opeNick: '', target: [accid], tarNick: [accid], ext: '' }
    on.room.apply(pushed({ ...line(n, JSON.stringify({ id, data })), from: accid, type: 5 }))
  }
  on.room.people = [robot]
  moved(1, 302, 'bot')
  expect(on.room.people).toEqual([robot])
  on.room.morePeople = true
  moved(2, 301, 'ana')
  expect(on.room.people).toEqual([robot])
  on.room.morePeople = false
  moved(3, 301, 'lee')
  expect(on.room.people.map(({ accid }) => accid)).toEqual(['bot', 'lee'])
})

it('shows nobody of the room before in the queue while another room is read', async () => {
  const on = stage()
  queued = [{ ana: 'first song' }]
  await on.room.readPeople()
  expect(on.room.queue).toHaveLength(1)
  const opened = on.room.open(8)
  expect([on.room.queue, on.room.people]).toEqual([[], []])
  await opened
})

it('takes no list of rooms that comes after another profile was chosen', async () => {
  const on = stage()
  const late = Promise.withResolvers<unknown>()
  listed = () => late.promise
  const read = on.room.readRooms()
  on.companion.choose('h')
  late.resolve({ rooms: [listedRoom(7)], next: null, complete: true })
  await read
  expect(on.room.rooms).toBeNull()
})
