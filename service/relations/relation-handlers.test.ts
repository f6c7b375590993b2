import { expect, it } from 'vitest'
import { friends as friendContract, relations as contract } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import type { Caller } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { relationOperations } from './relation-operations.ts'

/** The operations over friends and lists in memory, and what they did. */
function made() {
  const did: unknown[] = []
  const note =
    (name: string) =>
    (...what: unknown[]): Promise<void> => {
      did.push([name, ...what])
      return Promise.resolve()
    }
  const side = { uid: 7, accid: 'bob', ex: 'kept back' }
  const served = relationOperations({
    accounts: {
      must: (_uid, accid) => {
        if (accid === 'nobody') throw new Refused(414, 'nobody is not registered', 'missing')
        return {} as never
      },
    },
    friends: {
      act: note('act'),
      rename: note('rename'),
      areFriends: () => false,
      friendsOf: () => [
        { ...side, friend: 'amy', alias: '', changed: 100 },
        { ...side, friend: 'eve', alias: 'E', changed: 200 },
      ],
    },
    lists: {
      setListed: note('list'),
      hasBlacklisted: () => false,
      hasQuieted: () => false,
      listOf: (uid, owner, kind) => [`${uid} ${owner} ${kind}`],
    },
  })
  const call = async (operation: Operation, args: object): Promise<unknown> => {
    const reading = readParameters(operation, args)
    if (!reading.ok) throw new Error(reading.refusal.reason)
    const one = served.find((each) => each.operation === operation)!
    return one.answer!(reading.value as never, { application: { uid: 7 }, subnet: '::1' } as Caller)
  }
  return { call, did }
}

it('a friend is added as it is said, by REST, ended, and renamed with what is given only', async () => {
  const { call, did } = made()
  expect(await call(friendContract.add, { accid: 'BOB', faccid: 'AMY', type: 2, msg: 'hi' })).toEqual({})
  expect(await call(friendContract.remove, { accid: 'bob', faccid: 'amy' })).toEqual({})
  expect(await call(friendContract.update, { accid: 'bob', faccid: 'amy', alias: 'A' })).toEqual({})
  expect(did).toEqual([
    ['act', 7, { accid: 'bob', other: 'amy', action: 2, msg: 'hi', clientType: 'REST' }],
    ['act', 7, { accid: 'bob', other: 'amy', action: 5, clientType: 'REST' }],
    ['rename', 7, 'bob', 'amy', { alias: 'A' }],
  ])
})

it('friends are listed that changed at a time or later, with an alias if there is one and no extension', async () => {
  const { call } = made()
  const [amy, eve] = [
    { faccid: 'amy', createtime: 100, bidirection: true },
    { faccid: 'eve', createtime: 200, bidirection: true, alias: 'E' },
  ]
  const get = (more: object = {}) => call(friendContract.get, { accid: 'bob', ...more })
  expect(await get()).toEqual({ size: 2, friends: [amy, eve] })
  expect(await get({ createtime: 100 })).toEqual({ size: 2, friends: [amy, eve] })
  expect(await get({ createtime: 101 })).toEqual({ size: 1, friends: [eve] })
  expect(await get({ updatetime: 201 })).toEqual({ size: 0, friends: [] })
  await expect(get({ accid: 'nobody' })).rejects.toMatchObject({ code: 414 })
})

it('the blacklist has the number 1 and the mute list 2, which are set with 1 and taken off with 0', async () => {
  const { call, did } = made()
  for (const [relationType, value] of [
    [1, 1],
    [2, 0],
  ])
    expect(await call(contract.set, { accid: 'BOB', targetAcc: 'AMY', relationType, value })).toEqual({})
  expect(did).toEqual([
    ['list', 7, { accid: 'bob', target: 'amy', kind: 1, on: true }],
    ['list', 7, { accid: 'bob', target: 'amy', kind: 2, on: false }],
  ])
  expect(await call(contract.list, { accid: 'bob' })).toEqual({ mutelist: ['7 bob 2'], blacklist: ['7 bob 1'] })
  await expect(call(contract.list, { accid: 'nobody' })).rejects.toMatchObject({ code: 414 })
})
