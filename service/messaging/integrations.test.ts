import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accounts,
  chatrooms,
  friends,
  history,
  live,
  messages,
  recordings,
  relations,
  teams,
} from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { linkUser } from '../link/testing/link-user.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'
import { listFile } from '../recording/testing/listed-file.ts'

/** What client libraries of the hosted service send and read beyond the documents. */
let clock: ManualWallClock
let service: TestService
const people = ['ann', 'bob', 'cat', 'dan'] as const
beforeAll(async () => {
  clock = manualWallClock()
  service = await startService({ clock })
  for (const accid of people) await service.call(accounts.create, { accid, token: `token-${accid}` })
})
afterAll(() => service.close())

const sent = (operation: Operation, fields: object) => service.send(operation, fields)
const team = async (more: object = {}): Promise<string> => {
  const { code, tid } = (await sent(teams.create, { tname: 't', owner: 'ann', members: ['bob', 'cat'], ...more })) as {
    code: number
    tid: string
  }
  expect(code).toBe(200)
  return tid
}
const about = async (tid: string) => (await service.call(teams.query, { tids: [tid], ope: 1 })).tinfos![0]!
const text = (msg: string): string => JSON.stringify({ msg })

describe('teams', () => {
  it('leave an owner out who is listed among the members, alone as well', async () => {
    expect((await about(await team({ members: ['ANN', 'dan'] }))).members).toEqual(['dan'])
    const alone = await team({ members: ['ann'] })
    expect(await about(alone)).toMatchObject({ members: [], size: 1, owner: 'ann' })
    expect((await service.call(teams.add, { tid: alone, owner: 'ann', members: ['ann', 'dan'] })).code).toBe(200)
    expect((await service.call(teams.addManager, { tid: alone, owner: 'ann', members: ['ann', 'dan'] })).code).toBe(200)
    expect(await about(alone)).toMatchObject({ admins: ['dan'], owner: 'ann' })
    expect((await service.call(teams.removeManager, { tid: alone, owner: 'ann', members: ['ann', 'dan'] })).code).toBe(
      200,
    )
    expect(await about(alone)).toMatchObject({ admins: [], members: ['dan'], size: 2 })
  })

  it('put out members in a list as well as one, all of them or none', async () => {
    const tid = await team({ members: ['bob', 'cat', 'dan'] })
    expect((await service.call(teams.kick, { tid, owner: 'ann', members: ['bob', 'ann'] })).code).toBe(403)
    expect((await about(tid)).size).toBe(4)
    expect((await service.call(teams.kick, { tid, owner: 'ann', members: ['bob', 'cat'] })).code).toBe(200)
    expect((await about(tid)).members).toEqual(['dan'])
    expect((await service.call(teams.kick, { tid, owner: 'ann', member: 'dan' })).code).toBe(200)
    expect(await service.call(teams.kick, { tid, owner: 'ann' })).toMatchObject({ code: 414, desc: 'member is empty' })
  })

  it('have a limit of their own, and say when they were made and changed', async () => {
    const tid = await team({ teamMemberLimit: 3 })
    expect(await about(tid)).toMatchObject({ maxusers: 3, createtime: clock.now(), updatetime: clock.now() })
    expect((await service.call(teams.add, { tid, owner: 'ann', members: ['dan'] })).code).toBe(801)
    clock.advance(5)
    expect((await service.call(teams.update, { tid, owner: 'ann', teamMemberLimit: 4 })).code).toBe(200)
    expect(await about(tid)).toMatchObject({ maxusers: 4, createtime: clock.now() - 5, updatetime: clock.now() })
    expect((await service.call(teams.add, { tid, owner: 'ann', members: ['dan'] })).code).toBe(200)
    expect(
      (await sent(teams.create, { tname: 't', owner: 'ann', members: ['bob', 'cat'], teamMemberLimit: 2 })).code,
    ).toBe(801)
    for (const teamMemberLimit of [1, 201]) {
      expect((await sent(teams.create, { tname: 't', owner: 'ann', members: ['bob'], teamMemberLimit })).code).toBe(414)
      expect((await sent(teams.update, { tid, owner: 'ann', teamMemberLimit })).code).toBe(414)
    }
  })

  it('are muted as a whole by muteType as well: ordinary members, or everybody but the owner', async () => {
    const tid = await team()
    await service.call(teams.addManager, { tid, owner: 'ann', members: ['cat'] })
    const speaks = async (): Promise<number[]> =>
      Promise.all(
        ['ann', 'cat', 'bob'].map(
          async (from) => (await service.call(messages.send, { from, ope: 1, to: tid, type: 0, body: text('x') })).code,
        ),
      )
    const mute = async (fields: object): Promise<number> =>
      (await sent(teams.muteTlistAll, { tid, owner: 'ann', ...fields })).code
    expect([await mute({ muteType: 1 }), ...(await speaks()), (await about(tid)).mute]).toEqual([
      200,
      200,
      200,
      403,
      true,
    ])
    expect([await mute({ muteType: 3 }), ...(await speaks()), (await about(tid)).muteType]).toEqual([
      200, 200, 403, 403, 3,
    ])
    expect([await mute({ muteType: 0 }), ...(await speaks()), (await about(tid)).mute]).toEqual([
      200,
      200,
      200,
      200,
      false,
    ])
    // `mute` has precedence.
    expect([
      await mute({ mute: true, muteType: 3 }),
      (await about(tid)).muteType,
      await mute({ mute: false, muteType: 3 }),
      (await about(tid)).muteType,
    ]).toEqual([200, 1, 200, 0])
    expect([await mute({}), await mute({ muteType: 2 })]).toEqual([414, 414])
  })

  it('that do not exist are left out of a query where that is asked for', async () => {
    const tid = await team()
    expect((await sent(teams.query, { tids: [tid, '7'], ope: 0 })).code).toBe(414)
    const { tinfos } = await service.call(teams.query, { tids: [tid, '7'], ope: 0, ignoreInvalid: true })
    expect(tinfos!.map((one) => String(one.tid))).toEqual([tid])
  })
})

describe('accounts', () => {
  it('keep the card of their registration, and say whether they are blocked', async () => {
    const card = {
      sign: 'hi',
      email: 'e@x.example',
      birth: '2000-01-01',
      mobile: '13800000000',
      gender: 2,
      ex: '{"a":1}',
    }
    expect((await sent(accounts.create, { accid: 'eve', name: 'Eve', ...card })).code).toBe(200)
    expect((await sent(accounts.create, { accid: 'fay', mobile: '+44 20 7946 0018', sign: 'hi' })).code).toBe(200)
    await service.call(accounts.block, { accid: 'fay' })
    expect((await service.call(accounts.getUinfos, { accids: ['eve', 'fay'] })).uinfos).toEqual([
      { accid: 'eve', name: 'Eve', ...card, valid: true },
      { accid: 'fay', sign: 'hi', valid: false },
    ])
    expect((await sent(accounts.create, { accid: 'guy', gender: 3 })).code).toBe(414)
  })
})

describe('messages', () => {
  it('may be tips, and are found by their types', async () => {
    for (const [type, body] of [
      [0, text('words')],
      [10, text('a tip')],
      [100, '{"k":1}'],
    ] as const)
      expect((await service.call(messages.send, { from: 'ann', ope: 0, to: 'bob', type, body })).code).toBe(200)
    const found = async (type?: string): Promise<number[]> => {
      const { msgs } = await service.call(history.session, {
        from: 'ann',
        to: 'bob',
        limit: 100,
        reverse: 1,
        endtime: clock.now() + 10_000,
        ...(type !== undefined && { type }),
      })
      return msgs!.map((one) => one.type)
    }
    expect([await found(), await found('10'), await found('0, 100'), await found('6')]).toEqual([
      [0, 10, 100],
      [10],
      [0, 100],
      [],
    ])
    // The limit counts the requested accounts.
    const { msgs } = await service.call(history.session, {
      from: 'ann',
      to: 'bob',
      limit: 1,
      reverse: 1,
      endtime: clock.now() + 10_000,
      type: '100',
    })
    expect(msgs).toMatchObject([{ type: 100 }])
    expect((await sent(history.session, { from: 'ann', to: 'bob', limit: 1, type: 'text' })).code).toBe(414)
    const tid = await team()
    await service.call(messages.send, { from: 'ann', ope: 1, to: tid, type: 10, body: text('tip') })
    const inTeam = await service.call(history.team, {
      tid,
      accid: 'bob',
      limit: 10,
      endtime: clock.now() + 10_000,
      type: '10',
    })
    expect(inTeam.msgs!.map((one) => one.type)).toEqual([10])
  })

  it('of a batch tell their ids where that is asked for', async () => {
    const fields = { fromAccid: 'ann', toAccids: ['bob', 'nobody', 'cat'], type: 0, body: text('all') }
    expect(await sent(messages.sendBatch, fields)).toEqual({ code: 200, unregister: '["nobody"]' })
    const { msgids, timetag, unregister } = await service.call(messages.sendBatch, {
      ...fields,
      returnMsgid: true,
    } as never)
    expect([Object.keys(msgids!), unregister, typeof timetag]).toEqual([['bob', 'cat'], '["nobody"]', 'number'])
    const newest = await service.call(history.session, {
      from: 'ann',
      to: 'cat',
      limit: 1,
      endtime: clock.now() + 10_000,
    })
    expect(newest.msgs![0]!.msgid).toBe((msgids as Record<string, number>)['cat'])
  })

  it('take the other spellings of push parameters', async () => {
    const user = linkUser(service.service.ready.linkUrl, {
      appKey: testCredentials.appKey,
      accid: 'bob',
      token: 'token-bob',
      device: 'd',
    })
    await user.online()
    const tid = await team()
    const push = { pushContent: 'pushed', forcePushList: ['bob'], forcePushContent: 'now' }
    expect((await sent(messages.send, { from: 'ann', ope: 1, to: tid, type: 0, body: text('x'), ...push })).code).toBe(
      200,
    )
    await expect
      .poll(() => user.of('message').filter((one) => one.to === tid && one.type === 0))
      .toMatchObject([{ pushcontent: 'pushed', forcePush: { accids: ['bob'], content: 'now' } }])
    expect(
      (await sent(messages.send, { from: 'ann', ope: 1, to: tid, type: 0, body: text('y'), forcePushAll: true })).code,
    ).toBe(200)
    await expect
      .poll(() => user.of('message').filter((one) => one.to === tid && one.body === text('y')))
      .toMatchObject([{ forcePush: { all: true } }])
    user.close()
    // The document's 150 characters are those of a push, in either spelling.
    for (const name of ['pushcontent', 'pushContent'])
      expect(
        (await sent(messages.send, { from: 'ann', ope: 1, to: tid, type: 0, body: text('x'), [name]: 'p'.repeat(151) }))
          .code,
      ).toBe(414)
  })

  it('are taken back after the time as well where that is asked for', async () => {
    const { data } = await service.call(messages.send, { from: 'ann', ope: 0, to: 'dan', type: 0, body: text('old') })
    const fields = { deleteMsgid: data!.msgid, timetag: data!.timetag, type: 7, from: 'ann', to: 'dan' }
    clock.advance(121_000)
    expect((await sent(messages.recall, fields)).code).toBe(414)
    expect((await sent(messages.recall, { ...fields, ignoreTime: 1 })).code).toBe(200)
    expect(
      (await service.call(history.session, { from: 'ann', to: 'dan', limit: 9, endtime: clock.now() + 10_000 })).msgs,
    ).toEqual([])
  })

  it('name the account that is not registered, whatever the operation', async () => {
    const tid = await team()
    const { roomid } = (await service.call(chatrooms.create, { creator: 'ann', name: 'named' })).chatroom!
    const message = { type: 0, body: text('x') } as const
    const calls: readonly (readonly [Operation, object])[] = [
      [messages.send, { from: 'ann', ope: 0, to: 'ghost', ...message }],
      [messages.send, { from: 'ghost', ope: 0, to: 'ann', ...message }],
      [messages.send, { from: 'ghost', ope: 1, to: tid, ...message }],
      [messages.notify, { from: 'ann', msgtype: 0, to: 'ghost', attach: 'x' }],
      [messages.sendBatch, { fromAccid: 'ghost', toAccids: ['ann'], ...message }],
      [messages.notifyBatch, { fromAccid: 'ghost', toAccids: ['ann'], attach: 'x' }],
      [history.session, { from: 'ann', to: 'ghost', limit: 1 }],
      [history.session, { from: 'ghost', to: 'ann', limit: 1 }],
      [history.team, { tid, accid: 'ghost', limit: 1 }],
      [history.userEvents, { accid: 'ghost', limit: 1 }],
      [accounts.block, { accid: 'ghost' }],
      [accounts.updateUinfo, { accid: 'ghost', sign: 'x' }],
      [friends.add, { accid: 'ann', faccid: 'ghost', type: 1 }],
      [relations.set, { accid: 'ann', targetAcc: 'ghost', relationType: 1, value: 1 }],
      [teams.create, { tname: 't', owner: 'ann', members: ['ghost'] }],
      [teams.add, { tid, owner: 'ann', members: ['ghost'] }],
      [teams.kick, { tid, owner: 'ann', member: 'ghost' }],
      [teams.changeOwner, { tid, owner: 'ann', newowner: 'ghost', leave: 2 }],
      [chatrooms.create, { creator: 'ghost', name: 'r' }],
      [chatrooms.requestAddr, { roomid, accid: 'ghost' }],
      [chatrooms.setMemberRole, { roomid, operator: 'ann', target: 'ghost', opt: 1, optvalue: true }],
      [chatrooms.sendMsg, { roomid, msgId: 'm', fromAccid: 'ghost', msgType: 0, attach: 'x' }],
    ]
    for (const [operation, fields] of calls) {
      const { desc } = await sent(operation, fields)
      expect([operation.path, JSON.stringify(fields), desc]).toEqual([
        operation.path,
        JSON.stringify(fields),
        'ghost is not registered',
      ])
    }
  })
})

describe('what the documents do not have', () => {
  const names = [
    'user/mute',
    'queryChatroomMsg',
    'getBatch',
    'getMarkReadInfo',
    'queryDetail',
    'broadcastMsg',
    'updateMyRoomRole',
    'delMsg',
    'event/subscribe',
    'vod/*',
  ]
  const paths = [
    '/user/mute.action',
    '/history/queryChatroomMsg.action',
    '/chatroom/getBatch.action',
    '/team/getMarkReadInfo.action',
    '/team/queryDetail.action',
    '/msg/broadcastMsg.action',
    '/chatroom/updateMyRoomRole.action',
    '/chatroom/recall.action',
    '/msg/delMsg.action',
    '/event/subscribe/add.action',
  ]
  it('is not there, and the guide names it in both languages', async () => {
    for (const path of [...paths.map((each) => `/nimserver${each}`), '/app/vod/video/list']) {
      const { status } = await service.raw(path, { headers: Object.entries(service.sign()), body: '' })
      expect([path, status]).toEqual([path, 404])
    }
    for (const language of ['en', 'zh']) {
      const page = readFileSync(new URL(`../../docs/guide/${language}/integrating.md`, import.meta.url), 'utf8')
      for (const name of [...names, 'type']) expect(page, `${language} ${name}`).toContain(`\`${name}\``)
    }
  })
})

describe('rooms', () => {
  it('name the kind of a member by a number, as the document says', async () => {
    const { roomid } = (await service.call(chatrooms.create, { creator: 'ann', name: 'numbers' })).chatroom!
    expect(
      (await service.call(chatrooms.setMemberRole, { roomid, operator: 'ann', target: 'bob', opt: 1, optvalue: true }))
        .code,
    ).toBe(200)
    const page = (await service.call(chatrooms.membersByPage, { roomid, type: 0, limit: 100 })).desc as unknown as {
      data: { accid: string; type: unknown }[]
    }
    expect(page.data.map(({ accid, type }) => [accid, type]).sort()).toEqual([
      ['ann', 1],
      ['bob', 2],
    ])
  })

  it('give their address to mini programs too', async () => {
    const { roomid } = (await service.call(chatrooms.create, { creator: 'ann', name: 'room' })).chatroom!
    const { addr } = await service.call(chatrooms.requestAddr, { roomid, accid: 'ann', clienttype: 3 })
    expect(addr).toEqual([new URL(service.service.ready.linkUrl).host])
  })
})

describe('live operations', () => {
  it('take names that are JSON numbers and times with a fraction', async () => {
    const { code, ret } = (await sent(live.create, { name: 71795 })) as {
      code: number
      ret: { cid: string; name: string }
    }
    expect([code, ret.name]).toEqual([200, '71795'])
    const range = { cid: ret.cid, beginTime: clock.now() - 1000.75, endTime: clock.now() + 0.5 }
    expect((await sent(recordings.videoListInRange, range)).code).toBe(200)
    expect((await sent(recordings.videoListInRange, { ...range, beginTime: '1.5e3' })).code).toBe(631)
  })

  it('list recorded files by page until one is empty, and all of them without a page', async () => {
    const { cid } = (await service.call(live.create, { name: 'paged' })).ret!
    const vids: number[] = []
    for (let index = 0; index < 5; index++) vids.push(await listFile(service, cid, clock.now() + index))
    const page = async (fields: { records?: number; pnum?: number }) =>
      (await service.call(recordings.videoList, { cid, ...fields })).ret!
    const walked: number[] = []
    for (let pnum = 1; ; pnum++) {
      const { videoList, totalRecords, totalPnum } = await page({ records: 2, pnum })
      expect([totalRecords, totalPnum]).toEqual([5, 3])
      if (videoList.length === 0) break
      walked.push(...videoList.map(({ vid }) => vid))
    }
    expect(walked).toEqual(vids)
    expect(await page({})).toEqual({ videoList: expect.objectContaining({ length: 5 }) as unknown })
    expect(await page({ pnum: 1 })).toMatchObject({ pnum: 1, records: 10, totalPnum: 1 })
    expect((await page({ records: 3 })).videoList.map(({ vid }) => vid)).toEqual(vids.slice(0, 3))
    for (const wrong of [{ records: 0 }, { pnum: 0 }, { records: 'x' }])
      expect((await sent(recordings.videoList, { cid, ...wrong })).code).toBe(631)
  })
})
