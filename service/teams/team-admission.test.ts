import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { byApi, byLink, codeOf, rigUid, startTeams, type TeamsRig } from './testing/rig.ts'

let rig: TeamsRig
let tid: string
beforeEach(async () => {
  rig = await startTeams()
  tid = await rig.made('olga', ['adam', 'mona'], { joinmode: 1, invitemode: 1 })
  await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['adam'], true)
})
afterEach(() => rig.close())

const last = () => ({
  frame: rig.delivered.at(-1)!.frame,
  to: rig.audience.at(-1),
  hidden: rig.delivered.at(-1)!.hidden ?? false,
  copy: rig.copies.at(-1)!,
})
const since = (): number => rig.delivered.length

describe('an invitation', () => {
  it('reaches the invited alone, for those who are offline too, but is no message of the team', async () => {
    await rig.teams.add(rigUid, tid, byApi('olga'), {
      accids: ['sara', 'stan', 'sara', 'mona'],
      agree: true,
      msg: 'come',
      attach: '{"x":1}',
    })
    const { frame, to, copy } = last()
    expect(frame).toEqual({
      t: 'teamInvite',
      seq: frame.seq,
      at: rig.clock.now(),
      tid,
      tname: 'choir',
      from: 'olga',
      to: ['sara', 'stan'],
      msg: 'come',
      attach: '{"x":1}',
    })
    expect(to).toEqual(['sara', 'stan'])
    expect(rig.delivered.at(-1)!.keep).toEqual({ history: false, roam: true, offline: true })
    expect(copy).toMatchObject({
      convType: 'CUSTOM_TEAM',
      msgType: 'TEAM_INVITE',
      to: tid,
      fromAccount: 'olga',
      body: 'come',
      tMembers: '[sara, stan]',
      customSafeFlag: '1',
    })
    expect((JSON.parse(copy.attach!) as { tinfo: Record<string, string> }).tinfo).toMatchObject({
      1: tid,
      3: 'choir',
      9: '3',
    })
  })
  it('that is rejected tells who invited, and can be given again', async () => {
    await rig.teams.add(rigUid, tid, byLink('mona'), { accids: ['sara'] })
    await rig.teams.answerInvitation(rigUid, tid, byLink('sara'), false, 'no time')
    const { frame, to, copy } = last()
    expect(frame).toMatchObject({
      t: 'teamRefused',
      tid,
      tname: 'choir',
      from: 'sara',
      to: 'mona',
      what: 'invitation',
      msg: 'no time',
    })
    expect(to).toEqual(['mona'])
    expect(copy).toMatchObject({ msgType: 'TEAM_INVITE_REJECT', body: '', fromAccount: 'sara', fromClientType: 'WEB' })
    expect(copy).not.toHaveProperty('attach')
    expect(await codeOf(rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true))).toBe(414)
    await rig.teams.add(rigUid, tid, byLink('mona'), { accids: ['sara'] })
    await rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true)
    expect(rig.team(tid).members.has('sara')).toBe(true)
    expect(await codeOf(rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true))).toBe(414)
  })
  it('and an application are done with once the account is in by another way', async () => {
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: true })
    await rig.teams.apply(rigUid, tid, byLink('sara'))
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: false })
    expect([rig.team(tid).invitations.size, rig.team(tid).applications.size]).toEqual([0, 0])
    expect(await codeOf(rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true))).toBe(414)
    expect(await codeOf(rig.teams.answerApplication(rigUid, tid, byLink('olga'), 'sara', true))).toBe(414)
  })
  it('cannot be accepted once the team is full, and stays for later', async () => {
    rig.limits.teamSize = 4
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: true })
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['stan'], agree: false })
    expect(await codeOf(rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true))).toBe(801)
    await rig.teams.kick(rigUid, tid, byApi('olga'), ['stan'])
    expect(await codeOf(rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true))).toBe(200)
  })
})

describe('an account that has blacklisted the inviter', () => {
  beforeEach(() => void rig.blacklists.add('sara/olga'))

  it('is invited to all appearances, and never learns it', async () => {
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara', 'stan'], agree: true })
    expect([last().frame, last().to, last().hidden]).toEqual([
      expect.objectContaining({ to: ['sara', 'stan'] }),
      ['stan'],
      false,
    ])
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: true })
    expect(last().hidden).toBe(true)
    expect(await codeOf(rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true))).toBe(414)
  })
  it('is not pulled in by a client, though others of the same call are; the developer may', async () => {
    await rig.teams.update(rigUid, tid, byApi('olga'), { beinvitemode: 1 })
    const before = since()
    await rig.teams.add(rigUid, tid, byLink('olga'), { accids: ['sara'] })
    expect([rig.team(tid).members.has('sara'), since()]).toEqual([false, before])
    await rig.teams.add(rigUid, tid, byLink('olga'), { accids: ['sara', 'stan'] })
    expect([rig.team(tid).members.has('sara'), rig.team(tid).members.has('stan')]).toEqual([false, true])
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: false })
    expect(rig.team(tid).members.has('sara')).toBe(true)
  })
})

describe('an application', () => {
  it('goes to owner and admins, once while it waits', async () => {
    expect(await rig.teams.apply(rigUid, tid, byLink('sara'), 'let me in')).toBe(false)
    const { frame, to, copy } = last()
    expect(frame).toEqual({
      t: 'teamApply',
      seq: frame.seq,
      at: rig.clock.now(),
      tid,
      tname: 'choir',
      from: 'sara',
      msg: 'let me in',
    })
    expect(to).toEqual(['adam', 'olga'])
    expect(copy).toMatchObject({
      convType: 'CUSTOM_TEAM',
      msgType: 'TEAM_APPLY',
      body: 'let me in',
      fromAccount: 'sara',
      tMembers: '[olga, adam]',
    })
    const before = since()
    expect(await rig.teams.apply(rigUid, tid, byLink('sara'), 'please')).toBe(false)
    expect(since()).toBe(before)
  })
  it('that is rejected tells the applicant, who may ask again', async () => {
    await rig.teams.apply(rigUid, tid, byLink('sara'))
    await rig.teams.answerApplication(rigUid, tid, byLink('adam'), 'sara', false, 'sorry')
    const { frame, to, copy } = last()
    expect(frame).toMatchObject({ t: 'teamRefused', from: 'adam', to: 'sara', what: 'application', msg: 'sorry' })
    expect(to).toEqual(['sara'])
    expect(copy).toMatchObject({ msgType: 'TEAM_APPLY_REJECT', fromAccount: 'adam', tMembers: '[sara]' })
    expect(JSON.parse(copy.attach!)).toMatchObject({ tinfo: { 1: tid } })
    const before = since()
    await rig.teams.apply(rigUid, tid, byLink('sara'))
    expect(since()).toBe(before + 1)
  })
  it('cannot be accepted once the team is full, and stays for later; nor can one join a full team', async () => {
    await rig.teams.apply(rigUid, tid, byLink('sara'))
    rig.limits.teamSize = 3
    expect(await codeOf(rig.teams.answerApplication(rigUid, tid, byLink('adam'), 'sara', true))).toBe(801)
    await rig.teams.update(rigUid, tid, byApi('olga'), { joinmode: 0 })
    expect(await codeOf(rig.teams.apply(rigUid, tid, byLink('stan')))).toBe(801)
    rig.limits.teamSize = 4
    expect(await codeOf(rig.teams.answerApplication(rigUid, tid, byLink('adam'), 'sara', true))).toBe(200)
  })
  it('does not reach leaders who have blacklisted the applicant, and nobody can tell', async () => {
    rig.blacklists.add('olga/sara')
    expect(await rig.teams.apply(rigUid, tid, byLink('sara'))).toBe(false)
    expect([last().to, last().hidden]).toEqual([['adam'], false])
    rig.blacklists.add('adam/stan').add('olga/stan')
    expect(await rig.teams.apply(rigUid, tid, byLink('stan'))).toBe(false)
    expect(last().hidden).toBe(true)
    expect(await codeOf(rig.teams.answerApplication(rigUid, tid, byLink('olga'), 'stan', true))).toBe(414)
  })
})
