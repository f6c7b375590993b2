import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LinkPush } from '../../contract/link/frames.ts'
import { byApi, byLink, newTeam, rigUid, startTeams, type TeamsRig } from './testing/rig.ts'

// What receivers and the developer get for each operation (3-chatrooms Group notifications, 2-messaging History message
// shapes).

let rig: TeamsRig
let tid: string
beforeEach(async () => {
  rig = await startTeams()
  rig.cards.set('mona', {
    name: 'Mona',
    icon: 'http://m.example',
    sign: 's',
    gender: 2,
    email: 'm@m',
    birth: '2000',
    mobile: '13900000000',
    ex: '{}',
    created: 7,
  })
  rig.cards.set('sara', { name: '', gender: null, created: 8 })
  tid = await rig.made('olga', ['adam', 'mona'], { announcement: 'at eight', intro: 'we sing', custom: 'c', icon: 'i' })
})
afterEach(() => rig.close())

/** The last event: frame, body, receivers, copy. */
function last(back = 1) {
  const frame = rig.delivered.at(-back)!.frame as LinkPush<'message'>
  const copy = rig.copies.at(-back)!
  const attach = JSON.parse(copy.attach ?? '{}') as {
    id: number
    data: { ids?: string[]; id?: string; tinfo?: Record<string, string>; uinfos: Record<string, string>[] }
  }
  return {
    frame,
    body: JSON.parse(frame.body) as Record<string, unknown>,
    to: rig.audience.at(-back)!,
    copy,
    ...attach,
  }
}
const accidsIn = (uinfos: readonly Record<string, string>[]): string[] => uinfos.map((uinfo) => uinfo['1']!)

describe('a notice', () => {
  it('is a message of type 5 that is kept, neither pushed nor counted, with all of tinfo and uinfos as strings', () => {
    const { frame, copy, data, id, body, to } = last()
    const now = String(rig.clock.now())
    expect(frame).toMatchObject({
      t: 'message',
      scene: 'team',
      from: 'olga',
      to: tid,
      type: 5,
      fromNick: 'olga!',
      fromClientType: 'REST',
      push: false,
      badge: false,
    })
    expect(rig.delivered.at(-1)!.keep).toEqual({ history: true, roam: true, offline: true })
    expect(body).toEqual({
      tid: Number(tid),
      tname: 'choir',
      ope: 0,
      accids: ['adam', 'mona'],
      updatetime: rig.clock.now(),
    })
    expect(to).toEqual(['adam', 'mona', 'olga'])
    expect(id).toBe(0)
    expect(data).toEqual({ ids: ['adam', 'mona'], tinfo: frame.tinfo, uinfos: frame.uinfos })
    expect(data.tinfo).toEqual({
      1: tid,
      3: 'choir',
      4: '1',
      5: 'olga',
      8: '1',
      9: '3',
      10: now,
      11: now,
      12: now,
      14: 'we sing',
      15: JSON.stringify([
        { title: '', content: 'at eight', creator: 'olga', time: Math.floor(rig.clock.now() / 1000) },
      ]),
      16: '0',
      18: 'c',
      20: 'i',
      21: '0',
      22: '0',
      23: '0',
      24: '0',
    })
    expect(data.uinfos).toEqual([
      { 1: 'adam', 3: 'adam!', 12: '1000' },
      {
        1: 'mona',
        3: 'Mona',
        4: 'http://m.example',
        5: 's',
        6: '2',
        7: 'm@m',
        8: '2000',
        9: '13900000000',
        10: '{}',
        12: '7',
      },
      { 1: 'olga', 3: 'olga!', 12: '1000' },
    ])
    expect(copy).toEqual({
      eventType: '1',
      convType: 'TEAM',
      msgType: 'NOTIFICATION',
      to: tid,
      fromAccount: 'olga',
      fromClientType: 'REST',
      fromNick: 'olga!',
      msgTimestamp: now,
      msgidServer: String(frame.seq),
      resendFlag: '0',
      attach: copy.attach,
      tMembers: '[olga]',
    })
  })
  it('leaves out what a card and a team do not have', async () => {
    tid = await rig.made('olga', ['sara'])
    expect(last().data.uinfos[0]).toEqual({ 1: 'sara', 12: '8' })
    expect(Object.keys(last().data.tinfo!)).toEqual([
      '1',
      '3',
      '4',
      '5',
      '8',
      '9',
      '10',
      '11',
      '12',
      '16',
      '21',
      '22',
      '23',
      '24',
    ])
  })
  it('says with what it was done', async () => {
    await rig.teams.leave(rigUid, tid, byLink('mona'))
    expect(last().frame.fromClientType).toBe('WEB')
    expect(last().copy).toMatchObject({ fromClientType: 'WEB', fromDeviceId: 'mona-device', fromNick: 'Mona' })
  })
})

describe('operation', () => {
  it('0 pull in: the added in ids, told to the former members, read by all', async () => {
    await rig.teams.add(rigUid, tid, byApi('olga'), {
      accids: ['sara', 'stan', 'sara', 'mona'],
      agree: false,
      attach: '{"x":1}',
    })
    const { id, data, copy, to, body, frame } = last()
    expect([id, data.ids, data.tinfo!['9'], accidsIn(data.uinfos), copy.tMembers]).toEqual([
      0,
      ['sara', 'stan'],
      '5',
      ['sara', 'stan', 'olga'],
      '[olga, adam, mona]',
    ])
    expect([frame.ext, copy.ext]).toEqual(['{"x":1}', '{"x":1}'])
    expect(to).toEqual(['adam', 'mona', 'olga', 'sara', 'stan'])
    expect(body.accids).toEqual(['sara', 'stan'])
    expect(data).not.toHaveProperty('id')
    // New members read from here on, others from their entry.
    const since = (accid: string): number => rig.team(tid).members.get(accid)!.since
    expect([since('sara'), since('mona') < frame.seq!]).toEqual([frame.seq, true])
  })
  it('1 kick: who was put out learns it too, but is no valid member', async () => {
    await rig.teams.kick(rigUid, tid, byApi('olga'), ['mona'], 'why')
    const { id, data, copy, to, body } = last()
    expect([id, data.ids, data.tinfo!['9'], accidsIn(data.uinfos), copy.tMembers, copy.ext]).toEqual([
      1,
      ['mona'],
      '2',
      ['mona', 'olga'],
      '[olga, adam]',
      'why',
    ])
    expect([to, body.ope, body.accids]).toEqual([['adam', 'mona', 'olga'], 1, ['mona']])
  })
  it('2 leave', async () => {
    await rig.teams.leave(rigUid, tid, byApi('mona'))
    const { id, data, copy, to, body, frame } = last()
    expect([id, data.tinfo!['9'], accidsIn(data.uinfos), copy.tMembers, frame.from]).toEqual([
      2,
      '2',
      ['mona'],
      '[olga, adam]',
      'mona',
    ])
    expect(Object.keys(data)).toEqual(['tinfo', 'uinfos'])
    expect([to, body.ope, body.accids]).toEqual([['adam', 'mona', 'olga'], 2, ['mona']])
  })
  it('3 update: the changed items only, and nothing at all when nothing changes', async () => {
    rig.clock.advance(5000)
    const now = String(rig.clock.now())
    await rig.teams.update(rigUid, tid, byApi('olga'), {
      tname: 'band',
      intro: '',
      announcement: 'at nine',
      joinmode: 2,
      custom: 'd',
      icon: 'i',
      upcustommode: 1,
    })
    const { id, data, copy, body } = last()
    expect([id, accidsIn(data.uinfos), copy.tMembers]).toEqual([3, ['olga'], '[olga, adam, mona]'])
    const announced = JSON.stringify([
      { title: '', content: 'at nine', creator: 'olga', time: Math.floor(rig.clock.now() / 1000) },
    ])
    expect(data.tinfo).toEqual({ 1: tid, 3: 'band', 12: now, 14: '', 15: announced, 16: '2', 18: 'd', 24: '1' })
    expect(body).toEqual({
      tid: Number(tid),
      tname: 'band',
      ope: 3,
      intro: '',
      announcement: 'at nine',
      joinmode: 2,
      config: 'd',
      updatetime: rig.clock.now(),
    })
    const count = rig.delivered.length
    await rig.teams.update(rigUid, tid, byApi('olga'), { tname: 'band', joinmode: 2 })
    await rig.teams.update(rigUid, tid, byApi('olga'), {})
    expect(rig.delivered).toHaveLength(count)
  })
  it('3 also tells that all are muted, once', async () => {
    await rig.teams.setMutedAll(rigUid, tid, byApi('olga'), 1)
    await rig.teams.setMutedAll(rigUid, tid, byApi('olga'), 1)
    expect([rig.delivered.length, last().body.mute, Object.keys(last().data.tinfo!)]).toEqual([2, true, ['1', '12']])
    await rig.teams.setMutedAll(rigUid, tid, byApi('olga'), 0)
    expect(last().body).toMatchObject({ ope: 3, mute: false })
  })
  it('4 dissolve: all members learn it, and the developer', async () => {
    await rig.teams.dissolve(rigUid, tid, byApi('olga'))
    const { id, data, copy, to, body } = last()
    expect([id, Object.keys(data), accidsIn(data.uinfos), copy.tMembers]).toEqual([
      4,
      ['uinfos'],
      ['olga'],
      '[olga, adam, mona]',
    ])
    expect([to, body]).toEqual([
      ['adam', 'mona', 'olga'],
      { tid: Number(tid), tname: 'choir', ope: 4, updatetime: rig.clock.now() },
    ])
  })
  it('5 joined without asking: two identical entries of the applicant', async () => {
    expect(await rig.teams.apply(rigUid, tid, byLink('sara'))).toBe(true)
    const { id, data, copy, to, body, frame } = last()
    expect([id, data.id, data.tinfo!['9'], accidsIn(data.uinfos), copy.tMembers]).toEqual([
      5,
      'sara',
      '4',
      ['sara', 'sara'],
      '[olga, adam, mona, sara]',
    ])
    expect(data.uinfos[0]).toEqual(data.uinfos[1])
    expect(data).not.toHaveProperty('ids')
    expect([to, body.ope, body.accids, frame.from]).toEqual([['adam', 'mona', 'olga', 'sara'], 5, ['sara'], 'sara'])
  })
  it('5 application allowed: by owner or admin', async () => {
    await rig.teams.update(rigUid, tid, byApi('olga'), { joinmode: 1 })
    expect(await rig.teams.apply(rigUid, tid, byLink('sara'))).toBe(false)
    await rig.teams.answerApplication(rigUid, tid, byLink('olga'), 'sara', true)
    const { id, data, copy, frame } = last()
    expect([id, data.id, accidsIn(data.uinfos), copy.tMembers, frame.from]).toEqual([
      5,
      'sara',
      ['sara', 'olga'],
      '[olga, adam, mona, sara]',
      'olga',
    ])
  })
  it('6 handed over: the former owner stays', async () => {
    await rig.teams.changeOwner(rigUid, tid, byApi('olga'), 'mona', false)
    const { id, data, copy, body, to } = last()
    expect([id, data.id, data.tinfo!['5'], accidsIn(data.uinfos), copy.tMembers]).toEqual([
      6,
      'mona',
      'mona',
      ['mona', 'olga'],
      '[olga, adam, mona]',
    ])
    expect([body.ope, body.accids, to]).toEqual([6, ['mona'], ['adam', 'mona', 'olga']])
  })
  it('6 handed over, and 2 when the former owner leaves', async () => {
    await rig.teams.changeOwner(rigUid, tid, byApi('olga'), 'mona', true)
    expect([last(2).id, last(2).data.id, last(2).to]).toEqual([6, 'mona', ['adam', 'mona', 'olga']])
    const { id, data, copy, to, body } = last()
    expect([id, data.tinfo!['9'], accidsIn(data.uinfos), copy.tMembers]).toEqual([2, '2', ['olga'], '[adam, mona]'])
    expect([to, body.accids]).toEqual([['adam', 'mona', 'olga'], ['olga']])
  })
  it.each([
    [7, true],
    [8, false],
  ])('%i admins: those whose role changes, without tinfo', async (ope, admin) => {
    if (!admin) await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['mona', 'adam'], true)
    else await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: false })
    await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['mona', 'mona'], admin)
    const { id, data, copy, body } = last()
    expect([id, data.ids, Object.keys(data), accidsIn(data.uinfos)]).toEqual([
      ope,
      ['mona'],
      ['ids', 'uinfos'],
      ['olga', 'mona'],
    ])
    expect(copy.tMembers).toBe(admin ? '[olga, adam, mona, sara]' : '[olga, adam, mona]')
    expect(body.accids).toEqual(['mona'])
    const count = rig.delivered.length
    await rig.teams.setAdmins(rigUid, tid, byApi('olga'), ['mona'], admin)
    expect(rig.delivered).toHaveLength(count)
  })
  it('9 invitation accepted: id is who invited', async () => {
    await rig.teams.add(rigUid, tid, byApi('olga'), { accids: ['sara'], agree: true })
    await rig.teams.answerInvitation(rigUid, tid, byLink('sara'), true)
    const { id, data, copy, to, body, frame } = last()
    expect([id, data.id, data.tinfo!['9'], accidsIn(data.uinfos), copy.tMembers]).toEqual([
      9,
      'olga',
      '4',
      ['sara', 'olga'],
      '[olga, adam, mona, sara]',
    ])
    expect([to, body.ope, body.accids, frame.from]).toEqual([['adam', 'mona', 'olga', 'sara'], 9, ['sara'], 'sara'])
  })
})

describe('without a notice', () => {
  it('nicknames and reminders change, and the member learns of mute and reminders at once', async () => {
    const count = rig.delivered.length
    await rig.teams.setNick(rigUid, tid, byApi('olga'), 'mona', 'M')
    await rig.teams.setQuiet(rigUid, tid, 'mona', true)
    await rig.teams.setMuted(rigUid, tid, byApi('olga'), 'mona', true)
    await rig.teams.setMuted(rigUid, tid, byApi('olga'), 'mona', true)
    expect(rig.delivered).toHaveLength(count)
    expect(rig.settings).toEqual([
      { accid: 'mona', setting: { tid, quiet: true } },
      { accid: 'mona', setting: { tid, muted: true } },
    ])
  })
  it('a team whose members must agree begins with its owner alone', async () => {
    const count = rig.delivered.length
    const asked = await rig.teams.create(rigUid, byApi('olga'), { ...newTeam(['mona', 'sara'], {}, true), msg: 'come' })
    expect(rig.delivered).toHaveLength(count + 1)
    expect(rig.delivered.at(-1)!.frame).toMatchObject({
      t: 'teamInvite',
      tid: String(asked),
      from: 'olga',
      to: ['mona', 'sara'],
      msg: 'come',
    })
    expect([...rig.team(String(asked)).members.keys()]).toEqual(['olga'])
    expect([...rig.team(String(asked)).invitations.keys()]).toEqual(['mona', 'sara'])
  })
})
