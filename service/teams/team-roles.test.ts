import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maySpeak, roleOf, type Actor, type SomeTeamFields, type Team } from './team.ts'
import type { Teams } from './teams.ts'
import { byApi, byLink, codeOf, otherUid, rigUid, startTeams, type TeamsRig } from './testing/rig.ts'

// Every transition by every role: who may, and that it happens exactly then (2-messaging States, decisions Teams).

const actors = ['olga', 'adam', 'mona', 'mute', 'ivy', 'sara', 'nobody'] as const
let rig: TeamsRig
beforeAll(async () => {
  // olga owns; adam and abby are admins; mona, mike and the muted mute are members; ivy is invited, ann has applied,
  // sara and stan are strangers.
  rig = await startTeams(['olga', 'adam', 'abby', 'mona', 'mike', 'mute', 'ivy', 'ann', 'sara', 'stan'])
  rig.limits.teamsPerOwner = 10_000
})
afterAll(() => rig.close())

async function standing(fields: SomeTeamFields): Promise<string> {
  const tid = await rig.made('olga', ['adam', 'abby', 'mona', 'mike', 'mute'], { ...fields, joinmode: 1 })
  await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['adam', 'abby'], true)
  await rig.teams.setMuted(rigUid, tid, byApi('olga'), 'mute', true)
  await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['ivy'], agree: true })
  await rig.teams.apply(rigUid, tid, byLink('ann'))
  if (fields.joinmode !== undefined && fields.joinmode !== 1)
    await rig.teams.update(rigUid, tid, byApi('olga'), { joinmode: fields.joinmode })
  return tid
}

interface Row {
  readonly action: string
  readonly fields?: SomeTeamFields
  readonly attempt: (teams: Teams, uid: number, tid: string, actor: Actor) => Promise<unknown>
  /** Whether it happened for this actor; `team` is undefined once dissolved. */
  readonly happened?: (team: Team | undefined, accid: string) => boolean
  /** owner, admin, member, muted member, invited, stranger, no account */
  readonly codes: readonly number[]
}

const ownersOnly = [200, 403, 403, 403, 403, 403, 414]
const leadersOnly = [200, 200, 403, 403, 403, 403, 414]
const membersOnly = [200, 200, 200, 200, 403, 403, 414]
const nobodys = [403, 403, 403, 403, 403, 403, 414]
const open = { uptinfomode: 1, upcustommode: 1 } as const

const rows: Row[] = [
  {
    action: 'pulls in',
    attempt: (teams, uid, tid, actor) => teams.add(uid, tid, actor, { accids: ['stan'], agree: false }),
    happened: (team) => roleOf(team!, 'stan') === 'member',
    codes: leadersOnly,
  },
  {
    action: 'pulls in, with invitemode 1',
    fields: { invitemode: 1 },
    attempt: (teams, uid, tid, actor) => teams.add(uid, tid, actor, { accids: ['stan'], agree: false }),
    happened: (team) => roleOf(team!, 'stan') === 'member',
    codes: membersOnly,
  },
  {
    action: 'invites',
    attempt: (teams, uid, tid, actor) => teams.add(uid, tid, actor, { accids: ['stan'], agree: true }),
    happened: (team) => team!.invitations.has('stan'),
    codes: leadersOnly,
  },
  {
    action: 'invites on the link, with invitemode 1',
    fields: { invitemode: 1 },
    attempt: (teams, uid, tid, actor) => teams.add(uid, tid, actor, { accids: ['stan'] }),
    happened: (team) => team!.invitations.has('stan') && roleOf(team!, 'stan') === undefined,
    codes: membersOnly,
  },
  {
    action: 'pulls in on the link, with beinvitemode 1',
    fields: { beinvitemode: 1 },
    attempt: (teams, uid, tid, actor) => teams.add(uid, tid, actor, { accids: ['stan'] }),
    happened: (team) => roleOf(team!, 'stan') === 'member',
    codes: leadersOnly,
  },
  {
    action: 'puts a member out',
    attempt: (teams, uid, tid, actor) => teams.kick(uid, tid, actor, ['mike']),
    happened: (team) => roleOf(team!, 'mike') === undefined,
    codes: leadersOnly,
  },
  {
    action: 'puts an admin out',
    attempt: (teams, uid, tid, actor) => teams.kick(uid, tid, actor, ['abby']),
    happened: (team) => roleOf(team!, 'abby') === undefined,
    codes: ownersOnly,
  },
  {
    action: 'puts the owner out',
    attempt: (teams, uid, tid, actor) => teams.kick(uid, tid, actor, ['olga']),
    happened: (team) => roleOf(team!, 'olga') === undefined,
    codes: nobodys,
  },
  {
    action: 'leaves',
    attempt: (teams, uid, tid, actor) => teams.leave(uid, tid, actor),
    codes: [403, 200, 200, 200, 403, 403, 414],
  },
  {
    action: 'dissolves',
    attempt: (teams, uid, tid, actor) => teams.dissolve(uid, tid, actor),
    happened: (team) => team === undefined,
    codes: ownersOnly,
  },
  ...(
    [
      { tname: 'choir two' },
      { announcement: 'at eight' },
      { intro: 'we sing' },
      { icon: 'http://icon.example' },
    ] as const
  ).flatMap((fields): Row[] => {
    const [[name, value]] = Object.entries(fields) as [[keyof SomeTeamFields, string]]
    const happened = (team: Team | undefined): boolean => team!.row[name] === value
    const attempt: Row['attempt'] = (teams, uid, tid, actor) => teams.update(uid, tid, actor, fields)
    return [
      { action: `sets ${name}`, attempt, happened, codes: leadersOnly },
      { action: `sets ${name}, with uptinfomode 1`, fields: { uptinfomode: 1 }, attempt, happened, codes: membersOnly },
      {
        action: `sets ${name}, with upcustommode 1`,
        fields: { upcustommode: 1 },
        attempt,
        happened,
        codes: leadersOnly,
      },
    ]
  }),
  ...([{}, { uptinfomode: 1 }, { upcustommode: 1 }] as const).map((fields): Row => ({
    action: `sets custom, with ${JSON.stringify(fields)}`,
    fields,
    attempt: (teams, uid, tid, actor) => teams.update(uid, tid, actor, { custom: '{"a":1}' }),
    happened: (team) => team!.row.custom === '{"a":1}',
    codes: 'upcustommode' in fields ? membersOnly : leadersOnly,
  })),
  {
    action: 'sets the name together with custom, with uptinfomode 1: both or neither',
    fields: { uptinfomode: 1 },
    attempt: (teams, uid, tid, actor) => teams.update(uid, tid, actor, { tname: 'choir two', custom: 'c' }),
    happened: (team) => team!.row.tname === 'choir two',
    codes: leadersOnly,
  },
  ...([{ joinmode: 2 }, { beinvitemode: 1 }, { invitemode: 1 }, { uptinfomode: 0 }, { upcustommode: 0 }] as const).map(
    (fields): Row => {
      const [[name, value]] = Object.entries(fields) as [[keyof SomeTeamFields, number]]
      return {
        action: `sets ${name}, where members may change the rest`,
        fields: open,
        attempt: (teams, uid, tid, actor) => teams.update(uid, tid, actor, fields),
        happened: (team) => team!.row[name] === value,
        codes: leadersOnly,
      }
    },
  ),
  ...[true, false].map((leave): Row => ({
    action: leave ? 'hands the team over and leaves' : 'hands the team over and stays',
    attempt: (teams, uid, tid, actor) => teams.changeOwner(uid, tid, actor, 'mike', leave),
    happened: (team) =>
      team!.row.owner === 'mike' &&
      roleOf(team!, 'mike') === 'owner' &&
      roleOf(team!, 'olga') === (leave ? undefined : 'member'),
    codes: ownersOnly,
  })),
  {
    action: 'makes an admin',
    attempt: (teams, uid, tid, actor) => teams.setAdmins(uid, tid, actor, ['mike'], true),
    happened: (team) => roleOf(team!, 'mike') === 'admin',
    codes: ownersOnly,
  },
  {
    action: 'makes an admin an ordinary member',
    attempt: (teams, uid, tid, actor) => teams.setAdmins(uid, tid, actor, ['abby'], false),
    happened: (team) => roleOf(team!, 'abby') === 'member',
    codes: ownersOnly,
  },
  {
    action: "sets another's nickname",
    attempt: (teams, uid, tid, actor) => teams.setNick(uid, tid, actor, 'mike', 'Mickey'),
    happened: (team) => team!.members.get('mike')!.nick === 'Mickey',
    codes: ownersOnly,
  },
  {
    action: 'sets the own nickname',
    attempt: (teams, uid, tid, actor) => teams.setNick(uid, tid, actor, actor.accid, 'me'),
    happened: (team, accid) => team!.members.get(accid)?.nick === 'me',
    codes: membersOnly,
  },
  {
    action: 'mutes a member',
    attempt: (teams, uid, tid, actor) => teams.setMuted(uid, tid, actor, 'mike', true),
    happened: (team) => !maySpeak(team!, 'mike'),
    codes: ownersOnly,
  },
  {
    action: 'mutes an admin',
    attempt: (teams, uid, tid, actor) => teams.setMuted(uid, tid, actor, 'abby', true),
    happened: (team) => !maySpeak(team!, 'abby'),
    codes: ownersOnly,
  },
  {
    action: 'mutes the owner',
    attempt: (teams, uid, tid, actor) => teams.setMuted(uid, tid, actor, 'olga', true),
    happened: (team) => !maySpeak(team!, 'olga'),
    codes: nobodys,
  },
  {
    action: 'lifts a mute',
    attempt: (teams, uid, tid, actor) => teams.setMuted(uid, tid, actor, 'mute', false),
    happened: (team) => maySpeak(team!, 'mute'),
    codes: ownersOnly,
  },
  {
    action: 'mutes all',
    attempt: (teams, uid, tid, actor) => teams.setMutedAll(uid, tid, actor, 1),
    happened: (team) => !maySpeak(team!, 'mike') && maySpeak(team!, 'abby') && maySpeak(team!, 'olga'),
    codes: ownersOnly,
  },
  {
    action: 'lists who is muted',
    attempt: (teams, uid, tid, actor) => teams.mutedMembers(uid, tid, actor.accid),
    codes: ownersOnly,
  },
  {
    action: 'switches reminders off',
    attempt: (teams, uid, tid, actor) => teams.setQuiet(uid, tid, actor.accid, true),
    happened: (team, accid) => rig.teams.isQuiet(team!, accid),
    codes: membersOnly,
  },
  {
    action: 'asks to join where nobody may',
    fields: { joinmode: 2 },
    attempt: (teams, uid, tid, actor) => teams.apply(uid, tid, actor),
    codes: [200, 200, 200, 200, 403, 403, 414],
  },
  {
    action: 'asks to join where everybody may',
    fields: { joinmode: 0 },
    attempt: (teams, uid, tid, actor) => teams.apply(uid, tid, actor),
    happened: (team, accid) => roleOf(team!, accid) !== undefined,
    codes: [200, 200, 200, 200, 200, 200, 414],
  },
  {
    action: 'asks to join where owner and admins decide',
    attempt: (teams, uid, tid, actor) => teams.apply(uid, tid, actor),
    happened: (team, accid) => roleOf(team!, accid) !== undefined || team!.applications.has(accid),
    codes: [200, 200, 200, 200, 200, 200, 414],
  },
  {
    action: 'accepts an invitation',
    attempt: (teams, uid, tid, actor) => teams.answerInvitation(uid, tid, actor, true),
    happened: (team) => roleOf(team!, 'ivy') === 'member',
    codes: [414, 414, 414, 414, 200, 414, 414],
  },
  {
    action: 'rejects an invitation',
    attempt: (teams, uid, tid, actor) => teams.answerInvitation(uid, tid, actor, false),
    happened: (team) => !team!.invitations.has('ivy') && roleOf(team!, 'ivy') === undefined,
    codes: [414, 414, 414, 414, 200, 414, 414],
  },
  {
    action: 'accepts an application',
    attempt: (teams, uid, tid, actor) => teams.answerApplication(uid, tid, actor, 'ann', true),
    happened: (team) => roleOf(team!, 'ann') === 'member' && !team!.applications.has('ann'),
    codes: leadersOnly,
  },
  {
    action: 'rejects an application',
    attempt: (teams, uid, tid, actor) => teams.answerApplication(uid, tid, actor, 'ann', false),
    happened: (team) => roleOf(team!, 'ann') === undefined && !team!.applications.has('ann'),
    codes: leadersOnly,
  },
]

describe.each(rows)('who $deed', ({ fields = {}, attempt, happened, codes }) => {
  it.each(actors.map((accid, index) => [accid, codes[index]!] as const))('%s: %i', async (accid, code) => {
    const tid = await standing(fields)
    const before = happened?.(rig.team(tid), accid)
    expect(await codeOf(attempt(rig.teams, rigUid, tid, byApi(accid)))).toBe(code)
    if (happened) expect(happened(rig.teams.find(rigUid, tid), accid)).toBe(code === 200 ? true : before)
  })
  it('nobody in a dissolved team, in one of another application, or in one that never was: 414', async () => {
    const tid = await standing(fields)
    const foreign = await codeOf(attempt(rig.teams, otherUid, tid, byApi('olga')))
    await rig.teams.dissolve(rigUid, tid, byApi('olga'))
    const dissolved = await codeOf(attempt(rig.teams, rigUid, tid, byApi('olga')))
    const never = await Promise.all(
      ['1', '0', '-1', '', ' 1', '1.5', '9007199254740993', 'x', '01'].map((text) =>
        codeOf(attempt(rig.teams, rigUid, text, byApi('olga'))),
      ),
    )
    expect([foreign, dissolved, ...new Set(never)]).toEqual([414, 414, 414])
  })
})

describe('on whom', () => {
  const onWhom: [string, (teams: Teams, tid: string, accid: string) => Promise<unknown>, ownerCode: number][] = [
    ['put out', (teams, tid, accid) => teams.kick(rigUid, tid, byApi('olga'), [accid]), 403],
    ['hand over to', (teams, tid, accid) => teams.changeOwner(rigUid, tid, byApi('olga'), accid, false), 414],
    [
      'make an admin of',
      (teams, tid, accid) => teams.setAdmins(rigUid, tid, byApi('olga'), ['mona', accid], true),
      200,
    ],
    [
      'make an ordinary member of',
      (teams, tid, accid) => teams.setAdmins(rigUid, tid, byApi('olga'), ['abby', accid], false),
      200,
    ],
    ['name', (teams, tid, accid) => teams.setNick(rigUid, tid, byApi('olga'), accid, 'n'), 200],
    ['mute', (teams, tid, accid) => teams.setMuted(rigUid, tid, byApi('olga'), accid, true), 403],
    ['answer', (teams, tid, accid) => teams.answerApplication(rigUid, tid, byApi('olga'), accid, true), 414],
  ]
  it.each(onWhom)(
    '%s strangers, invited and unknown accounts is 414, and the owner the code beside it',
    async (_what, attempt, ownerCode) => {
      const tid = await standing({})
      const before = [...rig.team(tid).members.values()]
      for (const accid of ['sara', 'ivy', 'nobody']) expect(await codeOf(attempt(rig.teams, tid, accid))).toBe(414)
      // Nobody in such a call is changed.
      expect([...rig.team(tid).members.values()]).toEqual(before)
      expect(await codeOf(attempt(rig.teams, tid, 'olga'))).toBe(ownerCode)
    },
  )
})
