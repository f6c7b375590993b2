import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accounts, friends, local, messages, teams } from '../../contract/operations/index.ts'
import { linkUser } from '../link/testing/link-user.ts'
import { startPythonReceiver, type PythonReceiver } from '../outbox/testing/python-receiver.ts'
import { waitFor } from '../outbox/testing/wait.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'

let service: TestService
let python: PythonReceiver
beforeEach(async () => {
  service = await startService()
  python = await startPythonReceiver(testCredentials.appSecret, [], 'copy-receiver.py')
  for (const accid of ['ann', 'bob', 'eve']) await service.call(accounts.create, { accid, name: accid.toUpperCase() })
  await service.call(local.setCopyTarget, { url: python.url, kinds: [1] })
})
afterEach(async () => {
  python.close()
  await service.close()
})
/** Received copies without the probe, once there are enough. */
const copies = async (count: number): Promise<readonly Readonly<Record<string, string>>[]> => {
  await waitFor(`${count} copies`, () => python.requests.length > count)
  expect(python.requests.every(({ verified, allText, chunked }) => verified && allText && !chunked)).toBe(true)
  return python.requests.slice(1).map(({ fields }) => fields)
}
const text = (msg: string): string => JSON.stringify({ msg })

describe('the receive address', () => {
  it('gets a copy of every message sent with route, with the fields of its kind', async () => {
    const send = { from: 'ann', ope: 0, to: 'bob' } as const
    const { data } = await service.call(messages.send, { ...send, type: 0, body: text('晚上好 & =🎬'), ext: '{"k":1}' })
    await service.call(messages.send, { ...send, type: 0, body: text('not routed'), option: '{"route":false}' })
    const picture = '{"name":"a","md5":"m","url":"http://h/a.png","ext":"png","w":1,"h":2,"size":3}'
    await service.call(messages.send, { ...send, type: 1, body: picture })
    await service.call(messages.notify, {
      from: 'bob',
      msgtype: 0,
      to: 'ann',
      attach: '{"a":1}',
      pushcontent: 'push',
      save: 1,
    })
    const [first, second, third] = await copies(3)
    expect(first).toMatchObject({
      eventType: '1',
      convType: 'PERSON',
      to: 'bob',
      fromAccount: 'ann',
      fromClientType: 'REST',
      msgTimestamp: String(data!.timetag),
      msgType: 'TEXT',
      body: '晚上好 & =🎬',
      msgidServer: String(data!.msgid),
      resendFlag: '0',
      ext: '{"k":1}',
    })
    expect(first).not.toHaveProperty('antispam')
    expect(second).toMatchObject({ msgType: 'PICTURE' })
    expect(JSON.parse(second!['attach']!)).toEqual(JSON.parse(picture))
    expect(third).toMatchObject({
      convType: 'CUSTOM_PERSON',
      msgType: 'CUSTOM_P2P_MSG',
      to: 'ann',
      fromAccount: 'bob',
      attach: '{"a":1}',
      customSafeFlag: '0',
      customApnsText: 'push',
    })
    const log = (await service.call(local.deliveries, { kind: 'copy' })).ret!
    await waitFor('the log', async () => (await service.call(local.deliveries, { kind: 'copy' })).ret!.waiting === 0)
    expect(log.list).toHaveLength(3)
    expect(log.list[0]).toMatchObject({ kind: 'copy', url: python.url })
    expect((await service.call(local.deliveries, { kind: 'recording' })).ret).toEqual({ list: [], waiting: 0 })
    expect((await service.send(local.deliveries, { kind: 'other' })).code).toBe(631)
  })

  it('learns of friends, and of teams with their members', async () => {
    await service.call(friends.add, { accid: 'ann', faccid: 'bob', type: 1, msg: 'hello' })
    await service.call(friends.remove, { accid: 'ann', faccid: 'bob' })
    const [added, ended] = await copies(2)
    expect(added).toMatchObject({ convType: 'CUSTOM_PERSON', msgType: 'FRIEND_ADD', fromAccount: 'ann', to: 'bob' })
    expect(JSON.parse(added!['attach']!)).toMatchObject({ vt: 1 })
    expect(ended).toMatchObject({ msgType: 'FRIEND_DELETE' })
    expect(ended).not.toHaveProperty('attach')

    const { tid } = await service.call(teams.create, {
      tname: 'crew',
      owner: 'ann',
      members: ['bob', 'eve'],
      msg: 'join',
      magree: 0,
      joinmode: 0,
    })
    await waitFor('the notices of the team', () => python.requests.some(({ fields }) => fields['convType'] === 'TEAM'))
    const before = python.requests.length - 1
    await service.call(messages.send, { from: 'ann', ope: 1, to: String(tid), type: 0, body: text('hi') })
    const said = (await copies(before + 1)).find(({ msgType, convType }) => convType === 'TEAM' && msgType === 'TEXT')
    expect(said).toMatchObject({ to: String(tid), body: 'hi' })
    expect(said!['tMembers']).toMatch(/^\[(bob, eve|eve, bob)\]$/)
    const notice = python.requests.map(({ fields }) => fields).find(({ msgType }) => msgType === 'NOTIFICATION')
    expect(JSON.parse(notice!['attach']!)).toMatchObject({
      id: 0,
      data: { ids: expect.arrayContaining(['bob', 'eve']) as string[] },
    })
  })

  it('gets what the word list caught with antispam, and nothing once copying has ended', async () => {
    await service.call(local.setWords, { words: ['秘密'] })
    await service.call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body: text('一个秘密') })
    expect((await copies(1))[0]).toMatchObject({ antispam: 'true', body: '一个秘密' })
    await service.call(local.setCopyTarget, {})
    await service.call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body: text('later') })
    await service.call(local.setCopyTarget, { url: python.url })
    await service.call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body: text('last') })
    await waitFor('the last', () => python.requests.some(({ fields }) => fields['body'] === 'last'))
    expect(python.requests.some(({ fields }) => fields['body'] === 'later')).toBe(false)
  })

  it('learns of log-ins and log-outs when those kinds are active', async () => {
    await service.call(local.setCopyTarget, { url: python.url, kinds: [2, 3] })
    const probes = python.requests.length
    const { token } = (await service.call(accounts.create, { accid: 'max' })).info!
    const user = linkUser(service.service.ready.linkUrl, {
      appKey: testCredentials.appKey,
      accid: 'Max',
      token,
      sdkVersion: '7',
    })
    await user.online()
    await waitFor('the log-in', () => python.requests.length === probes + 1)
    user.close()
    await waitFor('the log-out', () => python.requests.length === probes + 2)
    const [login, logout] = python.requests.slice(probes).map(({ fields }) => fields)
    expect(login).toMatchObject({
      eventType: '2',
      accid: 'max',
      clientIp: '127.0.0.1',
      clientType: 'WEB',
      code: '200',
      sdkVersion: '7',
    })
    expect(Number(login!['timestamp'])).toBeGreaterThan(1_700_000_000_000)
    expect(logout).toMatchObject({ eventType: '3', accid: 'max', clientType: 'WEB' })
    expect(python.requests.every(({ verified, allText }) => verified && allText)).toBe(true)
  })
})
