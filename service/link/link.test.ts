import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { accounts, friends, history, local, messages, relations, teams } from '../../contract/operations/index.ts'
import { LinkFailure } from '../../contract/link/client-calls.ts'
import { startReceiver } from '../outbox/testing/receiver.ts'
import { eventually } from '../testing/eventually.ts'
import { promised } from '../testing/machine-pace.ts'
import { startService, testCredentials, type TestService } from '../testing/start-service.ts'
import { linkUser, type LinkUser } from './testing/link-user.ts'

let service: TestService
const tokens = new Map<string, string>()
const users: LinkUser[] = []
let count = 0

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())
afterEach(() => {
  for (const user of users.splice(0)) user.close()
})

/** Registers accounts for one test. */
async function register(...names: string[]): Promise<string[]> {
  count += 1
  const accids = names.map((name) => `${name}${count}`)
  for (const accid of accids) {
    const { info } = await service.call(accounts.create, { accid, name: accid.toUpperCase() })
    tokens.set(accid, info!.token)
  }
  return accids
}
async function enter(
  accid: string,
  more: { readonly device?: string; readonly clientType?: string; readonly token?: string } = {},
): Promise<LinkUser> {
  const user = linkUser(service.service.ready.linkUrl, {
    appKey: testCredentials.appKey,
    accid,
    token: tokens.get(accid)!,
    ...more,
  })
  users.push(user)
  await user.online()
  return user
}
const text = (msg: string): string => JSON.stringify({ msg })

it('carries messages both ways, acknowledged, and the same message only once', async () => {
  const [ann, bob] = (await register('ann', 'bob')) as [string, string]
  const [a, b] = [await enter(ann), await enter(bob)]
  const sent = await a.send({ scene: 'p2p', to: bob, type: 0, body: text('one'), clientId: 'c-1' })
  const again = await a.request('send', {
    scene: 'p2p',
    to: bob,
    type: 0,
    body: text('one'),
    clientId: 'c-1',
    resend: 1,
  })
  expect(again).toMatchObject({ msgid: sent.msgid, timetag: sent.timetag })
  await service.call(messages.send, { from: bob, ope: 0, to: ann, type: 0, body: text('from the API') })
  await eventually(() => expect(a.texts()).toEqual(['from the API']))
  await eventually(() => expect(b.texts()).toEqual(['one', 'from the API']))
  expect(b.of('message')[0]).toMatchObject({
    seq: sent.msgid,
    at: sent.timetag,
    fromClientType: 'WEB',
    fromNick: ann.toUpperCase(),
    clientId: 'c-1',
  })
  expect(a.of('message')[0]).toMatchObject({ fromClientType: 'REST' })
  expect(await a.request('history', { scene: 'p2p', with: bob })).toMatchObject({
    more: false,
    events: [{ from: bob }, { from: ann }],
  })
  await expect(a.send({ scene: 'p2p', to: 'nobody', type: 0, body: text('x') })).rejects.toMatchObject({ code: 414 })
  await expect(a.send({ scene: 'team', to: '99', type: 0, body: text('x') })).rejects.toBeInstanceOf(LinkFailure)
})

it('counts what is unread, and tells the other devices what was read', async () => {
  const [ann, bob] = (await register('ann', 'bob')) as [string, string]
  for (const msg of ['1', '2'])
    await service.call(messages.send, { from: ann, ope: 0, to: bob, type: 0, body: text(msg) })
  const [b, phone] = [await enter(bob), await enter(bob, { device: 'phone', clientType: 'IOS' })]
  expect(b.account?.unread).toBe(2)
  expect(await b.request('unread', {})).toEqual(
    expect.objectContaining({ total: 2, conversations: [{ scene: 'p2p', with: ann, unread: 2 }] }),
  )
  await eventually(() => expect(phone.texts()).toEqual(['1', '2']))
  expect(await b.request('read', { scene: 'p2p', with: ann, upTo: b.of('message')[0]!.seq! })).toMatchObject({
    unread: 1,
    total: 1,
  })
  await eventually(() =>
    expect(phone.of('unread')).toEqual([{ t: 'unread', scene: 'p2p', with: ann, unread: 1, total: 1 }]),
  )
})

it('takes a message back on both sides', async () => {
  const [ann, bob] = (await register('ann', 'bob')) as [string, string]
  const [a, b] = [await enter(ann), await enter(bob)]
  const { msgid, timetag } = await a.send({ scene: 'p2p', to: bob, type: 0, body: text('oops') })
  await eventually(() => expect(b.texts()).toEqual(['oops']))
  await a.request('recall', { scene: 'p2p', to: bob, msgid, timetag, msg: 'sorry' })
  await eventually(() => expect(b.of('recall')).toMatchObject([{ msgid, timetag, from: ann, to: bob, msg: 'sorry' }]))
  expect((await service.call(history.session, { from: ann, to: bob, limit: 10 })).size).toBe(0)
})

it('carries friend requests and answers, and changes of lists to the other devices', async () => {
  const [ann, bob] = (await register('ann', 'bob')) as [string, string]
  const [a, b] = [await enter(ann), await enter(bob)]
  await a.request('friend', { accid: bob, type: 2, msg: 'hi' })
  await eventually(() => expect(b.of('friend')).toMatchObject([{ from: ann, to: bob, type: 2, msg: 'hi' }]))
  await b.request('friend', { accid: ann, type: 3 })
  await eventually(() => expect(a.of('friend')).toMatchObject([{ from: bob, to: ann, type: 3 }]))
  expect(await a.request('friends', {})).toMatchObject({ friends: [{ accid: bob }] })
  expect((await service.call(friends.get, { accid: bob })).friends).toMatchObject([{ faccid: ann }])
  expect(await a.request('cards', { accids: [bob, 'nobody'] })).toMatchObject({
    cards: [{ accid: bob, name: bob.toUpperCase() }],
  })

  const phone = await enter(bob, { device: 'phone', clientType: 'AOS' })
  await b.request('relation', { accid: ann, relation: 1, value: 1 })
  await eventually(() => expect(phone.of('relation')).toMatchObject([{ accid: ann, relation: 1, value: 1 }]))
  const hidden = await a.send({ scene: 'p2p', to: bob, type: 0, body: text('into the void') })
  expect(hidden.antispam).toBe(false)
  await b.request('relation', { accid: ann, relation: 1, value: 0 })
  await service.call(relations.set, { accid: bob, targetAcc: ann, relationType: 2, value: 1 })
  await a.send({ scene: 'p2p', to: bob, type: 0, body: text('hush') })
  await eventually(() => expect(b.texts()).toEqual(['hush']))
  expect(b.of('message')).toMatchObject([{ push: false, badge: false }])
})

it('carries teams: invitation, application, messages with push as each wants it, notices, and who left hears nothing more', async () => {
  const [ann, bob, cem, dan] = (await register('ann', 'bob', 'cem', 'dan')) as [string, string, string, string]
  const [a, b, c, d] = [await enter(ann), await enter(bob), await enter(cem), await enter(dan)]
  const made = await service.call(teams.create, {
    tname: 'crew',
    owner: ann,
    members: [bob],
    msg: '',
    magree: 0,
    joinmode: 1,
  })
  const tid = made.tid!
  await eventually(() =>
    expect(b.of('message')).toMatchObject([{ scene: 'team', to: tid, type: 5, tinfo: { '1': tid } }]),
  )
  await a.request('teamInvite', { tid, accids: [cem], msg: 'come' })
  await eventually(() => expect(c.of('teamInvite')).toMatchObject([{ tid, from: ann, to: [cem], msg: 'come' }]))
  await c.request('teamAnswer', { tid, accept: true })
  expect(await d.request('teamApply', { tid, msg: 'me too' })).toMatchObject({ joined: false })
  await eventually(() => expect(a.of('teamApply')).toMatchObject([{ tid, from: dan, msg: 'me too' }]))
  await expect(b.request('teamAnswer', { tid, accid: dan, accept: true })).rejects.toMatchObject({ code: 403 })
  await a.request('teamAnswer', { tid, accid: dan, accept: true })
  await eventually(async () =>
    expect((await d.request('teams', {})).teams).toEqual([{ tid, tname: 'crew', owner: ann, size: 4, role: 'member' }]),
  )

  await service.call(teams.muteTeam, { tid, accid: cem, ope: 1 })
  await eventually(() => expect(c.of('settings')).toMatchObject([{ tid, quiet: true }]))
  await b.send({ scene: 'team', to: tid, type: 0, body: text('hello crew') })
  for (const user of [a, c, d]) await eventually(() => expect(user.texts()).toEqual(['hello crew']))
  expect(a.of('message').at(-1)).toMatchObject({ push: true })
  expect(c.of('message').at(-1)).toMatchObject({ push: false })

  await c.request('teamLeave', { tid })
  await service.call(teams.kick, { tid, owner: ann, member: dan })
  await a.send({ scene: 'team', to: tid, type: 0, body: text('just us') })
  await eventually(() => expect(b.texts()).toEqual(['just us']))
  expect([c.texts(), d.texts()]).toEqual([['hello crew'], ['hello crew']])
  await expect(d.send({ scene: 'team', to: tid, type: 0, body: text('still here?') })).rejects.toMatchObject({
    code: 403,
  })
})

it('drops a blocked account in under a second when it is kicked, and leaves it running otherwise', async () => {
  const [ann, bob] = (await register('ann', 'bob')) as [string, string]
  const [a, b] = [await enter(ann), await enter(bob)]
  await service.call(accounts.block, { accid: bob, needkick: false })
  await service.call(accounts.refreshToken, { accid: ann })
  expect(await b.request('ping', {})).toMatchObject({ time: expect.any(Number) })
  expect(await a.request('ping', {})).toMatchObject({ time: expect.any(Number) })
  await promised(1000, async () => {
    await service.call(accounts.block, { accid: bob, needkick: true })
    await eventually(() => expect(b.state).toEqual({ at: 'out', code: 4403, reason: 'blocked' }))
  })
  const late = linkUser(service.service.ready.linkUrl, {
    appKey: testCredentials.appKey,
    accid: bob,
    token: tokens.get(bob)!,
  })
  await eventually(() => expect(late.state).toMatchObject({ at: 'out', reason: 'the account is blocked' }))
  const old = linkUser(service.service.ready.linkUrl, {
    appKey: testCredentials.appKey,
    accid: ann,
    token: tokens.get(ann)!,
  })
  await eventually(() => expect(old.state).toMatchObject({ at: 'out', code: 4401 }))
  expect(a.state.at).toBe('online')
})

it('ends the sessions of an account for the companion, and lists who is online', async () => {
  const [ann] = (await register('ann')) as [string]
  const a = await enter(ann)
  const listed = async () => (await service.call(local.accounts, { search: ann })).ret!.list
  expect(await listed()).toMatchObject([{ accid: ann, online: true, blocked: false }])
  expect((await service.call(local.endSessions, { accid: ann })).code).toBe(200)
  await eventually(() => expect(a.state).toEqual({ at: 'out', code: 4403, reason: 'ended' }))
  expect(await listed()).toMatchObject([{ accid: ann, online: false }])
})

it('refuses a frozen application, at the log-in and within a session', async () => {
  const [ann] = (await register('ann')) as [string]
  const a = await enter(ann)
  await service.call(local.updateSettings, { frozen: true })
  try {
    await expect(a.request('friends', {})).rejects.toMatchObject({ code: 403 })
    const late = linkUser(service.service.ready.linkUrl, {
      appKey: testCredentials.appKey,
      accid: ann,
      token: tokens.get(ann)!,
      device: 'other',
    })
    await eventually(() => expect(late.state).toMatchObject({ at: 'out', reason: 'the application is frozen' }))
  } finally {
    await service.call(local.updateSettings, { frozen: false })
  }
})

it('records log-ins and log-outs for queryUserEvents', async () => {
  const [ann] = (await register('ann')) as [string]
  const a = await enter(ann, { clientType: 'PC' })
  a.close()
  await eventually(async () =>
    expect((await service.call(history.userEvents, { accid: ann, limit: 100 })).size).toBe(2),
  )
  const ascending = await service.call(history.userEvents, { accid: ann.toUpperCase(), limit: 100, reverse: 1 })
  const one = { accid: ann, clientIp: '127.0.0.1', sdkVersion: '1', clientType: 'PC', code: 200 }
  expect(ascending.events).toMatchObject([
    { ...one, eventType: 2 },
    { ...one, eventType: 3 },
  ])
  const [login, logout] = ascending.events!
  expect((await service.call(history.userEvents, { accid: ann, limit: 1 })).events).toEqual([logout])
  expect((await service.call(history.userEvents, { accid: ann, limit: 1, reverse: 1 })).events).toEqual([login])
  expect(
    (await service.call(history.userEvents, { accid: ann, limit: 9, begintime: logout!.timestamp + 1 })).size,
  ).toBe(0)
  expect((await service.call(history.userEvents, { accid: ann, limit: 9, endtime: login!.timestamp - 1 })).size).toBe(0)
  expect((await service.call(history.userEvents, { accid: 'nobody', limit: 9 })).code).toBe(414)
  expect((await service.call(history.userEvents, { accid: ann, limit: 9, begintime: 2, endtime: 1 })).code).toBe(414)
  for (const limit of [0, 101, -1])
    expect((await service.send(history.userEvents, { accid: ann, limit })).code).toBe(414)
  expect((await service.send(history.userEvents, { accid: ann, limit: 5, reverse: 3 })).code).toBe(414)
})

it('copies log-ins and log-outs where their kinds are active', async () => {
  const receiver = await startReceiver()
  const [ann] = (await register('ann')) as [string]
  try {
    expect((await service.call(local.setCopyTarget, { url: receiver.url, kinds: [2, 3] })).code).toBe(200)
    const a = await enter(ann, { clientType: 'PC' })
    a.close()
    const copies = () => receiver.received.map(({ fields }) => fields).filter(({ accid }) => accid === ann)
    await eventually(() => expect(copies()).toHaveLength(2))
    const one = { accid: ann, clientIp: '127.0.0.1', clientType: 'PC', code: '200', sdkVersion: '1' }
    expect(copies()).toEqual([
      { ...one, eventType: '2', timestamp: expect.stringMatching(/^\d{13}$/) as string },
      { ...one, eventType: '3', timestamp: expect.stringMatching(/^\d{13}$/) as string },
    ])
  } finally {
    await service.call(local.setCopyTarget, {})
    await receiver.close()
  }
})
