import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accounts, friends, relations } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let service: TestService
let clock: ManualWallClock
beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock })
  for (const accid of ['Bob', 'Amy', 'Eve']) await service.call(accounts.create, { accid })
})
afterEach(() => service.close())

const add = async (accid: string, faccid: string, type = 1) =>
  (await service.call(friends.add, { accid, faccid, type })).code
const get = async (accid: string, more: object = {}) => {
  const { size, friends: entries } = await service.call(friends.get, { accid, ...more })
  expect(size).toBe(entries?.length)
  return entries
}

describe('friends', () => {
  it('are made, listed with the time of their last change, renamed and ended, in any case of the accid', async () => {
    const begun = clock.now()
    expect(await add('BOB', 'AMY')).toBe(200)
    clock.advance(1000)
    expect([await add('EVE', 'BOB', 2), await add('BOB', 'EVE', 3)]).toEqual([200, 200])
    expect(await get('BOB')).toEqual([
      { faccid: 'amy', createtime: begun, bidirection: true },
      { faccid: 'eve', createtime: begun + 1000, bidirection: true },
    ])
    clock.advance(1000)
    expect((await service.call(friends.update, { accid: 'bOB', faccid: 'aMY', alias: '😀 A', ex: 'x' })).code).toBe(200)
    expect(await get('bob')).toEqual([
      { faccid: 'eve', createtime: begun + 1000, bidirection: true },
      { faccid: 'amy', createtime: begun + 2000, bidirection: true, alias: '😀 A' },
    ])
    expect(await get('amy')).toEqual([{ faccid: 'bob', createtime: begun, bidirection: true }])
    expect((await service.call(friends.remove, { accid: 'BOB', faccid: 'EVE' })).code).toBe(200)
    expect([await get('bob'), await get('eve')]).toMatchObject([[{ faccid: 'amy' }], []])
  })

  it('are listed from a time on, under either name of the parameter', async () => {
    const begun = clock.now()
    await add('bob', 'amy')
    clock.advance(5000)
    await add('bob', 'eve')
    for (const name of ['createtime', 'updatetime']) {
      expect(await get('bob', { [name]: begun })).toHaveLength(2)
      expect(await get('bob', { [name]: begun + 1 })).toMatchObject([{ faccid: 'eve' }])
      expect(await get('bob', { [name]: begun + 5001 })).toEqual([])
    }
    expect(await get('bob', { createtime: begun, updatetime: begun + 5001 })).toHaveLength(2)
  })

  it('lose their alias only by a call that carries nothing else', async () => {
    await add('bob', 'amy')
    await service.call(friends.update, { accid: 'bob', faccid: 'amy', alias: 'A', ex: 'x' })
    await service.call(friends.update, { accid: 'bob', faccid: 'amy', alias: '', ex: 'y' })
    expect(await get('bob')).toMatchObject([{ alias: 'A' }])
    await service.call(friends.update, { accid: 'bob', faccid: 'amy', alias: '', ex: '' })
    expect((await get('bob'))![0]).not.toHaveProperty('alias')
  })

  it('of nobody, with oneself, or that are none answer 414', async () => {
    expect([await add('bob', 'nobody'), await add('nobody', 'bob'), await add('bob', 'BOB')]).toEqual([414, 414, 414])
    expect((await service.call(friends.update, { accid: 'bob', faccid: 'amy', alias: 'x' })).code).toBe(414)
    expect((await service.call(friends.remove, { accid: 'bob', faccid: 'amy' })).code).toBe(414)
    expect((await service.call(friends.get, { accid: 'nobody' })).code).toBe(414)
  })

  it('of another application are others', async () => {
    for (const accid of ['bob', 'amy']) await service.other.call(accounts.create, { accid })
    await add('bob', 'amy')
    expect((await service.other.call(friends.get, { accid: 'bob' })).friends).toEqual([])
    expect((await service.other.call(friends.add, { accid: 'bob', faccid: 'eve', type: 1 })).code).toBe(414)
  })

  it('are all there after a restart', async () => {
    await add('bob', 'amy')
    await service.stop()
    service = await startService({ clock, dataDir: service.dataDir })
    expect(await get('amy')).toMatchObject([{ faccid: 'bob' }])
  })
})

describe('special relations', () => {
  const set = async (accid: string, targetAcc: string, relationType: number, value: number) =>
    (await service.call(relations.set, { accid, targetAcc, relationType, value })).code
  const lists = async (accid: string, client: Pick<TestService, 'call'> = service) => {
    const { mutelist, blacklist } = await client.call(relations.list, { accid })
    return { mutelist, blacklist }
  }

  it('are set, listed and taken off, in any case of the accid', async () => {
    expect([await set('BOB', 'AMY', 1, 1), await set('bob', 'Eve', 2, 1), await set('bob', 'amy', 2, 1)]).toEqual([
      200, 200, 200,
    ])
    expect(await lists('BOB')).toEqual({ blacklist: ['amy'], mutelist: ['eve', 'amy'] })
    expect(await lists('amy')).toEqual({ blacklist: [], mutelist: [] })
    expect([await set('bob', 'AMY', 1, 0), await set('bob', 'amy', 1, 0)]).toEqual([200, 200])
    expect(await lists('bob')).toEqual({ blacklist: [], mutelist: ['eve', 'amy'] })
    await service.stop()
    service = await startService({ clock, dataDir: service.dataDir })
    expect(await lists('bob')).toEqual({ blacklist: [], mutelist: ['eve', 'amy'] })
  })

  it('of nobody or with oneself answer 414', async () => {
    expect([await set('bob', 'nobody', 1, 1), await set('nobody', 'bob', 1, 1), await set('bob', 'Bob', 2, 1)]).toEqual(
      [414, 414, 414],
    )
    expect((await service.call(relations.list, { accid: 'nobody' })).code).toBe(414)
    expect((await service.other.call(relations.list, { accid: 'bob' })).code).toBe(414)
  })
})
