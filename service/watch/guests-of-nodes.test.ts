import { afterAll, beforeAll, expect, it } from 'vitest'
import { accounts, chatrooms, live, local } from '../../contract/operations/index.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import { linkUser, type LinkUser } from '../link/testing/link-user.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import { startCluster, type TestCluster } from '../testing/start-cluster.ts'
import { testCredentials } from '../testing/start-service.ts'

describeOnRedis('guests of the watch page, at two services', () => {
  let cluster: TestCluster
  let viewer = 0
  const users: LinkUser[] = []
  beforeAll(async () => {
    cluster = await startCluster(2, { trustedProxies: ['127.0.0.1'] })
    await cluster.nodes[0]!.call(accounts.create, { accid: 'cara', token: 'cara' })
  }, 120_000)
  afterAll(async () => {
    for (const user of users) user.close()
    await cluster.close()
  })

  const at = (node: number): TestCluster['nodes'][number] => cluster.nodes[node]!
  const other = (node: number): number => 1 - node
  /** A channel with a room, known to both. */
  async function channel(name: string) {
    const { cid } = (await at(0).call(live.create, { name })).ret!
    const { roomid } = (await at(0).call(chatrooms.create, { creator: 'cara', name })).chatroom!
    expect((await at(0).call(local.linkRoom, { cid, roomid })).code).toBe(200)
    await eventually(async () => expect((await ask(1, `/watch/${cid}/state`)).text).toContain(`"roomid":${roomid}`))
    return { cid, roomid }
  }
  /** A request as a viewer elsewhere makes it, by a proxy here. */
  const ask = (node: number, path: string, method = 'GET', cookie = '', body?: string): Promise<RawAnswer> =>
    httpRequest(at(node).service.ready.mediaUrl + path, {
      method,
      headers: [
        ['x-forwarded-for', `198.51.100.${++viewer}`],
        ['cookie', cookie],
        ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
      ],
      ...(body !== undefined && { body }),
    })
  const cookieOf = ({ headers }: RawAnswer): string => (headers['set-cookie']?.[0] ?? '').split(';')[0]!
  const enter = async (node: number, cid: string, passphrase: string): Promise<string> => {
    const answer = await ask(node, `/watch/${cid}/enter`, 'POST', '', JSON.stringify({ passphrase }))
    expect(answer.status).toBe(204)
    return cookieOf(answer)
  }
  const guest = async (node: number, cid: string, cookie = '') => {
    const answer = await ask(node, `/watch/${cid}/guest`, 'POST', cookie)
    expect(answer.status, answer.text).toBe(201)
    return { ...(JSON.parse(answer.text) as WatchGuest), cookie: cookieOf(answer) }
  }
  const logIn = (node: number, { accid, token }: Pick<WatchGuest, 'accid' | 'token'>, device = 'tab'): LinkUser => {
    const url = (): string => at(node).service.ready.linkUrl
    const user = linkUser(url, { appKey: testCredentials.appKey, accid, token, device })
    users.push(user)
    return user
  }
  /** Logs in at a service and enters the room. */
  const come = async (node: number, who: Pick<WatchGuest, 'accid' | 'token'>, roomid: number, device?: string) => {
    const user = logIn(node, who, device)
    await eventually(() => expect(['online', 'out']).toContain(user.state.at))
    expect(user.state).toMatchObject({ at: 'online' })
    await user.request('roomEnter', { roomid })
    return user
  }
  const refused = async (user: LinkUser): Promise<number | undefined> => {
    await eventually(() => expect(user.state.at).toBe('out'))
    return user.state.at === 'out' ? user.state.refusal : undefined
  }

  it('log in, enter and speak at the one that did not make them, in several tabs', async () => {
    const { cid, roomid } = await channel('everybody')
    for (const node of [0, 1]) {
      const made = await guest(node, cid)
      const first = await come(other(node), made, roomid)
      const attach = `from ${node}`
      await first.request('roomSend', { roomid, type: 0, attach, clientId: attach })
      // Another tab of that browser, whose guest the other one gives, stands beside it at either.
      const again = await guest(other(node), cid, made.cookie)
      expect(again.accid).toBe(made.accid)
      const second = await come(node, again, roomid, 'second')
      expect((await second.request('roomHistory', { roomid, limit: 1 })).lines).toMatchObject([{ attach }])
      expect(first.state.at).toBe('online')
    }
  })

  it('are taken for one when two tabs ask at both before either has logged in', async () => {
    const { cid, roomid } = await channel('tabs')
    // A browser that was here before.
    const { cookie } = await guest(0, (await channel('before')).cid)
    const [one, two] = await Promise.all([guest(0, cid, cookie), guest(1, cid, cookie)])
    expect(one.accid).toBe(two.accid)
    const tabs = await Promise.all([come(1, one, roomid, 'one'), come(0, two, roomid, 'two')])
    expect(tabs.map(({ state }) => state.at)).toEqual(['online', 'online'])
  })

  it('are nobody with a token that was given for another, or was changed', async () => {
    const { cid } = await channel('forged')
    const [mine, theirs] = [await guest(0, cid), await guest(0, cid)]
    const [version, created, issued, room, of, ground, signature] = mine.token.split('.')
    expect([version, of, ground]).toEqual(['2', cid, 'e'])
    const tokens = [
      theirs.token,
      [version, created, issued, room, of, 'f', signature].join('.'),
      [version, created, `${issued}0`, room, of, ground, signature].join('.'),
      [version, created, issued, room, of, ground, `${signature!.slice(1)}0`].join('.'),
    ]
    for (const token of tokens) expect(await refused(logIn(1, { accid: mine.accid, token }))).toBe(414)
    await come(1, mine, Number.parseInt(room!, 36))
  })

  it('are ended at both when their room is linked to a channel that they may not watch', async () => {
    const [open, closed] = [await channel('open'), await channel('closed')]
    await at(0).call(local.updateAccess, { cid: closed.cid, mode: 'passphrase', passphrase: 'lamp and harbour' })
    const users = [
      await come(0, await guest(0, open.cid), open.roomid),
      await come(1, await guest(1, open.cid), open.roomid),
    ]
    expect((await at(0).call(local.linkRoom, { cid: closed.cid, roomid: open.roomid })).code).toBe(200)
    for (const user of users) await eventually(() => expect(user.state).toMatchObject({ at: 'out', reason: 'ended' }))
  })

  it('of a passphrase are let in at either, and refused at both once that has changed', async () => {
    const { cid, roomid } = await channel('passphrase')
    await at(0).call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'lamp and harbour' })
    const made = await guest(0, cid, await enter(0, cid, 'lamp and harbour'))
    const users = [await come(1, made, roomid, 'first'), await come(0, made, roomid, 'second')]
    await at(1).call(local.updateAccess, { cid, passphrase: 'another one' })
    for (const user of users) await eventually(() => expect(user.state).toMatchObject({ at: 'out', reason: 'ended' }))
    for (const node of [0, 1]) expect(await refused(logIn(node, made))).toBe(403)
    // The one that did not hear of its new ground before takes it too.
    const again = await guest(1, cid, `${made.cookie}; ${await enter(1, cid, 'another one')}`)
    expect(again.accid).toBe(made.accid)
    await come(0, again, roomid)
  })

  it('are put out of a channel that was closed to them, also where the one that made them is gone', async () => {
    const { cid, roomid } = await channel('replaced')
    const { ret } = await at(0).call(local.addNamedLink, { cid, name: 'Mum' })
    const opened = await eventually(async () => {
      const answer = await ask(0, new URL(ret!.url).pathname)
      expect(answer.headers['set-cookie']).toBeDefined()
      return answer
    })
    const [made, byLink] = [await guest(0, cid), await guest(0, cid, cookieOf(opened))]
    for (const one of [made, byLink]) {
      const first = await come(0, one, roomid)
      first.close()
    }
    const [open, linked] = [await come(1, made, roomid, 'b'), await come(1, byLink, roomid, 'b')]
    await cluster.restart(0)
    const began = performance.now()
    await at(0).call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'lamp and harbour' })
    await eventually(() => expect(open.state).toMatchObject({ at: 'out', reason: 'ended' }))
    console.log(`put out at the other service: ${Math.round(performance.now() - began)} ms`)
    expect(linked.state.at).toBe('online')
    await linked.request('roomSend', { roomid, type: 0, attach: 'still here', clientId: 'c' })
    await at(0).call(local.revokeNamedLink, { cid, linkId: ret!.linkId })
    await eventually(() => expect(linked.state).toMatchObject({ at: 'out', reason: 'ended' }))
  })
})
