import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accounts,
  friends,
  history,
  local,
  messages,
  operations,
  relations,
  teams,
} from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { TestAnswer } from '../testing/signed-client.ts'
import { startService, type TestService } from '../testing/start-service.ts'

// accids are case-insensitive (2-messaging Account; behaviour.md#identifiers): created as Bob, used as BOB.
let service: TestService
const called = new Set<string>()
beforeAll(async () => {
  service = await startService()
  for (const accid of ['Bob', 'Amy', 'Eve', 'Joe'])
    expect((await send(accounts.create, { accid })).info?.accid).toBe(accid.toLowerCase())
})
afterAll(() => service.close())

async function send<O extends Operation>(operation: O, args: object): Promise<TestAnswer<O>> {
  called.add(operation.path)
  return service.send(operation, args)
}
const fine = async <O extends Operation>(operation: O, args: object): Promise<TestAnswer<O>> => {
  const answer = await send(operation, args)
  expect([operation.path, answer.code, answer.desc]).toEqual([operation.path, 200, undefined])
  return answer
}
const body = '{"msg":"hi"}'

describe('Bob is BOB', () => {
  it('in accounts, friends and lists', async () => {
    expect((await send(accounts.create, { accid: 'BOB' })).desc).toBe('already register')
    await fine(accounts.update, { accid: 'BOB', props: '{}' })
    expect((await fine(accounts.refreshToken, { accid: 'BOB' })).info?.accid).toBe('bob')
    await fine(accounts.block, { accid: 'BOB', needkick: true })
    await fine(accounts.unblock, { accid: 'bOB' })
    await fine(accounts.updateUinfo, { accid: 'BOB', sign: 's' })
    await fine(accounts.setDonnop, { accid: 'BOB', donnopOpen: true })
    expect((await fine(accounts.getUinfos, { accids: ['BOB', 'AMY'] })).uinfos?.map(({ accid }) => accid)).toEqual([
      'bob',
      'amy',
    ])
    await fine(friends.add, { accid: 'BOB', faccid: 'AMY', type: 1 })
    await fine(friends.update, { accid: 'BOB', faccid: 'AMY', alias: 'a' })
    expect((await fine(friends.get, { accid: 'BOB' })).friends).toMatchObject([{ faccid: 'amy', alias: 'a' }])
    await fine(friends.remove, { accid: 'AMY', faccid: 'BOB' })
    await fine(relations.set, { accid: 'BOB', targetAcc: 'EVE', relationType: 2, value: 1 })
    expect((await fine(relations.list, { accid: 'BOB' })).mutelist).toEqual(['eve'])
    expect((await fine(local.accounts, { after: 'BOA', search: 'BO' })).ret?.list.map(({ accid }) => accid)).toEqual([
      'bob',
    ])
    await fine(local.endSessions, { accid: 'BOB' })
  })

  it('as sender and recipient of messages, in recalls and in the history', async () => {
    const { msgid, timetag } = (await fine(messages.send, { from: 'BOB', ope: 0, to: 'AMY', type: 0, body })).data!
    await fine(messages.notify, { from: 'BOB', msgtype: 0, to: 'AMY', attach: 'x' })
    expect(
      (await fine(messages.sendBatch, { fromAccid: 'BOB', toAccids: ['AMY', 'EVE', 'NoBody'], type: 0, body }))
        .unregister,
    ).toBe('["nobody"]')
    expect(
      (await fine(messages.notifyBatch, { fromAccid: 'BOB', toAccids: ['AMY', 'NoBody'], attach: 'x' })).unregister,
    ).toBe('["nobody"]')
    const found = await fine(history.session, {
      from: 'AMY',
      to: 'BOB',
      begintime: 0,
      endtime: timetag + 60_000,
      limit: 100,
      reverse: 1,
    })
    expect(found.msgs).toMatchObject([{ msgid, from: 'bob' }, { from: 'bob' }])
    await fine(messages.recall, { deleteMsgid: msgid, timetag, type: 7, from: 'BOB', to: 'AMY' })
    expect((await fine(history.session, { from: 'bob', to: 'amy', endtime: timetag + 60_000, limit: 100 })).size).toBe(
      1,
    )
    await fine(history.userEvents, { accid: 'BOB', limit: 1 })
  })

  it('as owner, admin and member of teams', async () => {
    const { tid = '' } = await fine(teams.create, { tname: 't', owner: 'BOB', members: ['AMY'] })
    await fine(teams.add, { tid, owner: 'BOB', members: ['EVE', 'JOE'] })
    await fine(teams.addManager, { tid, owner: 'BOB', members: ['AMY'] })
    const [found] = (await fine(teams.query, { tids: [tid], ope: 1 })).tinfos!
    expect([found?.owner, found?.admins, found?.members?.toSorted()]).toEqual(['bob', ['amy'], ['eve', 'joe']])
    await fine(teams.removeManager, { tid, owner: 'BOB', members: ['AMY'] })
    await fine(teams.update, { tid, owner: 'BOB', tname: 'u' })
    await fine(teams.updateTeamNick, { tid, owner: 'BOB', accid: 'AMY', nick: 'n' })
    await fine(teams.muteTeam, { tid, accid: 'AMY', ope: 1 })
    await fine(teams.muteTlist, { tid, owner: 'BOB', accid: 'EVE', mute: 1 })
    expect((await fine(teams.listTeamMute, { tid, owner: 'BOB' })).mutes).toMatchObject([{ accid: 'eve' }])
    await fine(teams.muteTlistAll, { tid, owner: 'BOB', mute: false })
    const { msgid, timetag } = (
      await fine(messages.send, { from: 'AMY', ope: 1, to: tid, type: 0, body, forcepushlist: ['BOB'] })
    ).data!
    expect(
      (await fine(history.team, { tid, accid: 'BOB', endtime: timetag + 60_000, limit: 100 })).msgs,
    ).toContainEqual(expect.objectContaining({ msgid, from: 'amy' }))
    await fine(messages.recall, { deleteMsgid: msgid, timetag, type: 8, from: 'AMY', to: tid })
    expect((await fine(teams.joinTeams, { accid: 'AMY' })).infos).toMatchObject([{ owner: 'bob' }])
    await fine(teams.kick, { tid, owner: 'BOB', member: 'EVE' })
    await fine(teams.leave, { tid, accid: 'JOE' })
    await fine(teams.changeOwner, { tid, owner: 'BOB', newowner: 'AMY', leave: 2 })
    await fine(teams.remove, { tid, owner: 'AMY' })
  })

  it('in every operation that has an accid', () => {
    const named = operations.filter(
      ({ document, parameters }) =>
        document === 2 &&
        Object.values(parameters).some(
          (field) =>
            (field.kind === 'text' && field.fold) ||
            (field.kind === 'list' && field.of.kind === 'text' && field.of.fold),
        ),
    )
    expect(named.filter(({ path }) => !called.has(path)).map(({ path }) => path)).toEqual([])
  })
})
