import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, chatrooms, local, operations, queue, robots, statistics } from '../../contract/operations/index.ts'
import { linkRequests } from '../../contract/link/frames.ts'
import { roomRequests } from '../../contract/link/rooms.ts'
import type { Operation } from '../../contract/operation.ts'
import type { LinkUser } from '../link/testing/link-user.ts'

import { startRooms, type RoomRig } from './testing/rig.ts'

// Long because it is one table: every operation and link request, by every kind of person against every kind, compared
// with a model of 3-chatrooms
// and the decisions. The model is independent of the service; `room-roles.test.ts` has the same rules as readable
// lists.

/** A kind of person: every combination of marks that the rules allow. */
interface Standing {
  readonly creator?: boolean
  readonly admin?: boolean
  readonly ordinary: boolean
  readonly blacklisted: boolean
  readonly muted: boolean
  readonly tempMuted: boolean
}
const nothing: Standing = { ordinary: false, blacklisted: false, muted: false, tempMuted: false }
const marks = ['ordinary', 'blacklisted', 'muted', 'tempMuted'] as const
const people: readonly Standing[] = [
  { ...nothing, creator: true },
  { ...nothing, admin: true },
  // An admin keeps an earlier ordinary role.
  { ...nothing, admin: true, ordinary: true },
  ...Array.from({ length: 2 ** marks.length }, (_, bits) => ({
    ...nothing,
    ...Object.fromEntries(marks.map((mark, bit) => [mark, (bits & (1 << bit)) > 0])),
  })),
]
const nameOf = ({ creator, admin, ...rest }: Standing): string =>
  [creator && 'creator', admin && 'admin', ...marks.map((mark) => rest[mark] && mark)].filter(Boolean).join('-') ||
  'stranger'
const accidOf = (person: Standing, which: 'by' | 'on'): string =>
  person.creator ? 'cara' : `${which}-${nameOf(person)}`.toLowerCase().slice(0, 32)
const leads = ({ creator, admin }: Standing): boolean => creator === true || admin === true
const isLimited = ({ blacklisted, muted }: Standing): boolean => blacklisted || muted
/** Kinds in the result of setMemberRole. */
const kindOf = (person: Standing): string =>
  person.creator
    ? 'CREATOR'
    : isLimited(person)
      ? 'LIMITED'
      : person.admin
        ? 'MANAGER'
        : person.ordinary
          ? 'COMMON'
          : 'TEMPORARY'
const maySpeak = (person: Standing, room: { readonly muted: boolean; readonly open: boolean }): boolean =>
  room.open && (leads(person) || (!isLimited(person) && !person.tempMuted && !room.muted))

/** A change: which mark, set or unset. */
interface Deed {
  readonly mark: 'admin' | (typeof marks)[number]
  readonly on: boolean
}
const actions: readonly Deed[] = (['admin', ...marks] as const).flatMap((mark) =>
  [true, false].map((on) => ({ mark, on })),
)
const options = { admin: 1, ordinary: 2, blacklisted: -1, muted: -2 } as const

/** The expected code. */
function foretold(by: Standing, on: Standing, { mark, on: set }: Deed, open = true): number {
  if (!leads(by)) return 403
  if (mark === 'admin' ? !by.creator || on.creator : leads(on)) return 403
  if (!open) return 13002
  if (mark === 'tempMuted') return 200
  if ((on[mark] ?? false) === set) return 417
  return mark === 'admin' && set && (isLimited(on) || on.tempMuted) ? 403 : 200
}

const clock = manualWallClock()
let rig: RoomRig
beforeAll(async () => {
  rig = await startRooms({ clock })
  const accids = people
    .filter(({ creator }) => !creator)
    .flatMap((person) => [accidOf(person, 'by'), accidOf(person, 'on')])
  expect(new Set(accids).size).toBe(accids.length)
  for (const accid of [...accids, 'changing'])
    expect((await rig.call(accounts.create, { accid, token: 'token' })).code).toBe(200)
})
afterAll(() => rig.close())

const attempt = (roomid: number, operator: string, target: string, { mark, on }: Deed, seconds = 3600) =>
  mark === 'tempMuted'
    ? rig.call(chatrooms.temporaryMute, { roomid, operator, target, muteDuration: on ? seconds : 0 })
    : rig.call(chatrooms.setMemberRole, { roomid, operator, target, opt: options[mark], optvalue: on })
/** Gives an account without marks those of a person. */
async function become(roomid: number, accid: string, person: Standing): Promise<void> {
  if (person.creator) return
  for (const mark of ['ordinary', 'admin', 'muted', 'tempMuted', 'blacklisted'] as const)
    if (person[mark]) expect((await attempt(roomid, 'cara', accid, { mark, on: true })).code).toBe(200)
}
const everybody = async (roomid: number, which: 'by' | 'on'): Promise<void> => {
  for (const person of people) await become(roomid, accidOf(person, which), person)
}
/** The service's view of everybody in a room, by account. */
async function standings(roomid: number): Promise<Map<string, object>> {
  const fixed = (await rig.call(chatrooms.membersByPage, { roomid, type: 0, limit: 100 })).desc as unknown as {
    data: Record<string, unknown>[]
  }
  const all = new Map<string, object>()
  for (const { accid, type, muted, blacklisted } of fixed.data)
    all.set(String(accid), { type, muted: muted === true, blacklisted: blacklisted === true })
  for (const { accid, seconds } of (await rig.call(local.muted, { roomid })).ret!.list)
    if (seconds > 0) all.set(accid, { ...all.get(accid), seconds })
  return all
}

describe('what somebody does to somebody', () => {
  it('is answered as the rules foretell for every operator and every target, and refusals change nothing', async () => {
    const roomid = await rig.room()
    await everybody(roomid, 'by')
    await everybody(roomid, 'on')
    const before = await standings(roomid)
    const wrong: string[] = []
    let tried = 0
    for (const by of people) {
      const cases = people
        .flatMap((on) => actions.map((action) => ({ on, action })))
        .filter(({ on, action }) => foretold(by, on, action) !== 200)
      // A room serialises its calls, so all may be sent at once.
      const answers = await Promise.all(
        cases.map(({ on, action }) => attempt(roomid, accidOf(by, 'by'), accidOf(on, 'on'), action)),
      )
      for (const [index, { code }] of answers.entries()) {
        const { on, action } = cases[index]!
        tried += 1
        if (code !== foretold(by, on, action))
          wrong.push(
            `${nameOf(by)} ${action.mark} ${action.on} on ${nameOf(on)}: ${code} and not ${foretold(by, on, action)}`,
          )
      }
    }
    expect(wrong).toEqual([])
    expect(tried).toBeGreaterThan(16 * 19 * 10)
    expect(await standings(roomid)).toEqual(before)
  }, 240_000)

  it.each(people.filter(leads).map((by) => [nameOf(by), by] as const))(
    'by %s is done, says what the target is then, and leaves every other mark',
    async (_name, by) => {
      const roomid = await rig.room()
      const operator = accidOf(by, 'by')
      await become(roomid, operator, by)
      const [first, second] = [await standings(roomid), new Set<string>()]
      for (const on of people)
        for (const action of actions) {
          if (foretold(by, on, action) !== 200 || on.creator) continue
          await become(roomid, 'changing', on)
          const answer = await attempt(roomid, operator, 'changing', action, 60)
          const then: Standing = { ...on, [action.mark]: action.on }
          const what = `${action.mark} ${action.on} on ${nameOf(on)}`
          expect([what, answer.code]).toEqual([what, 200])
          if (action.mark !== 'tempMuted')
            expect([what, answer.desc]).toEqual([
              what,
              expect.objectContaining({ accid: 'changing', type: kindOf(then) }) as object,
            ])
          second.add(what)
          // Unset one by one: 417 would show that one was unset with another.
          for (const mark of ['admin', ...marks] as const)
            if (then[mark])
              expect([what, mark, (await attempt(roomid, 'cara', 'changing', { mark, on: false })).code]).toEqual([
                what,
                mark,
                200,
              ])
          expect([what, await standings(roomid)]).toEqual([what, first])
        }
      expect(second.size).toBeGreaterThan(16 * 4)
    },
    240_000,
  )

  it('is refused in a closed room, and 404 names a room, an operator or a target that is not there', async () => {
    const roomid = await rig.room()
    await everybody(roomid, 'by')
    await everybody(roomid, 'on')
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    const by = people.find(({ admin }) => admin)!
    for (const operator of [people[0]!, by])
      for (const on of people)
        for (const action of actions) {
          const { code } = await attempt(roomid, accidOf(operator, 'by'), accidOf(on, 'on'), action)
          expect([nameOf(operator), action.mark, nameOf(on), code]).toEqual([
            nameOf(operator),
            action.mark,
            nameOf(on),
            foretold(operator, on, action, false),
          ])
        }
    for (const action of actions)
      expect([
        (await attempt(roomid, 'nobody', 'changing', action)).code,
        (await attempt(roomid, 'cara', 'nobody', action)).code,
        (await attempt(999_999_999, 'cara', 'changing', action)).code,
      ]).toEqual([404, 404, 404])
  })
})

/** A request of a person in a room, and the expected code. */
interface Asked {
  readonly ask: (roomid: number, accid: string) => Promise<number>
  readonly foretold: (person: Standing, room: { readonly muted: boolean; readonly open: boolean }) => number
}
let count = 0
const line = () => ({ attach: 'x', id: `t${++count}` })
const codeOf = async (answer: Promise<{ readonly code: number }>): Promise<number> => (await answer).code
/** Further operations that name a person. */
const byPerson: readonly (readonly [Operation, Asked])[] = [
  [
    chatrooms.sendMsg,
    {
      ask: (roomid, fromAccid) =>
        codeOf(rig.call(chatrooms.sendMsg, { roomid, fromAccid, msgId: line().id, msgType: 0, attach: 'x' })),
      foretold: (person, room) => (maySpeak(person, room) ? 200 : 403),
    },
  ],
  [
    chatrooms.requestAddr,
    {
      ask: (roomid, accid) => codeOf(rig.call(chatrooms.requestAddr, { roomid, accid })),
      foretold: ({ blacklisted }, { open }) => (blacklisted ? 403 : open ? 200 : 13002),
    },
  ],
  [
    robots.add,
    {
      ask: (roomid, accid) => codeOf(rig.call(robots.add, { roomid, accids: [accid] })),
      foretold: ({ blacklisted }, { open }) => (!open ? 403 : blacklisted ? 13003 : 200),
    },
  ],
  [
    robots.remove,
    { ask: (roomid, accid) => codeOf(rig.call(robots.remove, { roomid, accids: [accid] })), foretold: () => 200 },
  ],
  [
    chatrooms.queryMembers,
    {
      ask: (roomid, accid) => codeOf(rig.call(chatrooms.queryMembers, { roomid, accids: [accid] })),
      foretold: () => 200,
    },
  ],
  [
    chatrooms.muteRoom,
    {
      // Set to the current state: allowed, changes nothing.
      ask: async (roomid, operator) => {
        const { muted } = (await rig.call(chatrooms.get, { roomid })).chatroom!
        return codeOf(rig.call(chatrooms.muteRoom, { roomid, operator, mute: muted! }))
      },
      foretold: (person) => (leads(person) ? 200 : 403),
    },
  ],
  [
    chatrooms.toggleCloseStat,
    {
      ask: async (roomid, operator) => {
        const { valid } = (await rig.call(chatrooms.get, { roomid })).chatroom!
        return codeOf(rig.call(chatrooms.toggleCloseStat, { roomid, operator, valid }))
      },
      foretold: ({ creator }) => (creator ? 417 : 403),
    },
  ],
  [
    local.removeLine,
    {
      ask: (roomid, operator) => codeOf(rig.call(local.removeLine, { roomid, operator, msgid: '999999999999' })),
      // Leaders get the missing line's code; others the same.
      foretold: () => 618,
    },
  ],
  [
    local.changeRoom,
    {
      ask: (roomid, operator) => codeOf(rig.call(local.changeRoom, { roomid, operator, announcement: 'x' })),
      foretold: (person, { open }) => (!open ? 13002 : leads(person) ? 200 : 403),
    },
  ],
  [
    local.changeQueue,
    {
      ask: (roomid, operator) => codeOf(rig.call(local.changeQueue, { roomid, operator, change: 3 })),
      foretold: (person) => (leads(person) ? 200 : 403),
    },
  ],
  [
    local.slowMode,
    {
      ask: (roomid, operator) => codeOf(rig.call(local.slowMode, { roomid, operator, seconds: 0 })),
      foretold: (person) => (leads(person) ? 200 : 403),
    },
  ],
  [
    local.roomHistory,
    { ask: (roomid, accid) => codeOf(rig.call(local.roomHistory, { roomid, accid })), foretold: () => 200 },
  ],
  [
    local.roomPeople,
    { ask: (roomid, accid) => codeOf(rig.call(local.roomPeople, { roomid, accids: [accid] })), foretold: () => 200 },
  ],
]
const targeted: readonly Operation[] = [chatrooms.setMemberRole, chatrooms.temporaryMute]
/** Operations that name nobody, or the creator of a new room. */
const byNobody: readonly Operation[] = [
  chatrooms.create,
  chatrooms.get,
  chatrooms.update,
  chatrooms.membersByPage,
  ...Object.values(queue),
  statistics.topn,
  local.rooms,
  local.roomDetails,
  local.roomLine,
  local.muted,
  local.blacklisted,
  local.held,
  local.decideHeld,
  local.linkRoom,
  local.linkedRoom,
  local.guests,
]
describe('a line', () => {
  it('of everybody is deleted by everybody as the rules foretell, and by nobody twice', async () => {
    const roomid = await rig.room()
    // Queued before there were any marks, one per operator.
    const keys: string[] = []
    const keyOf = (by: Standing, of: Standing): string => `${nameOf(by)} deletes of ${nameOf(of)}`
    for (const of of people)
      for (const by of people) {
        const said = { roomid, fromAccid: accidOf(of, 'by'), msgId: `d${keys.length}`, msgType: 0, attach: 'x' }
        expect((await rig.call(chatrooms.sendMsg, said)).code).toBe(200)
        keys.push(keyOf(by, of))
      }
    const lines = (await rig.call(local.roomHistory, { roomid, limit: 1000 })).ret!.list
    const msgids = new Map(lines.map(({ msgid, clientId }) => [keys[Number(clientId.slice(1))]!, msgid]))
    expect(msgids.size).toBe(people.length ** 2)
    await everybody(roomid, 'by')
    for (const by of people)
      for (const of of people) {
        const what = keyOf(by, of)
        const remove = async () =>
          (await rig.call(local.removeLine, { roomid, operator: accidOf(by, 'by'), msgid: msgids.get(what)! })).code
        const may = by.creator === true || (leads(by) && (!leads(of) || by === of))
        expect([what, await remove()]).toEqual([what, may ? 200 : 631])
        if (may) expect([what, await remove()]).toEqual([what, 417])
      }
  }, 240_000)
})

const rooms = [true, false].flatMap((open) => [false, true].map((muted) => ({ open, muted })))
const roomWith = async ({ open, muted }: { readonly open: boolean; readonly muted: boolean }): Promise<number> => {
  const roomid = await rig.room()
  await everybody(roomid, 'by')
  if (muted) await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: true })
  if (!open) await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
  return roomid
}

describe.each(rooms)('in a room that is open $open and muted $muted', (state) => {
  it('every operation that names a person is answered as the rules foretell', async () => {
    const roomid = await roomWith(state)
    for (const [operation, { ask, foretold: code }] of byPerson)
      for (const person of people) {
        const what = `${operation.path} ${nameOf(person)}`
        expect([what, await ask(roomid, accidOf(person, 'by'))]).toEqual([what, code(person, state)])
      }
    for (const [operation, { ask }] of byPerson)
      if (operation.codes.includes(404) && operation !== robots.remove)
        expect([operation.path, await ask(roomid, 'nobody')]).toEqual([operation.path, 404])
  })

  it('every request of the link is answered as the rules foretell, from outside and from inside', async () => {
    const roomid = await roomWith(state)
    const asks: Readonly<Record<keyof typeof roomRequests, (user: LinkUser) => Promise<unknown>>> = {
      roomEnter: (user) => user.request('roomEnter', { roomid }),
      roomSend: (user) => user.request('roomSend', { roomid, type: 0, attach: 'x', clientId: line().id }),
      roomHistory: (user) => user.request('roomHistory', { roomid }),
      roomMembers: (user) => user.request('roomMembers', { roomid, type: 0 }),
      roomQueue: (user) => user.request('roomQueue', { roomid }),
      roomLeave: (user) => user.request('roomLeave', { roomid }),
    }
    // In the order of this list, which ends with leaving.
    const kinds = Object.keys(asks) as (keyof typeof roomRequests)[]
    const ask = async (kind: (typeof kinds)[number], user: LinkUser): Promise<number> =>
      asks[kind](user).then(
        () => 200,
        (error: unknown) => (error as { code: number }).code,
      )
    for (const person of people) {
      const accid = accidOf(person, 'by')
      const user = await (person.creator ? rig.user(accid) : rig.login(accid, 'token'))
      const entering = !state.open ? 13002 : person.blacklisted ? 13003 : 200
      for (const kind of kinds.filter((one) => one !== 'roomEnter'))
        expect([nameOf(person), kind, await ask(kind, user)]).toEqual([nameOf(person), kind, 403])
      expect([nameOf(person), await ask('roomEnter', user)]).toEqual([nameOf(person), entering])
      for (const kind of kinds.filter((one) => one !== 'roomEnter')) {
        const wanted = entering !== 200 || (kind === 'roomSend' && !maySpeak(person, state)) ? 403 : 200
        expect([nameOf(person), kind, await ask(kind, user)]).toEqual([nameOf(person), kind, wanted])
      }
      user.close()
    }
  })
})

describe('the table', () => {
  it('has every operation on rooms and every request of the link, and those that name nobody name nobody', () => {
    const all = operations.filter(({ document, group }) => document === 3 || group === 'room')
    const named = new Set<Operation>([...targeted, ...byPerson.map(([operation]) => operation)])
    expect(
      all.filter((operation) => !named.has(operation) && !byNobody.includes(operation)).map(({ path }) => path),
    ).toEqual([])
    const accids = new Set(['operator', 'target', 'fromAccid', 'accid', 'accids'])
    for (const operation of byNobody)
      expect([operation.path, Object.keys(operation.parameters).filter((name) => accids.has(name))]).toEqual([
        operation.path,
        [],
      ])
    for (const operation of named)
      expect([operation.path, Object.keys(operation.parameters).some((name) => accids.has(name))]).toEqual([
        operation.path,
        true,
      ])
    const ofRooms = Object.keys(linkRequests).filter((kind) => kind.startsWith('room'))
    expect(ofRooms.toSorted()).toEqual(Object.keys(roomRequests).toSorted())
    expect(people).toHaveLength(19)
  })
})
