import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accounts, history, local, relations, teams } from '../../contract/operations/index.ts'
import type { Arguments } from '../../contract/operation.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let service: TestService
let clock: ManualWallClock
beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock })
  for (const accid of ['olga', 'adam', 'mona', 'mike', 'sara']) await service.call(accounts.create, { accid })
})
afterEach(() => service.close())

async function made(
  owner: string,
  members: string[],
  more: Partial<Arguments<typeof teams.create>> = {},
): Promise<string> {
  const { code, tid, desc } = await service.call(teams.create, { tname: 'choir', owner, members, ...more })
  expect([code, desc]).toEqual([200, undefined])
  return tid!
}
const info = async (tid: string) => (await service.call(teams.query, { tids: [tid], ope: 1 })).tinfos![0]!
const code = async (answer: Promise<{ readonly code: number }>): Promise<number> => (await answer).code

describe('a team', () => {
  it('begins as it was asked for, and is described with and without its members', async () => {
    const tid = await made('Olga', ['ADAM', 'mona', 'adam'], {
      tname: '合唱团 𝄞',
      announcement: 'at "eight"',
      intro: 'we sing',
      custom: '{"a":1}',
      icon: 'http://i.example',
      msg: 'come',
      magree: 0,
      joinmode: 1,
      beinvitemode: 1,
      invitemode: 1,
      uptinfomode: 1,
      upcustommode: 1,
    })
    expect(tid).toMatch(/^[1-9][0-9]{0,15}$/)
    const described = {
      tid: Number(tid),
      tname: '合唱团 𝄞',
      owner: 'olga',
      announcement: 'at "eight"',
      intro: 'we sing',
      maxusers: 200,
      size: 3,
      joinmode: 1,
      custom: '{"a":1}',
      icon: 'http://i.example',
      mute: false,
      muteType: 0,
      beinvitemode: 1,
      invitemode: 1,
      uptinfomode: 1,
      upcustommode: 1,
      createtime: expect.any(Number) as number,
      updatetime: expect.any(Number) as number,
    }
    expect((await service.call(teams.query, { tids: [tid], ope: 0 })).tinfos).toEqual([described])
    expect(await info(tid)).toEqual({ ...described, admins: [], members: ['adam', 'mona'] })
  })
  it('has the documented defaults', async () => {
    expect(await info(await made('olga', ['adam']))).toMatchObject({
      announcement: '',
      intro: '',
      custom: '',
      icon: '',
      joinmode: 0,
      beinvitemode: 0,
      invitemode: 0,
      uptinfomode: 0,
      upcustommode: 0,
      mute: false,
      members: ['adam'],
    })
  })
  it('invites with magree 1: who is invited is no member yet', async () => {
    const tid = await made('olga', ['adam', 'mona'], { magree: 1 })
    expect(await info(tid)).toMatchObject({ size: 1, members: [] })
    expect(
      await code(
        service.call(teams.add, { tid, owner: 'olga', members: ['sara'], magree: 1, msg: 'come', attach: 'x' }),
      ),
    ).toBe(200)
    expect(await info(tid)).toMatchObject({ size: 1, members: [] })
    expect(await code(service.call(teams.add, { tid, owner: 'olga', members: ['sara'], attach: 'x' }))).toBe(200)
    expect(await info(tid)).toMatchObject({ size: 2, members: ['sara'] })
  })
  it('gains and loses members and admins, whatever the case of their names', async () => {
    const tid = await made('olga', ['adam', 'mona'])
    const asOwner = { tid, owner: 'OLGA' }
    expect(await code(service.call(teams.add, { ...asOwner, members: ['MIKE', 'mike', 'adam'] }))).toBe(200)
    expect(await code(service.call(teams.addManager, { ...asOwner, members: ['Adam', 'ADAM'] }))).toBe(200)
    expect(await info(tid)).toMatchObject({ size: 4, admins: ['adam'], members: ['mona', 'mike'] })
    expect(await code(service.call(teams.kick, { tid, owner: 'adam', member: 'MONA', attach: 'x' }))).toBe(200)
    expect(await code(service.call(teams.leave, { tid, accid: 'Mike' }))).toBe(200)
    expect(await code(service.call(teams.removeManager, { ...asOwner, members: ['ADAM'] }))).toBe(200)
    expect(await info(tid)).toMatchObject({ size: 2, admins: [], members: ['adam'] })
  })
  it('is changed, and cleared by a call that carries nothing else', async () => {
    const tid = await made('olga', ['adam'], { intro: 'i', announcement: 'a' })
    expect(
      await code(
        service.call(teams.update, { tid, owner: 'olga', tname: 'band', intro: '', custom: 'c', joinmode: 2 }),
      ),
    ).toBe(200)
    expect(await info(tid)).toMatchObject({ tname: 'band', intro: 'i', custom: 'c', joinmode: 2, announcement: 'a' })
    expect(await code(service.call(teams.update, { tid, owner: 'olga', intro: '', announcement: '' }))).toBe(200)
    expect(await info(tid)).toMatchObject({ tname: 'band', intro: '', announcement: '', custom: 'c' })
    expect(await code(service.call(teams.update, { tid, owner: 'olga' }))).toBe(200)
  })
  it('is handed over: the former owner stays as a member, or leaves', async () => {
    const tid = await made('olga', ['adam', 'mona'])
    expect(await code(service.call(teams.changeOwner, { tid, owner: 'olga', newowner: 'MONA', leave: 2 }))).toBe(200)
    expect(await info(tid)).toMatchObject({ owner: 'mona', members: ['olga', 'adam'], size: 3 })
    expect(await code(service.call(teams.changeOwner, { tid, owner: 'olga', newowner: 'adam', leave: 2 }))).toBe(403)
    expect(await code(service.call(teams.changeOwner, { tid, owner: 'mona', newowner: 'olga', leave: 1 }))).toBe(200)
    expect(await info(tid)).toMatchObject({ owner: 'olga', members: ['adam'], size: 2 })
  })
  it('loses several members by one call, which names one, several or both, all or none of them', async () => {
    const tid = await made('olga', ['adam', 'mona', 'mike', 'sara'])
    const kick = (more: object) => code(service.send(teams.kick, { tid, owner: 'olga', ...more }))
    expect([
      await kick({}),
      await kick({ members: ['adam', 'nobody'] }),
      await kick({ members: ['adam', 'olga'] }),
    ]).toEqual([414, 414, 403])
    expect((await info(tid)).size).toBe(5)
    expect(await kick({ member: 'ADAM', members: ['Mona', 'mona'] })).toBe(200)
    expect(await info(tid)).toMatchObject({ size: 3, members: ['mike', 'sara'] })
    expect(await kick({ members: ['mike', 'sara'] })).toBe(200)
    expect((await info(tid)).members).toEqual([])
  })
  it('has a limit of its own, which is described and changed, up to that of the application', async () => {
    const tid = await made('olga', ['adam'], { teamMemberLimit: 3 })
    const update = (teamMemberLimit: number) =>
      code(service.call(teams.update, { tid, owner: 'olga', teamMemberLimit }))
    const limits = async () => [
      (await info(tid)).maxusers,
      (await service.call(teams.joinTeams, { accid: 'adam' })).infos![0]!.maxusers,
    ]
    expect(await limits()).toEqual([3, 3])
    expect(await code(service.call(teams.add, { tid, owner: 'olga', members: ['mona', 'mike'] }))).toBe(801)
    expect([await update(150), await limits()]).toEqual([200, [150, 150]])
    await service.call(local.updateSettings, { teamSize: 100 })
    expect(await limits()).toEqual([100, 100])
    await service.call(local.updateSettings, { teamSize: 200 })
    await service.stop()
    service = await startService({ clock, dataDir: service.dataDir })
    expect(await limits()).toEqual([150, 150])
    expect([await update(200), await limits()]).toEqual([200, [200, 200]])
    expect([await update(201), await update(1)]).toEqual([414, 414])
  })
  it('is muted for ordinary members or for everybody but the owner, and mute wins over muteType', async () => {
    const tid = await made('olga', ['adam'])
    const mute = (more: object) => code(service.send(teams.muteTlistAll, { tid, owner: 'olga', ...more }))
    const state = async () => {
      const { mute: muted, muteType } = await info(tid)
      return [muted, muteType]
    }
    expect([await mute({}), await state()]).toEqual([414, [false, 0]])
    expect([await mute({ muteType: 3 }), await state()]).toEqual([200, [true, 3]])
    expect([await mute({ muteType: 1 }), await state()]).toEqual([200, [true, 1]])
    expect([await mute({ muteType: 0 }), await state()]).toEqual([200, [false, 0]])
    expect([await mute({ mute: true, muteType: 3 }), await state()]).toEqual([200, [true, 1]])
    expect([await mute({ mute: false, muteType: 3 }), await state()]).toEqual([200, [false, 0]])
    expect([await mute({ muteType: 2 }), await state()]).toEqual([414, [false, 0]])
  })
  it('that is not there is left out of a query that says so, and refuses any other one', async () => {
    const tid = await made('olga', ['adam'])
    const query = { tids: ['12345', tid, 'x'], ope: 0 }
    expect((await service.call(teams.query, { ...query, ignoreInvalid: true })).tinfos!.map((one) => one.tid)).toEqual([
      Number(tid),
    ])
    expect(await service.call(teams.query, query)).toMatchObject({ code: 414, desc: 'no such team: 12345' })
  })
  it('lists who is muted, with nickname and kind of member', async () => {
    const tid = await made('olga', ['adam', 'mona'])
    const asOwner = { tid, owner: 'olga' }
    await service.call(teams.addManager, { ...asOwner, members: ['adam'] })
    await service.call(teams.updateTeamNick, { ...asOwner, accid: 'MONA', nick: '莫娜 😀' })
    for (const accid of ['adam', 'Mona'])
      expect(await code(service.call(teams.muteTlist, { ...asOwner, accid, mute: 1 }))).toBe(200)
    const mutes = async () => (await service.call(teams.listTeamMute, asOwner)).mutes
    expect(await mutes()).toEqual([
      { nick: '', accid: 'adam', tid: Number(tid), type: 2 },
      { nick: '莫娜 😀', accid: 'mona', tid: Number(tid), type: 0 },
    ])
    await service.call(teams.updateTeamNick, { ...asOwner, accid: 'mona' })
    await service.call(teams.muteTlist, { ...asOwner, accid: 'adam', mute: 0 })
    expect(await mutes()).toEqual([{ nick: '', accid: 'mona', tid: Number(tid), type: 0 }])
    expect(await code(service.call(teams.muteTlistAll, { ...asOwner, mute: true }))).toBe(200)
    expect([(await info(tid)).mute, (await mutes())!.length]).toEqual([true, 1])
    expect(await code(service.call(teams.muteTlistAll, { ...asOwner, mute: false }))).toBe(200)
    expect((await info(tid)).mute).toBe(false)
  })
  it('is listed for its members, the oldest first', async () => {
    const first = await made('olga', ['mona'], { custom: 'c' })
    clock.advance(1000)
    const second = await made('mona', ['adam'], { tname: 'band' })
    expect(await service.call(teams.joinTeams, { accid: 'MONA' })).toEqual({
      code: 200,
      count: 2,
      infos: [
        { owner: 'olga', tname: 'choir', maxusers: 200, tid: Number(first), size: 2, custom: 'c' },
        { owner: 'mona', tname: 'band', maxusers: 200, tid: Number(second), size: 2, custom: '' },
      ],
    })
    expect(await service.call(teams.joinTeams, { accid: 'sara' })).toEqual({ code: 200, count: 0, infos: [] })
    expect(await code(service.call(teams.joinTeams, { accid: 'nobody' }))).toBe(414)
  })
  it('keeps what happened in its history, from where each member came in', async () => {
    const tid = await made('olga', ['adam'])
    await service.call(teams.update, { tid, owner: 'olga', intro: 'i', joinmode: 1 })
    await service.call(teams.add, { tid, owner: 'olga', members: ['mona'], attach: 'x' })
    const read = async (accid: string) => {
      const { code: answered, size, msgs } = await service.call(history.team, { tid, accid, limit: 100, reverse: 1 })
      expect([answered, size]).toEqual([200, msgs!.length])
      return msgs!.map(({ type, from, body, ext }) => ({ type, from, body, ext }))
    }
    const about = { tid: Number(tid), tname: 'choir', updatetime: clock.now() }
    const added = { type: 5, from: 'olga', body: { ...about, ope: 0, accids: ['mona'] }, ext: 'x' }
    expect(await read('adam')).toEqual([
      { type: 5, from: 'olga', body: { ...about, ope: 0, accids: ['adam'] } },
      { type: 5, from: 'olga', body: { ...about, ope: 3, intro: 'i', joinmode: 1 } },
      added,
    ])
    expect(await read('mona')).toEqual([added])
    await service.call(teams.kick, { tid, owner: 'olga', member: 'mona' })
    expect(await code(service.call(history.team, { tid, accid: 'mona', limit: 100 }))).toBe(403)
  })
  it('switches reminders of a member off and on', async () => {
    const tid = await made('olga', ['mona'])
    for (const ope of [1, 1, 2]) expect(await code(service.call(teams.muteTeam, { tid, accid: 'mona', ope }))).toBe(200)
    expect(await code(service.call(teams.muteTeam, { tid, accid: 'sara', ope: 1 }))).toBe(403)
  })
  it('outlives a restart, dissolved ones do not come back', async () => {
    const tid = await made('olga', ['mona', 'adam'])
    const gone = await made('olga', ['mona'])
    expect(await code(service.call(teams.remove, { tid: gone, owner: 'olga' }))).toBe(200)
    const before = await info(tid)
    await service.stop()
    service = await startService({ clock, dataDir: service.dataDir })
    expect(await info(tid)).toEqual(before)
    expect(await code(service.call(teams.query, { tids: [gone], ope: 0 }))).toBe(414)
    expect((await service.call(teams.joinTeams, { accid: 'mona' })).count).toBe(1)
  })
})

describe('codes', () => {
  it('403: what only others may do', async () => {
    const tid = await made('olga', ['adam', 'mona', 'mike'])
    await service.call(teams.addManager, { tid, owner: 'olga', members: ['adam'] })
    const asMember = { tid, owner: 'mona' }
    const attempts = [
      service.call(teams.add, { ...asMember, members: ['sara'] }),
      service.call(teams.kick, { ...asMember, member: 'mike' }),
      service.call(teams.kick, { tid, owner: 'adam', member: 'olga' }),
      service.call(teams.remove, { tid, owner: 'adam' }),
      service.call(teams.update, { ...asMember, tname: 'x' }),
      service.call(teams.changeOwner, { tid, owner: 'adam', newowner: 'mona', leave: 1 }),
      service.call(teams.addManager, { tid, owner: 'adam', members: ['mona'] }),
      service.call(teams.removeManager, { tid, owner: 'adam', members: ['adam'] }),
      service.call(teams.updateTeamNick, { ...asMember, accid: 'mike', nick: 'n' }),
      service.call(teams.muteTlist, { ...asMember, accid: 'mike', mute: 1 }),
      service.call(teams.leave, { tid, accid: 'olga' }),
      service.call(teams.leave, { tid, accid: 'sara' }),
      service.call(teams.muteTlistAll, { tid, owner: 'adam', mute: true }),
      service.call(teams.listTeamMute, asMember),
    ]
    expect(await Promise.all(attempts.map(code))).toEqual(attempts.map(() => 403))
  })
  it('414: a team or an account that does not exist, is gone, or is of another application', async () => {
    const tid = await made('olga', ['adam'])
    const gone = await made('olga', ['adam'])
    await service.call(teams.remove, { tid: gone, owner: 'olga' })
    const onTeam = async (client: Pick<TestService, 'call'>, id: string) => [
      await code(client.call(teams.add, { tid: id, owner: 'olga', members: ['mona'] })),
      await code(client.call(teams.kick, { tid: id, owner: 'olga', member: 'adam' })),
      await code(client.call(teams.remove, { tid: id, owner: 'olga' })),
      await code(client.call(teams.update, { tid: id, owner: 'olga', tname: 'x' })),
      await code(client.call(teams.query, { tids: [id], ope: 1 })),
      await code(client.call(teams.changeOwner, { tid: id, owner: 'olga', newowner: 'adam', leave: 1 })),
      await code(client.call(teams.addManager, { tid: id, owner: 'olga', members: ['adam'] })),
      await code(client.call(teams.removeManager, { tid: id, owner: 'olga', members: ['adam'] })),
      await code(client.call(teams.updateTeamNick, { tid: id, owner: 'olga', accid: 'adam', nick: 'n' })),
      await code(client.call(teams.muteTeam, { tid: id, accid: 'adam', ope: 1 })),
      await code(client.call(teams.muteTlist, { tid: id, owner: 'olga', accid: 'adam', mute: 1 })),
      await code(client.call(teams.leave, { tid: id, accid: 'adam' })),
      await code(client.call(teams.muteTlistAll, { tid: id, owner: 'olga', mute: true })),
      await code(client.call(teams.listTeamMute, { tid: id, owner: 'olga' })),
    ]
    const all414 = Array.from({ length: 14 }, () => 414)
    for (const id of [gone, '12345', 'x', `${tid}0`, `0${tid}`]) expect(await onTeam(service, id)).toEqual(all414)
    for (const accid of ['olga', 'adam', 'mona']) await service.other.call(accounts.create, { accid })
    expect(await onTeam(service.other, tid)).toEqual(all414)
    expect(await code(service.call(teams.create, { tname: 't', owner: 'olga', members: ['adam', 'nobody'] }))).toBe(414)
    expect(await code(service.call(teams.create, { tname: 't', owner: 'nobody', members: ['adam'] }))).toBe(414)
    expect(await info(tid)).toMatchObject({ tname: 'choir', owner: 'olga', members: ['adam'] })
  })
  it('801: nobody of a call that does not fit is in; the setting decides', async () => {
    await service.call(local.updateSettings, { teamSize: 3 })
    expect(
      await code(service.call(teams.create, { tname: 't', owner: 'olga', members: ['adam', 'mona', 'mike'] })),
    ).toBe(801)
    const tid = await made('olga', ['adam'])
    for (const magree of [0, 1])
      expect(await code(service.call(teams.add, { tid, owner: 'olga', members: ['mona', 'mike'], magree }))).toBe(801)
    expect(await info(tid)).toMatchObject({ size: 2, maxusers: 3, members: ['adam'] })
    expect(await code(service.call(teams.add, { tid, owner: 'olga', members: ['mona', 'adam'] }))).toBe(200)
    await service.call(local.updateSettings, { teamSize: 4 })
    expect(await code(service.call(teams.add, { tid, owner: 'olga', members: ['mike'] }))).toBe(200)
    for (const teamSize of [1, 5001]) expect(await code(service.call(local.updateSettings, { teamSize }))).not.toBe(200)
  })
  it('801: of two calls that race for the last seat one gets it', async () => {
    await service.call(local.updateSettings, { teamSize: 3 })
    const tid = await made('olga', ['adam'])
    const codes = await Promise.all(
      ['mona', 'mike', 'sara'].map((accid) => code(service.call(teams.add, { tid, owner: 'olga', members: [accid] }))),
    )
    expect(codes.sort()).toEqual([200, 801, 801])
    expect((await info(tid)).size).toBe(3)
  })
  it('801: 200 members and their owner are one too many, 199 are not', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `m${index}`)
    for (const accid of many) await service.call(accounts.create, { accid })
    expect(await code(service.call(teams.create, { tname: 't', owner: 'olga', members: many }))).toBe(801)
    const tid = await made('olga', many.slice(1))
    expect(await code(service.call(teams.add, { tid, owner: 'olga', members: ['m0'] }))).toBe(801)
    expect(await info(tid)).toMatchObject({ size: 200, maxusers: 200 })
  })
  it('806: teams of one owner, made or handed over', async () => {
    await service.call(local.updateSettings, { teamsPerOwner: 2 })
    await made('olga', ['adam'])
    const second = await made('olga', ['adam'])
    expect(await code(service.call(teams.create, { tname: 't', owner: 'olga', members: ['adam'] }))).toBe(806)
    const third = await made('adam', ['olga'])
    expect(await code(service.call(teams.changeOwner, { tid: third, owner: 'adam', newowner: 'olga', leave: 1 }))).toBe(
      806,
    )
    await service.call(teams.remove, { tid: second, owner: 'olga' })
    expect(await code(service.call(teams.changeOwner, { tid: third, owner: 'adam', newowner: 'olga', leave: 1 }))).toBe(
      200,
    )
  })
  it('806: 100 teams unless it is set otherwise', async () => {
    for (let count = 0; count < 100; count++) await made('olga', ['adam'])
    expect(await code(service.call(teams.create, { tname: 't', owner: 'olga', members: ['adam'] }))).toBe(806)
  })
  it('200 to a call on someone who has blacklisted the owner: the developer decides', async () => {
    await service.call(relations.set, { accid: 'sara', targetAcc: 'olga', relationType: 1, value: 1 })
    const tid = await made('olga', ['sara'])
    expect((await info(tid)).members).toEqual(['sara'])
  })
  it('200 to a call on a blocked account: it is only kept from logging in', async () => {
    await service.call(accounts.block, { accid: 'sara' })
    const tid = await made('sara', ['olga'])
    expect(await code(service.call(teams.leave, { tid, accid: 'olga' }))).toBe(200)
  })
})
