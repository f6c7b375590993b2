import { mkdtempSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startRedis, type Redis } from '../e2e/cluster/redis.ts'
import { accounts, chatrooms, live, local } from '../contract/operations/index.ts'
import { linkUser, type LinkUser } from './link/testing/link-user.ts'
import { testDatabase } from './storage/testing/open-store.ts'
import { describeOnRedis } from './testing/engines.ts'
import { eventually } from './testing/eventually.ts'
import { startService, testCredentials, type TestService } from './testing/start-service.ts'

describeOnRedis('two services of a cluster', () => {
  let redis: Redis
  let one: TestService
  let other: TestService
  const users: LinkUser[] = []

  beforeAll(async () => {
    redis = await startRedis()
    const database = await testDatabase(mkdtempSync(join(tmpdir(), 'sidestage-cluster-')))
    const prefix = randomUUID()
    const start = (node: string): Promise<TestService> =>
      startService({ database, cluster: { redis: { url: redis.url, prefix }, node } })
    one = await start('one')
    other = await start('other')
    await one.call(accounts.create, { accid: 'cara', token: 'token-cara' })
    await one.call(accounts.create, { accid: 'mona', token: 'token-mona' })
  })
  afterAll(async () => {
    for (const user of users) user.close()
    await Promise.all([one.close(), other.close()])
    await redis.close()
  })
  const set = async (settings: Parameters<typeof one.call<typeof local.updateSettings>>[1]): Promise<void> => {
    await one.call(local.updateSettings, settings)
    await eventually(async () => expect((await other.call(local.settings, {})).ret).toMatchObject(settings))
  }
  const ask = async (service: TestService, headers?: Record<string, string>) => {
    const { code, desc } = await service.send(
      accounts.getUinfos,
      { accids: ['mona'] },
      headers && Object.entries(headers),
    )
    return { code, desc }
  }
  const codeOf = async (service: TestService, headers?: Record<string, string>) => (await ask(service, headers)).code

  beforeEach(() => set({ callsPerMinute: 0, oneTimeCheckSum: false }))

  it('count the calls of an application together', async () => {
    await set({ callsPerMinute: 4 })
    const codes = []
    for (const service of [one, other, one, other, one, other]) codes.push(await codeOf(service))
    expect(codes).toEqual([200, 200, 200, 200, 416, 416])
  })

  it('keep slow mode of a room together, whichever a line comes to', async () => {
    const { roomid } = (await one.call(chatrooms.create, { creator: 'cara', name: 'slow' })).chatroom!
    await one.call(local.slowMode, { roomid, seconds: 60 })
    // An account has one session of each kind of client.
    const enter = async (service: TestService, clientType: string, accid = 'mona'): Promise<LinkUser> => {
      const { appKey } = testCredentials
      const user = linkUser(service.service.ready.linkUrl, {
        appKey,
        accid,
        token: `token-${accid}`,
        device: clientType,
        clientType,
      })
      users.push(user)
      await user.online()
      await eventually(() => user.request('roomEnter', { roomid }))
      return user
    }
    const say = (user: LinkUser, clientId: string): Promise<unknown> =>
      user.request('roomSend', { roomid, type: 0, attach: clientId, clientId }).then(
        () => 'said',
        (error: unknown) => (error as Error).message,
      )
    const [here, there] = [await enter(one, 'WEB'), await enter(other, 'IOS')]
    expect([await say(here, 'first'), await say(there, 'second'), await say(here, 'third')]).toEqual([
      'said',
      expect.stringContaining('slow mode: 60 seconds between two lines'),
      expect.stringContaining('slow mode: 60 seconds between two lines'),
    ])
    const host = await enter(other, 'WEB', 'cara')
    expect([await say(host, 'one'), await say(host, 'two')]).toEqual(['said', 'said'])
  })

  it('take a CheckSum once; fail while Redis is away, and take new ones when it is back', async () => {
    await set({ oneTimeCheckSum: true })
    await eventually(async () => expect(await codeOf(one)).toBe(200))
    const signed = one.sign()
    expect(await codeOf(one, signed)).toBe(200)
    expect(await ask(other, signed)).toEqual({ code: 431, desc: 'this CheckSum was used before' })
    await redis.kill()
    await eventually(async () =>
      expect(await ask(other)).toEqual({ code: 500, desc: 'whether this CheckSum was used before cannot be told now' }),
    )
    expect((await one.call(live.list, {})).code).toBe(live.list.fault)
    await redis.start()
    await eventually(async () => expect([await codeOf(one), await codeOf(other)]).toEqual([200, 200]))
    expect(await ask(other, signed)).toMatchObject({ code: 431 })
  })
})
