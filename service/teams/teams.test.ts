import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTeamRegistry, requestLimit } from './teams-registry.ts'
import { byApi, byLink, codeOf, newTeam, otherUid, rigUid, startTeams, type TeamsRig } from './testing/rig.ts'

let rig: TeamsRig
beforeEach(async () => {
  rig = await startTeams()
})
afterEach(() => rig.close())

const snapshot = (tid: string) => {
  const { row, members, invitations, applications } = rig.team(tid)
  return structuredClone({
    row,
    members: [...members.values()],
    invitations: [...invitations.values()],
    applications: [...applications.values()],
  })
}

describe('teams', () => {
  it('are the same after a restart, with members, mutes, nicknames, invitations and applications', async () => {
    const tid = await rig.made('olga', ['adam', 'mona', 'mike'], { joinmode: 1, custom: '群 𝄞', announcement: 'a' })
    const gone = await rig.made('olga', ['adam'])
    await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['adam'], true)
    await rig.teams.setMuted(rigUid, tid, byApi('olga'), 'mona', true)
    await rig.teams.setQuiet(rigUid, tid, 'mona', true)
    await rig.teams.setNick(rigUid, tid, byApi('olga'), 'mona', '莫娜')
    await rig.teams.setMutedAll(rigUid, tid, byApi('olga'), 1)
    await rig.teams.kick(rigUid, tid, byApi('olga'), ['mike'])
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara', 'mike'], agree: true, msg: 'm', attach: 'x' })
    await rig.teams.answerInvitation(rigUid, tid, byLink('mike'), false)
    await rig.teams.apply(rigUid, tid, byLink('stan'), 'hello')
    await rig.teams.dissolve(rigUid, gone, byApi('olga'))
    const before = snapshot(tid)
    expect([before.members.length, before.invitations.length, before.applications.length]).toEqual([3, 1, 1])
    await rig.reopen()
    expect(snapshot(tid)).toEqual(before)
    expect(rig.teams.find(rigUid, gone)).toBeUndefined()
    expect(rig.teams.find(otherUid, tid)).toBeUndefined()
    await rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true)
    expect([...rig.registry.membershipsOf(rigUid, 'sara')]).toEqual([
      { tid: Number(tid), since: rig.delivered.at(-1)!.seq },
    ])
    expect(rig.teams.teamsOf(rigUid, 'adam').map(({ row }) => String(row.tid))).toEqual([tid])
  })
  it('have numbers that are unguessable, positive and below 2^53', async () => {
    const tids = await Promise.all(Array.from({ length: 50 }, () => rig.made('olga', ['adam'])))
    expect(new Set(tids).size).toBe(50)
    for (const tid of tids) expect(Number.isSafeInteger(Number(tid)) && Number(tid) > 0).toBe(true)
    // The chance that fifty random 53-bit numbers are all below 2^40 is one in 2^650.
    expect(Math.max(...tids.map(Number))).toBeGreaterThan(2 ** 40)
  })
  it('of two that race for the last seat let one in', async () => {
    const tid = await rig.made('olga', ['adam'], { joinmode: 0 })
    rig.limits.teamSize = 3
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['mike'], agree: true })
    const codes = await Promise.all(
      [
        rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['mona'], agree: false }),
        rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: false }),
        rig.teams.answerInvitation(rigUid, tid, byLink('mike'), true),
        rig.teams.apply(rigUid, tid, byLink('stan')),
      ].map(codeOf),
    )
    expect(codes.sort()).toEqual([200, 801, 801, 801])
    expect(rig.team(tid).members.size).toBe(3)
  })
  it('take all of a call or, when they do not fit, nobody; those who are in take no seat twice', async () => {
    const tid = await rig.made('olga', ['adam', 'mona'])
    rig.limits.teamSize = 4
    for (const agree of [false, true])
      expect(await codeOf(rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara', 'stan'], agree }))).toBe(801)
    expect([rig.team(tid).members.size, rig.team(tid).invitations.size]).toEqual([3, 0])
    expect(
      await codeOf(
        rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['adam', 'mona', 'sara', 'sara'], agree: false }),
      ),
    ).toBe(200)
    expect(rig.team(tid).members.size).toBe(4)
    // A lower limit removes nobody.
    rig.limits.teamSize = 2
    expect(await codeOf(rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['stan'], agree: false }))).toBe(801)
    expect(await codeOf(rig.teams.create(rigUid, byApi('olga'), newTeam(['adam', 'mona'])))).toBe(801)
    expect(await codeOf(rig.teams.create(rigUid, byApi('olga'), newTeam(['adam'])))).toBe(200)
  })
  it('of one owner are counted when they are made and when they are handed over, also at once', async () => {
    rig.limits.teamsPerOwner = 3
    const codes = await Promise.all(
      Array.from({ length: 5 }, () => codeOf(rig.teams.create(rigUid, byApi('olga'), newTeam(['mona'])))),
    )
    expect(codes.sort()).toEqual([200, 200, 200, 806, 806])
    const others = await Promise.all(Array.from({ length: 3 }, () => rig.made('mona', ['olga'])))
    expect(
      await Promise.all(others.map((tid) => codeOf(rig.teams.changeOwner(rigUid, tid, byApi('mona'), 'olga', false)))),
    ).toEqual([806, 806, 806])
    await rig.teams.dissolve(
      rigUid,
      String(rig.teams.teamsOf(rigUid, 'olga').find(({ row }) => row.owner === 'olga')!.row.tid),
      byApi('olga'),
    )
    const again = await Promise.all(
      others.map((tid) => codeOf(rig.teams.changeOwner(rigUid, tid, byApi('mona'), 'olga', true))),
    )
    expect(again.sort()).toEqual([200, 806, 806])
    // Another application's teams do not count.
    expect(await codeOf(rig.teams.create(otherUid, byApi('olga'), newTeam(['mona'])))).toBe(200)
  })
  it('stay as they were when a change cannot be stored', async () => {
    const tid = await rig.made('olga', ['adam'])
    const before = snapshot(tid)
    const count = rig.delivered.length
    rig.failNext()
    expect(await codeOf(rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['mona'], agree: false }))).toBe(500)
    rig.failNext()
    expect(await codeOf(rig.teams.create(rigUid, byApi('olga'), newTeam(['mona'])))).toBe(500)
    expect([snapshot(tid), rig.delivered.length, rig.teams.teamsOf(rigUid, 'mona')]).toEqual([before, count, []])
    await rig.reopen()
    expect([snapshot(tid), rig.teams.teamsOf(rigUid, 'mona')]).toEqual([before, []])
    // The reservation of the failed one is free, and the next change succeeds.
    rig.limits.teamsPerOwner = 2
    expect(await codeOf(rig.teams.create(rigUid, byApi('olga'), newTeam(['mona'])))).toBe(200)
    expect(await codeOf(rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['mona'], agree: false }))).toBe(200)
  })
  it('know nobody by another writing, and leave an owner out who is listed', async () => {
    expect(await codeOf(rig.teams.create(rigUid, byApi('olga'), newTeam(['adam', 'nobody'])))).toBe(414)
    expect(await codeOf(rig.teams.create(rigUid, byApi('nobody'), newTeam(['adam'])))).toBe(414)
    const tid = await rig.made('olga', ['adam', 'adam', 'olga'])
    expect(rig.team(tid).members.size).toBe(2)
    expect(await codeOf(rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['olga'], agree: false }))).toBe(200)
    expect(await codeOf(rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['mona', 'nobody'], agree: false }))).toBe(
      414,
    )
    expect(rig.team(tid).members.size).toBe(2)
  })
  it('tell when their members and when they themselves changed last, each by its own time', async () => {
    const tid = await rig.made('olga', ['adam', 'mona'], { joinmode: 0 })
    const created = rig.clock.now()
    /** What changed with a call: t for the team, m for its members. */
    const changes = async (change: () => Promise<unknown>): Promise<string> => {
      const { updated, membersUpdated } = rig.team(tid).row
      rig.clock.advance(1000)
      await change()
      const { row } = rig.team(tid)
      for (const time of [row.updated, row.membersUpdated]) expect(time).toBeLessThanOrEqual(rig.clock.now())
      return `${row.updated > updated ? 't' : ''}${row.membersUpdated > membersUpdated ? 'm' : ''}`
    }
    const olga = byApi('olga')
    expect(await changes(() => rig.teams.add(rigUid, tid, olga, { accids: ['mike'], agree: false }))).toBe('m')
    expect(await changes(() => rig.teams.apply(rigUid, tid, byLink('sara')))).toBe('m')
    expect(await changes(() => rig.teams.kick(rigUid, tid, olga, ['sara']))).toBe('m')
    expect(await changes(() => rig.teams.leave(rigUid, tid, byLink('mike')))).toBe('m')
    expect(await changes(() => rig.teams.setAdmins(rigUid, tid, olga, ['adam'], true))).toBe('m')
    expect(await changes(() => rig.teams.update(rigUid, tid, olga, { tname: 'x' }))).toBe('t')
    expect(await changes(() => rig.teams.setMutedAll(rigUid, tid, olga, 1))).toBe('t')
    expect(await changes(() => rig.teams.setNick(rigUid, tid, olga, 'mona', 'M'))).toBe('')
    expect(await changes(() => rig.teams.changeOwner(rigUid, tid, olga, 'adam', false))).toBe('tm')
    expect(rig.team(tid).row.created).toBe(created)
  })
  it('name with an announcement who wrote it and when, until another one is written', async () => {
    const tid = await rig.made('olga', ['adam'])
    expect(rig.team(tid).row).toMatchObject({ announcer: '', announced: 0 })
    await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['adam'], true)
    rig.clock.advance(5000)
    const at = rig.clock.now()
    await rig.teams.update(rigUid, tid, byLink('adam'), { announcement: 'at eight' })
    rig.clock.advance(5000)
    await rig.teams.update(rigUid, tid, byApi('olga'), { tname: 'x', announcement: 'at eight' })
    expect(rig.team(tid).row).toMatchObject({ announcement: 'at eight', announcer: 'adam', announced: at })
    await rig.reopen()
    expect(rig.team(tid).row).toMatchObject({ announcer: 'adam', announced: at })
  })
  it('let speak in a muted one as its kind says, and never who is muted alone or no member', async () => {
    const tid = await rig.made('olga', ['adam', 'mona', 'mike'])
    await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['adam'], true)
    await rig.teams.setMuted(rigUid, tid, byApi('olga'), 'mike', true)
    const speakers = () =>
      ['olga', 'adam', 'mona', 'mike', 'sara'].filter((accid) => rig.teams.maySpeak(rig.team(tid), accid))
    expect(speakers()).toEqual(['olga', 'adam', 'mona'])
    await rig.teams.setMutedAll(rigUid, tid, byApi('olga'), 1)
    expect(speakers()).toEqual(['olga', 'adam'])
    await rig.teams.setMutedAll(rigUid, tid, byApi('olga'), 3)
    expect(speakers()).toEqual(['olga'])
    await rig.teams.setMutedAll(rigUid, tid, byApi('olga'), 0)
    expect(speakers()).toEqual(['olga', 'adam', 'mona'])
  })
  it('keep the order of joining over a restart, whoever left', async () => {
    const tid = await rig.made('olga', ['stan', 'adam', 'mona'])
    await rig.teams.kick(rigUid, tid, byApi('olga'), ['adam'])
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['mike', 'adam'], agree: false })
    const order = ['olga', 'stan', 'mona', 'mike', 'adam']
    expect([...rig.team(tid).members.keys()]).toEqual(order)
    await rig.reopen()
    expect([...rig.team(tid).members.keys()]).toEqual(order)
  })
  it('let a new owner speak who was muted', async () => {
    const tid = await rig.made('olga', ['adam'])
    await rig.teams.setMuted(rigUid, tid, byApi('olga'), 'adam', true)
    await rig.teams.changeOwner(rigUid, tid, byApi('olga'), 'adam', false)
    expect(rig.teams.maySpeak(rig.team(tid), 'adam')).toBe(true)
    expect(rig.teams.roleOf(rig.team(tid), 'olga')).toBe('member')
  })
  it('give each event to exactly those who were members at its place, also of calls that come at once', async () => {
    const tid = await rig.made('olga', ['adam'])
    const from = rig.audience.length
    await Promise.all([
      rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['mona'], agree: false }),
      rig.teams.update(rigUid, tid, byApi('olga'), { tname: 'x' }),
      rig.teams.kick(rigUid, tid, byApi('olga'), ['mona']),
      rig.teams.update(rigUid, tid, byApi('olga'), { tname: 'y' }),
    ])
    expect(rig.audience.slice(from)).toEqual([
      ['adam', 'mona', 'olga'],
      ['adam', 'mona', 'olga'],
      ['adam', 'mona', 'olga'],
      ['adam', 'olga'],
    ])
  })
})

describe('a limit of its own', () => {
  it('of a team holds below the setting of the application, and a lowered setting holds teams with a higher one', async () => {
    const tid = await rig.made('olga', ['adam'], { memberLimit: 3 })
    const add = (accid: string) => codeOf(rig.teams.add(rigUid, tid, byApi('olga'), { accids: [accid], agree: false }))
    expect([await add('mona'), await add('mike')]).toEqual([200, 801])
    expect(await codeOf(rig.teams.update(rigUid, tid, byApi('olga'), { memberLimit: 6 }))).toBe(200)
    expect(await add('mike')).toBe(200)
    rig.limits.teamSize = 4
    expect(await add('sara')).toBe(801)
  })
  it('is 414 above the setting, for a new team as for a change, and changes nothing then', async () => {
    rig.limits.teamSize = 5
    expect(await codeOf(rig.teams.create(rigUid, byApi('olga'), { ...newTeam([]), memberLimit: 6 }))).toBe(414)
    const tid = await rig.teams.create(rigUid, byApi('olga'), { ...newTeam([]), memberLimit: 5 })
    expect(await codeOf(rig.teams.update(rigUid, String(tid), byApi('olga'), { memberLimit: 6 }))).toBe(414)
    expect(rig.team(String(tid)).row.memberLimit).toBe(5)
  })
  it('holds the members named for a new team, with its owner', async () => {
    const create = (members: string[]) =>
      codeOf(rig.teams.create(rigUid, byApi('olga'), { ...newTeam(members), memberLimit: 2 }))
    expect([await create(['adam', 'mona']), await create(['adam'])]).toEqual([801, 200])
  })
})

it('forgets the oldest of too many applications of a team', () => {
  const registry = createTeamRegistry({ teams: [], members: [], requests: [] })
  const row = {
    tid: 1,
    uid: 1,
    tname: '',
    owner: '',
    announcement: '',
    announcer: '',
    announced: 0,
    intro: '',
    custom: '',
    icon: '',
    mute: 0,
    memberLimit: 0,
  }
  const modes = {
    joinmode: 1,
    beinvitemode: 0,
    invitemode: 0,
    uptinfomode: 0,
    upcustommode: 0,
    created: 0,
    updated: 0,
    membersUpdated: 0,
  }
  registry.apply(1, { team: { ...row, ...modes } })
  for (let index = 0; index <= requestLimit; index++)
    registry.apply(1, {
      requests: [{ tid: 1, kind: 'application', accid: `a${index}`, inviter: '', msg: '', attach: '', at: index }],
    })
  const { applications } = registry.get(1)!
  expect([applications.size, applications.has('a0'), applications.has(`a${requestLimit}`)]).toEqual([
    requestLimit,
    false,
    true,
  ])
})
