import { describe, expect, it } from 'vitest'
import type { TeamRequestTable, TeamTable } from '../storage/messaging-tables.ts'
import {
  accidsOf,
  leadersOf,
  maySpeak,
  mustBeMember,
  readTid,
  roleOf,
  teamMutes,
  type Member,
  type Role,
  type Team,
} from './team.ts'
import { maxMember } from './team-context.ts'
import { teamOpes } from './team-notices.ts'
import { mayActOn, mayDo, mayUpdate, memberRole, type TeamAction } from './team-rights.ts'
import { createTeamRegistry } from './teams-registry.ts'

/** A team of olga with adam as admin and mona as member; mute and the muted admin abby may not speak. */
function team(row: Partial<TeamTable> = {}): Team {
  const member = (accid: string, role: Role, muted = 0): [string, Member] => [
    accid,
    { tid: 1, accid, role, nick: '', muted, quiet: 0, since: 0, place: 1 },
  ]
  return {
    row: { tid: 1, mute: 0, invitemode: 0, uptinfomode: 0, upcustommode: 0, ...row } as TeamTable,
    members: new Map([
      member('mona', 'member'),
      member('olga', 'owner'),
      member('mute', 'member', 1),
      member('adam', 'admin'),
      member('abby', 'admin', 1),
    ]),
    invitations: new Map<string, TeamRequestTable>(),
    applications: new Map<string, TeamRequestTable>(),
  }
}
const codeOf = (act: () => unknown): unknown => {
  try {
    act()
    return 200
  } catch (error) {
    return (error as { code: number }).code
  }
}

describe('who may speak in a team', () => {
  it.each([
    [teamMutes.none, ['mona', 'olga', 'adam']],
    [teamMutes.ordinary, ['olga', 'adam']],
    [teamMutes.allButOwner, ['olga']],
  ])('with the mute %i of all', (mute, speakers) => {
    const one = team({ mute })
    expect([...one.members.keys(), 'nobody'].filter((accid) => maySpeak(one, accid))).toEqual(speakers)
  })

  it('has these numbers for mutes of all', () => {
    expect(teamMutes).toEqual({ none: 0, ordinary: 1, allButOwner: 3 })
  })
})

it('a team is led by its owner and admins, in the order in which they joined', () => {
  expect(leadersOf(team())).toEqual(['olga', 'adam', 'abby'])
  expect(accidsOf(team())).toEqual(['mona', 'olga', 'mute', 'adam', 'abby'])
})

it('somebody who is no member has no role, and is refused with 414 as a target and 403 as an actor', () => {
  expect([roleOf(team(), 'adam'), roleOf(team(), 'nobody')]).toEqual(['admin', undefined])
  expect([codeOf(() => mustBeMember(team(), 'nobody')), codeOf(() => memberRole(team(), 'nobody'))]).toEqual([414, 403])
  expect([mustBeMember(team(), 'adam').accid, memberRole(team(), 'olga')]).toEqual(['adam', 'owner'])
})

it.each([
  ['1', 1],
  [1, 1],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', undefined],
  ['0', undefined],
  ['01', undefined],
  ['-1', undefined],
  ['1.0', undefined],
  ['1e3', undefined],
  ['', undefined],
  [' 1', undefined],
  [1.5, undefined],
])('the number of a team that is written %j is %s', (written, tid) => {
  expect(readTid(written)).toBe(tid)
})

it('a team has as many members as its own limit, and never more than the settings allow', () => {
  const most = (memberLimit: number) => maxMember({ memberLimit }, { teamSize: 200 })
  expect([most(0), most(50), most(200), most(500)]).toEqual([200, 50, 200, 200])
})

describe('what a role may do in a team', () => {
  const actions: readonly TeamAction[] = [
    'add',
    'kick',
    'dissolve',
    'handOver',
    'setAdmins',
    'setNick',
    'mute',
    'muteAll',
    'listMutes',
    'answer',
  ]
  const allowed = (role: Role, row: Partial<TeamTable> = {}) =>
    actions.filter((action) => codeOf(() => mayDo(team(row), role, action)) === 200)

  it('is everything for the owner, members and requests for an admin, and adding where all may invite', () => {
    expect(allowed('owner')).toEqual(actions)
    expect(allowed('admin')).toEqual(['add', 'kick', 'answer'])
    expect([allowed('member'), allowed('member', { invitemode: 1 })]).toEqual([[], ['add']])
  })

  it('is done to members below: the owner acts on admins, admins on members, nobody on the owner', () => {
    const on = (role: Role) =>
      (['owner', 'admin', 'member'] as const).filter((target) => codeOf(() => mayActOn(role, target)) === 200)
    expect([on('owner'), on('admin'), on('member')]).toEqual([['admin', 'member'], ['member'], ['member']])
  })

  it('is changed for members by the modes of the team, its description and custom attributes apart', () => {
    const may = (fields: Parameters<typeof mayUpdate>[2], row: Partial<TeamTable>, role: Role = 'member') =>
      codeOf(() => mayUpdate(team(row), role, fields)) === 200
    const open = { uptinfomode: 1, upcustommode: 1 }
    for (const field of ['tname', 'announcement', 'intro', 'icon']) {
      expect([may({ [field]: 'x' }, { uptinfomode: 1 }), may({ [field]: 'x' }, { upcustommode: 1 })]).toEqual([
        true,
        false,
      ])
      expect(may({ [field]: '' }, {})).toBe(false)
    }
    expect([may({ custom: 'x' }, { upcustommode: 1 }), may({ custom: 'x' }, { uptinfomode: 1 })]).toEqual([true, false])
    for (const mode of ['joinmode', 'beinvitemode', 'invitemode', 'uptinfomode', 'upcustommode', 'memberLimit'])
      expect([may({ [mode]: 0 }, open), may({ [mode]: 0 }, {}, 'admin')]).toEqual([false, true])
    expect(may({ tname: undefined, joinmode: undefined }, {})).toBe(true)
  })
})

it('events of a team have the numbers of the specification', () => {
  expect(teamOpes).toEqual({
    pulledIn: 0,
    kicked: 1,
    left: 2,
    updated: 3,
    dissolved: 4,
    applied: 5,
    handedOver: 6,
    adminAdded: 7,
    adminRemoved: 8,
    accepted: 9,
  })
})

describe('requests to a team', () => {
  const request = (kind: 'invitation' | 'application', accid: string): TeamRequestTable => ({
    tid: 1,
    kind,
    accid,
    inviter: '',
    msg: '',
    attach: '',
    at: 1,
  })
  it('are 5,000 of each kind, beyond which the oldest goes, and one that is made again is the newest', () => {
    const registry = createTeamRegistry({ teams: [team().row], members: [], requests: [] })
    const all = Array.from({ length: 5000 }, (_, index) => `a${index}`)
    for (const kind of ['invitation', 'application'] as const)
      registry.apply(1, { requests: all.map((accid) => request(kind, accid)) })
    const { invitations, applications } = registry.get(1)!
    expect([invitations.size, applications.size]).toEqual([5000, 5000])
    registry.apply(1, { requests: [request('invitation', 'a0'), request('invitation', 'new')] })
    expect([invitations.size, invitations.has('a0'), invitations.has('a1'), invitations.has('new')]).toEqual([
      5000,
      true,
      false,
      true,
    ])
    expect([applications.size, applications.has('a1')]).toEqual([5000, true])
    registry.apply(1, { settled: [{ kind: 'application', accid: 'a5' }] })
    expect([applications.has('a5'), invitations.has('a5')]).toEqual([false, true])
  })
})

describe('the places of an owner for teams', () => {
  it('are as many as the settings allow, with those held for teams being made until they are given back', () => {
    const owned = { ...team().row, owner: 'olga', uid: 1 }
    const registry = createTeamRegistry({
      teams: [owned, { ...owned, tid: 2, owner: 'mona' }],
      members: [1, 2].map((tid) => ({ ...team().members.get('olga')!, tid })),
      requests: [],
    })
    // A member of two teams owns one of them.
    const first = registry.holdPlace(1, 'olga', 3)
    const second = registry.holdPlace(1, 'olga', 3)
    expect([typeof first, typeof second, registry.holdPlace(1, 'olga', 3)]).toEqual(['function', 'function', undefined])
    expect([typeof registry.holdPlace(2, 'olga', 1), typeof registry.holdPlace(1, 'mona', 1)]).toEqual([
      'function',
      'function',
    ])
    first!()
    expect([typeof registry.holdPlace(1, 'olga', 3), registry.holdPlace(1, 'olga', 3)]).toEqual(['function', undefined])
  })
})
