import { expect, it } from 'vitest'
import type { LinkCaller } from '../link/handlers.ts'
import type { Team } from '../teams/team.ts'
import type { Teams } from '../teams/teams.ts'
import { linkTeams, relationHandlers, teamHandlers } from './link-handlers.ts'
import { sessionCopies } from './session-copies.ts'

type Relations = Parameters<typeof relationHandlers>[0]
const caller: LinkCaller = {
  uid: 7,
  accid: 'ann',
  device: 'd1',
  clientType: 'IOS',
  address: '::1',
  subnet: '0:0:0:0::/64',
  session: 's1',
  connection: { isOpen: true, write: () => undefined },
}
const accountOf = (name: string, icon: string) =>
  ({ name, icon }) as Partial<ReturnType<Relations['accounts']['find']>> as ReturnType<Relations['accounts']['find']>

/** Handlers of relations, and what they called. */
function relations() {
  const calls: unknown[] = []
  const cards = new Map([
    ['bob', accountOf('Bob', 'http://h/b.png')],
    ['eve', accountOf('Eve', '')],
  ])
  const side = { uid: 7, accid: 'ann', ex: 'kept back' }
  const handlers = relationHandlers({
    accounts: {
      find: (uid, accid) => (uid === 7 ? cards.get(accid) : undefined),
    },
    friends: {
      act: async (...what) => void calls.push(what),
      friendsOf: (uid, accid) =>
        uid === 7 && accid === 'ann'
          ? [
              { ...side, friend: 'bob', alias: 'B', changed: 5 },
              { ...side, friend: 'eve', alias: '', changed: 6 },
            ]
          : [],
    },
    lists: { setListed: async (...what) => void calls.push(what) },
  })
  return { handlers, calls }
}
/** Handlers of teams, and what they called. */
function teams() {
  const calls: unknown[] = []
  const note =
    <T>(name: string, answer: T) =>
    (...what: readonly unknown[]): Promise<T> => {
      calls.push([name, ...what])
      return Promise.resolve(answer)
    }
  const member = (accid: string, role: 'owner' | 'member') => [accid, { accid, role }] as const
  const team = {
    row: { tid: 9, tname: 'crew', owner: 'bob' },
    members: new Map([member('bob', 'owner'), member('ann', 'member')]),
  } as Partial<Record<keyof Team, unknown>> as Team
  const handlers = teamHandlers({
    add: note('add', undefined),
    apply: note('apply', true),
    answerInvitation: note('answerInvitation', undefined),
    answerApplication: note('answerApplication', undefined),
    leave: note('leave', undefined),
    teamsOf: (uid: number, accid: string) => (uid === 7 && accid === 'ann' ? [team] : []),
    roleOf: (of: Team, accid: string) => of.members.get(accid)?.role,
  } as Partial<Record<keyof Teams, unknown>> as Teams)
  return { handlers, calls, team }
}
const actor = { accid: 'ann', clientType: 'IOS', device: 'd1' }

it('acts on a friend as the account, device and session of the caller', async () => {
  const { handlers, calls } = relations()
  expect(await handlers.friend({ accid: 'bob', type: 2, msg: 'please' }, caller)).toEqual({})
  expect(calls).toEqual([
    [7, { accid: 'ann', other: 'bob', action: 2, msg: 'please', clientType: 'IOS', device: 'd1', origin: 's1' }],
  ])
})

it('lists the friends of the caller with the time of the last change, and an alias where there is one', async () => {
  expect(await relations().handlers.friends({}, caller)).toEqual({
    friends: [
      { accid: 'bob', at: 5, alias: 'B' },
      { accid: 'eve', at: 6 },
    ],
  })
})

it('puts an account on the list that is named, and takes it off', async () => {
  const { handlers, calls } = relations()
  expect(await handlers.relation({ accid: 'bob', relation: 1, value: 1 }, caller)).toEqual({})
  await handlers.relation({ accid: 'bob', relation: 2, value: 0 }, caller)
  expect(calls).toEqual([
    [7, { accid: 'ann', target: 'bob', kind: 1, on: true, origin: 's1' }],
    [7, { accid: 'ann', target: 'bob', kind: 2, on: false, origin: 's1' }],
  ])
})

it('gives the card of each registered account once, with name and picture alone', async () => {
  const { handlers } = relations()
  expect(await handlers.cards({ accids: ['eve', 'nobody', 'bob', 'eve'] }, caller)).toEqual({
    cards: [
      { accid: 'eve', name: 'Eve' },
      { accid: 'bob', name: 'Bob', icon: 'http://h/b.png' },
    ],
  })
  expect(await handlers.cards({ accids: ['bob'] }, { ...caller, uid: 8 })).toEqual({ cards: [] })
})

it('lists the teams of the caller with its own role in each', async () => {
  expect(await teams().handlers.teams({}, caller)).toEqual({
    teams: [{ tid: '9', tname: 'crew', owner: 'bob', size: 2, role: 'member' }],
  })
})

it('invites, applies and leaves as the caller, and says whether an application joined at once', async () => {
  const { handlers, calls } = teams()
  expect(await handlers.teamInvite({ tid: '9', accids: ['eve'], msg: 'come' }, caller)).toEqual({})
  expect(await handlers.teamApply({ tid: '9', msg: 'me' }, caller)).toEqual({ joined: true })
  expect(await handlers.teamLeave({ tid: '9' }, caller)).toEqual({})
  expect(calls).toEqual([
    ['add', 7, '9', actor, { accids: ['eve'], msg: 'come' }],
    ['apply', 7, '9', actor, 'me'],
    ['leave', 7, '9', actor],
  ])
})

it('answers an invitation, and an application where its account is named', async () => {
  const { handlers, calls } = teams()
  await handlers.teamAnswer({ tid: '9', accept: true, msg: 'yes' }, caller)
  await handlers.teamAnswer({ tid: '9', accid: 'eve', accept: false, msg: 'no' }, caller)
  expect(calls).toEqual([
    ['answerInvitation', 7, '9', actor, true, 'yes'],
    ['answerApplication', 7, '9', actor, 'eve', false, 'no'],
  ])
})

it('gives the fan-out the members of a team, and who has it muted', () => {
  const { team } = teams()
  const fanOut = linkTeams({
    find: (uid, tid) => (uid === 7 && Number(tid) === 9 ? team : undefined),
    isQuiet: (_team, accid) => accid === 'bob',
  })
  expect([...fanOut.membersOf(7, 9)]).toEqual(['bob', 'ann'])
  expect([...fanOut.membersOf(8, 9)]).toEqual([])
  expect([fanOut.quietIn(7, 9)('bob'), fanOut.quietIn(7, 9)('ann'), fanOut.quietIn(7, 8)('bob')]).toEqual([
    true,
    false,
    false,
  ])
})

it('copies log-ins and log-outs, each where its kind is wanted', async () => {
  const copied: unknown[] = []
  const wanted = new Set<number>([2])
  const copies = sessionCopies({
    wants: (uid, kind) => uid === 7 && wanted.has(kind),
    enqueue: async (_transaction, uid, copy) => void copied.push([uid, copy]),
  })
  const record = {
    uid: 7,
    accid: 'ann',
    clientIp: '1.2.3.4',
    clientType: 'IOS',
    code: 200,
    sdkVersion: '1',
    at: 5,
  } as Parameters<typeof copies.enqueue>[1]
  const transaction = {} as Parameters<typeof copies.enqueue>[0]
  await copies.enqueue(transaction, { ...record, eventType: 2 })
  await copies.enqueue(transaction, { ...record, eventType: 3 })
  const copy = { accid: 'ann', clientIp: '1.2.3.4', clientType: 'IOS', code: '200', sdkVersion: '1', timestamp: '5' }
  expect(copied).toEqual([[7, { ...copy, eventType: '2' }]])
  wanted.clear()
  wanted.add(3)
  await copies.enqueue(transaction, { ...record, eventType: 2 })
  await copies.enqueue(transaction, { ...record, eventType: 3 })
  expect(copied.slice(1)).toEqual([[7, { ...copy, eventType: '3' }]])
})
