import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local, operations } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { breakTables } from '../testing/beside.ts'

const ascending = (a: number, b: number): number => a - b
const unknownCid = '0'.repeat(32)
let service: TestService
let clock: ManualWallClock

beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock })
})
afterEach(() => service.close())

const create = async (name: string, client: Pick<TestService, 'call'> = service) =>
  (await client.call(live.create, { name })).ret!
const statusOf = async (cid: string): Promise<number | undefined> =>
  (await service.call(live.state, { cid })).ret?.status
/** Breaks the store, as a disk fault or another program would. */
const breakStore = (): Promise<void> => breakTables(service.dataDir, 'channel')

describe('create', () => {
  it('answers id, time and addresses', async () => {
    const { ret } = await service.call(live.create, { name: '频道_1', type: 0 })
    const { rtmpUrl, mediaUrl } = service.service.ready
    expect(ret).toMatchObject({ name: '频道_1', ctime: clock.now() })
    expect(ret!.cid).toMatch(/^[0-9a-f]{32}$/)
    expect(ret!.pushUrl).toMatch(new RegExp(`^${rtmpUrl}/live/${ret!.cid}\\?wsSecret=[0-9a-f]{32}&wsTime=[0-9]{10}$`))
    expect(ret!.httpPullUrl).toBe(`${mediaUrl}/live/${ret!.cid}.flv`)
    expect(ret!.hlsPullUrl).toBe(`${mediaUrl}/live/${ret!.cid}/playlist.m3u8`)
    expect(ret!.rtmpPullUrl).toBe(`${rtmpUrl}/live/${ret!.cid}`)
  })

  it('refuses a name that the application has (611), and lets another application have it', async () => {
    await create('same')
    expect((await service.call(live.create, { name: 'same' })).code).toBe(611)
    expect((await service.other.call(live.create, { name: 'same' })).code).toBe(200)
  })

  it('gives a name to one of many callers at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.call(live.create, { name: 'wanted' })))
    expect(answers.map(({ code }) => code).sort(ascending)).toEqual([200, 611, 611, 611, 611, 611, 611, 611])
  })

  it('refuses what is not acceptable', async () => {
    expect((await service.send(live.create, { name: '' })).code).toBe(610)
    expect((await service.send(live.create, {})).code).toBe(610)
    expect((await service.send(live.create, { name: 'a b' })).code).toBe(604)
    expect((await service.send(live.create, { name: 'a', type: 1 })).code).toBe(612)
  })

  it('answers 607 without an owner and 635 with live off', async () => {
    await service.call(local.updateSettings, { liveEnabled: false })
    expect((await service.call(live.create, { name: 'a' })).code).toBe(635)
    expect((await service.other.call(live.create, { name: 'a' })).code).toBe(200)
    await service.call(local.updateSettings, { ownerPresent: false, liveEnabled: true })
    expect((await service.call(live.create, { name: 'a' })).code).toBe(607)
  })

  it('answers 604 when the store is broken, keeps nothing and says no more than a log id', async () => {
    await breakStore()
    const { code, msg } = await service.call(live.create, { name: 'a' })
    expect(code).toBe(604)
    expect(msg).toMatch(/^internal fault; log id [0-9a-f]{8}-[0-9a-z]+$/)
  })
})

describe('update', () => {
  it('renames', async () => {
    const { cid } = await create('before')
    expect(await service.call(live.update, { cid, name: 'after' })).toEqual({ code: 200, ret: {} })
    expect((await service.call(live.state, { cid })).ret?.name).toBe('after')
    expect((await service.call(live.create, { name: 'before' })).code).toBe(200)
    expect((await service.call(live.create, { name: 'after' })).code).toBe(611)
  })

  it('to the name that it has is success, to one that is taken 611', async () => {
    const { cid } = await create('a')
    await create('b')
    expect((await service.call(live.update, { cid, name: 'a' })).code).toBe(200)
    expect((await service.call(live.update, { cid, name: 'b' })).code).toBe(611)
    expect((await service.call(live.state, { cid })).ret?.name).toBe('a')
  })

  it('twice at once ends with one of the names, and frees the others', async () => {
    const { cid } = await create('start')
    await Promise.all(['x', 'y', 'z'].map((name) => service.call(live.update, { cid, name })))
    const name = (await service.call(live.state, { cid })).ret!.name
    for (const free of ['start', 'x', 'y', 'z'].filter((one) => one !== name))
      expect((await service.call(live.create, { name: free })).code, free).toBe(200)
  })

  it('refuses with its own codes', async () => {
    const { cid } = await create('a')
    const foreign = await create('b', service.other)
    expect((await service.send(live.update, { name: 'x' })).code).toBe(609)
    expect((await service.send(live.update, { cid })).code).toBe(610)
    expect((await service.send(live.update, { cid, name: 'x', type: 2 })).code).toBe(612)
    expect((await service.send(live.update, { cid, name: '<b>' })).code).toBe(605)
    expect((await service.call(live.update, { cid: unknownCid, name: 'x' })).code).toBe(605)
    expect(await service.call(live.update, { cid: foreign.cid, name: 'x' })).toEqual(
      await service.call(live.update, { cid: unknownCid, name: 'x' }),
    )
    await service.call(local.updateSettings, { ownerPresent: false })
    expect((await service.call(live.update, { cid, name: 'x' })).code).toBe(607)
  })

  it('answers 605 when the store is broken', async () => {
    const { cid } = await create('a')
    await breakStore()
    expect((await service.call(live.update, { cid, name: 'b' })).code).toBe(605)
  })
})

describe('delete', () => {
  it('removes the channel and frees its name', async () => {
    const { cid } = await create('a')
    expect(await service.call(live.remove, { cid })).toEqual({ code: 200, ret: {} })
    expect((await service.call(live.state, { cid })).code).toBe(602)
    expect((await service.call(live.create, { name: 'a' })).code).toBe(200)
  })

  it('refuses with its own codes', async () => {
    const { cid } = await create('a')
    const foreign = await create('b', service.other)
    expect((await service.send(live.remove, {})).code).toBe(609)
    expect((await service.send(live.remove, { cid: 'x'.repeat(65) })).code).toBe(603)
    expect((await service.call(live.remove, { cid: unknownCid })).code).toBe(603)
    expect((await service.call(live.remove, { cid: foreign.cid })).code).toBe(603)
    expect((await service.other.call(live.state, { cid: foreign.cid })).code).toBe(200)
    await service.call(local.updateSettings, { ownerPresent: false })
    expect((await service.call(live.remove, { cid })).code).toBe(607)
  })

  it('answers 603 when the store is broken, and the channel stays', async () => {
    const { cid } = await create('a')
    await breakStore()
    expect((await service.call(live.remove, { cid })).code).toBe(603)
    expect(await statusOf(cid)).toBe(0)
  })
})

describe('channelstats', () => {
  it('refuses with its own codes', async () => {
    const { cid } = await create('b', service.other)
    expect((await service.send(live.state, { cid: '' })).code).toBe(609)
    expect((await service.send(live.state, { cid: ['x'] })).code).toBe(602)
    expect((await service.call(live.state, { cid: unknownCid })).code).toBe(602)
    expect((await service.call(live.state, { cid })).code).toBe(617)
    await service.call(local.updateSettings, { ownerPresent: false })
    expect((await service.call(live.state, { cid: unknownCid })).code).toBe(607)
  })
})

describe('channellist', () => {
  it('pages by creation time, newest first unless asked otherwise', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await create(name)
      clock.advance(1000)
    }
    await create('foreign', service.other)
    const names = async (args: Parameters<typeof service.call<typeof live.list>>[1]): Promise<string[] | undefined> =>
      (await service.call(live.list, args)).ret?.list.map(({ name }) => name)
    expect(await names({})).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(await names({ records: 2, sort: 1 })).toEqual(['a', 'b'])
    expect(await names({ records: 2, pnum: 3, sort: 1 })).toEqual(['e'])
    expect((await service.call(live.list, { records: 2 })).ret).toMatchObject({
      pnum: 1,
      totalPnum: 3,
      records: 2,
      totalRecords: 5,
    })
    expect((await service.call(live.list, { records: 5000 })).ret).toMatchObject({ records: 1000, totalPnum: 1 })
  })

  it('of an application without channels is an empty first page', async () => {
    expect((await service.call(live.list, {})).ret).toEqual({
      pnum: 1,
      totalPnum: 0,
      records: 10,
      totalRecords: 0,
      list: [],
    })
  })

  it('beyond the last page answers 618', async () => {
    await create('a')
    expect(await service.call(live.list, { pnum: 2 })).toMatchObject({ code: 618, msg: 'the last page is 1' })
    expect((await service.call(live.list, { pnum: Number.MAX_SAFE_INTEGER, records: 1000 })).code).toBe(618)
  })

  it('refuses with its own codes', async () => {
    expect((await service.send(live.list, { ofield: 'name' })).code).toBe(631)
    expect((await service.send(live.list, { sort: 2 })).code).toBe(631)
    expect((await service.send(live.list, '{')).code).toBe(631)
    await service.call(local.updateSettings, { ownerPresent: false })
    expect((await service.call(live.list, {})).code).toBe(607)
  })

  it('answers 602 when the store is broken', async () => {
    await breakStore()
    expect((await service.call(live.list, {})).code).toBe(602)
  })
})

describe('address', () => {
  const day = 86_400_000
  const addressOf = async (cid: string) => (await service.call(live.address, { cid })).ret!

  it('is the same while more than half of its life is left, then a new one, and the old one stays valid', async () => {
    const { cid, pushUrl } = await create('a')
    expect(await addressOf(cid)).toMatchObject({ pushUrl, name: 'a' })
    clock.advance(15 * day - 1000)
    expect((await addressOf(cid)).pushUrl).toBe(pushUrl)
    clock.advance(1000)
    const renewed = (await addressOf(cid)).pushUrl
    expect(renewed).not.toBe(pushUrl)
    expect(new URL(renewed).searchParams.get('wsTime')).toBe(String((clock.now() + 30 * day) / 1000))
    expect((await addressOf(cid)).pushUrl).toBe(renewed)
  })

  it('lives as long as the setting says', async () => {
    await service.call(local.updateSettings, { pushLifeDays: 2 })
    const { pushUrl } = await create('a')
    expect(new URL(pushUrl).searchParams.get('wsTime')).toBe(String((clock.now() + 2 * day) / 1000))
  })

  it('refuses with its own codes', async () => {
    const { cid } = await create('b', service.other)
    expect((await service.send(live.address, {})).code).toBe(609)
    expect((await service.call(live.address, { cid: unknownCid })).code).toBe(602)
    expect((await service.call(live.address, { cid })).code).toBe(617)
    await service.call(local.updateSettings, { ownerPresent: false })
    expect((await service.call(live.address, { cid: unknownCid })).code).toBe(607)
  })

  it('answers 602 when a new one cannot be stored', async () => {
    const { cid } = await create('a')
    clock.advance(20 * day)
    await breakStore()
    expect((await service.call(live.address, { cid })).code).toBe(602)
  })
})

describe('pause and resume', () => {
  it('disable and make usable again', async () => {
    const { cid } = await create('a')
    expect(await service.call(live.pause, { cid })).toEqual({ code: 200 })
    expect(await statusOf(cid)).toBe(2)
    expect(await service.call(live.resume, { cid })).toEqual({ code: 200 })
    expect(await statusOf(cid)).toBe(0)
  })

  it('answer 629 and 630 in the state that is asked for', async () => {
    const { cid } = await create('a')
    expect((await service.call(live.resume, { cid })).code).toBe(630)
    await service.call(live.pause, { cid })
    expect((await service.call(live.pause, { cid })).code).toBe(629)
    const answers = await Promise.all([service.call(live.resume, { cid }), service.call(live.resume, { cid })])
    expect(answers.map(({ code }) => code).sort(ascending)).toEqual([200, 630])
  })

  it.each([
    ['pause', live.pause],
    ['resume', live.resume],
  ] as const)('%s refuses with its own codes', async (_name, operation) => {
    const { cid } = await create('b', service.other)
    expect((await service.send(operation, {})).code).toBe(631)
    expect((await service.call(operation, { cid: unknownCid })).code).toBe(618)
    expect((await service.call(operation, { cid })).code).toBe(617)
  })

  it('when the store is broken a pause holds and says so, and a resume answers 501 and changes nothing', async () => {
    const used = await create('a')
    const disabled = await create('b')
    await service.call(live.pause, { cid: disabled.cid })
    await breakStore()
    const paused = await service.call(live.pause, { cid: used.cid })
    expect(paused).toMatchObject({ code: 200, msg: expect.stringContaining('in force, but not stored') as string })
    expect((await service.call(live.resume, { cid: disabled.cid })).code).toBe(501)
    expect((await service.call(live.resumeMany, { cidList: [disabled.cid] })).code).toBe(501)
    expect([await statusOf(used.cid), await statusOf(disabled.cid)]).toEqual([2, 2])
  })

  it('in batches name those that changed, once each, in the order given', async () => {
    const [a, b, c] = [await create('a'), await create('b'), await create('c')]
    const foreign = await create('d', service.other)
    await service.call(live.pause, { cid: b.cid })
    const cidList = [c.cid, b.cid, unknownCid, foreign.cid, a.cid, c.cid]
    expect((await service.call(live.pauseMany, { cidList })).ret).toEqual({ successList: [c.cid, a.cid] })
    expect((await service.call(live.pauseMany, { cidList })).ret).toEqual({ successList: [] })
    expect((await service.call(live.resumeMany, { cidList })).ret).toEqual({ successList: [c.cid, b.cid, a.cid] })
    expect((await service.other.call(live.state, { cid: foreign.cid })).ret?.status).toBe(0)
  })

  it('in batches take a thousand and refuse more', async () => {
    const { cid } = await create('a')
    const cidList = [...Array.from({ length: 999 }, (_, index) => index.toString(16).padStart(32, 'f')), cid]
    expect((await service.call(live.pauseMany, { cidList })).ret).toEqual({ successList: [cid] })
    expect((await service.call(live.pauseMany, { cidList: [...cidList, cid] })).code).toBe(631)
    expect((await service.send(live.resumeMany, { cidList: [] })).code).toBe(631)
    expect((await service.send(live.resumeMany, { cidList: 'x' })).code).toBe(631)
  })
})

describe('every live operation', () => {
  it.each(
    operations
      .filter(({ document, pending }) => document === 1 && !pending)
      .map((operation) => [operation.path, operation] as const),
  )('%s asks for a signature first', async (_path, operation) => {
    expect(
      (
        await service.send(operation, '{', [
          ['CheckSum', undefined],
          ['AppKey', undefined],
          ['CurTime', undefined],
        ])
      ).code,
    ).toBe(613)
    expect(
      (
        await service.send(operation, '{', [
          ['AppKey', undefined],
          ['CurTime', undefined],
        ])
      ).code,
    ).toBe(614)
    expect((await service.send(operation, '{', [['CurTime', undefined]])).code).toBe(615)
    expect((await service.send(operation, '{', [['CheckSum', '0'.repeat(40)]])).code).toBe(409)
  })
})
