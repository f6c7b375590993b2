import { systemClock } from '../../platform/clock.ts'
import { describe, expect, it } from 'vitest'
import { accounts as operations, local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import type { Caller } from '../http/dispatch.ts'
import { journalWithoutStore } from '../journal/testing/journal-without-store.ts'
import { accountOperations } from './account-operations.ts'
import type { AccountChange, AccountsStore } from './accounts-store.ts'
import { createAccounts } from './accounts.ts'

/** The operations over accounts in memory, with recording sessions. */
async function createBench(store?: AccountsStore['write']) {
  const written: AccountChange[] = []
  const write: AccountsStore['write'] = async (transaction, change) => {
    await store?.(transaction, change)
    written.push(change)
  }
  const random = (bytes: number): Buffer => Buffer.alloc(bytes, 7)
  const accounts = await createAccounts({
    store: { load: () => Promise.resolve([]), write },
    journal: journalWithoutStore(),
    clock: { ...systemClock, now: () => 1 },
    random,
  })
  const asked: unknown[] = []
  const served = accountOperations({
    accounts,
    random,
    sessions: {
      kick: (...args) => asked.push(['kick', ...args]),
      tell: (...args) => asked.push(['tell', ...args]),
      online: (_uid, accid) => (accid === 'bob' ? ['PC', 'IOS'] : []),
    },
  })
  const caller = { application: { uid: 7 }, subnet: '127.0.0.1' } as Caller
  const call = async (operation: Operation, args: object): Promise<unknown> => {
    const reading = readParameters(operation, args)
    if (!reading.ok) throw new Error(reading.refusal.reason)
    return served.find((one) => one.operation === operation)!.answer!(reading.value as never, caller)
  }
  if (!store) {
    await call(operations.create, { accid: 'bob' })
    await call(operations.create, { accid: 'amy' })
  }
  return { call, asked, written, accounts }
}

describe('sessions of an account', () => {
  it('are ended by a block with needkick and by endSessions, not by a block without it', async () => {
    const { call, asked } = await createBench()
    await call(operations.block, { accid: 'BOB' })
    expect(asked).toEqual([])
    await call(operations.block, { accid: 'BOB', needkick: 'true' })
    await call(local.endSessions, { accid: 'Bob' })
    await call(operations.unblock, { accid: 'bob' })
    await call(operations.refreshToken, { accid: 'bob' })
    expect(asked).toEqual([
      ['kick', 7, 'bob', 'blocked'],
      ['kick', 7, 'bob', 'ended'],
    ])
  })

  it('are told when donnop changes, and not when it stays', async () => {
    const { call, asked } = await createBench()
    for (const donnopOpen of ['false', 'true', '1', 'false'])
      await call(operations.setDonnop, { accid: 'bob', donnopOpen })
    expect(asked).toEqual([
      ['tell', 7, 'bob', { t: 'settings', donnop: true }],
      ['tell', 7, 'bob', { t: 'settings', donnop: false }],
    ])
  })

  it('show in the list', async () => {
    const { call } = await createBench()
    expect(await call(local.accounts, {})).toEqual({
      ret: {
        list: [
          { accid: 'amy', name: '', blocked: false, online: false },
          { accid: 'bob', name: '', blocked: false, online: true },
        ],
      },
    })
  })
})

describe('a registration', () => {
  it('has a generated token of 16 bytes where none is given, and is stored with the time', async () => {
    const { call, written } = await createBench()
    expect(await call(operations.create, { accid: 'Eve', name: 'Eve' })).toEqual({
      info: { token: '07'.repeat(16), accid: 'eve', name: 'Eve' },
    })
    expect(written.at(-1)).toMatchObject({
      row: { uid: 7, accid: 'eve', name: 'Eve', created: 1, blocked: 0, donnop: 0 },
    })
  })

  it('leaves out a mobile number that is not supported, and keeps the rest', async () => {
    const { call, accounts } = await createBench()
    await call(operations.create, { accid: 'eve', name: 'Eve', mobile: '+1-5550100' })
    expect(accounts.must(7, 'eve')).toMatchObject({ name: 'Eve', mobile: '' })
    await call(operations.updateUinfo, { accid: 'eve', mobile: '13800000000' })
    expect(accounts.must(7, 'eve').mobile).toBe('13800000000')
    await call(operations.updateUinfo, { accid: 'eve', sign: 'hi', mobile: '+1-5550100' })
    expect(accounts.must(7, 'eve')).toMatchObject({ sign: 'hi', mobile: '13800000000' })
  })

  it('that the database already has is answered as one that is known', async () => {
    const { call } = await createBench(() => Promise.reject(Object.assign(new Error('unique'), { errcode: 1555 })))
    await expect(call(operations.create, { accid: 'bob' })).rejects.toMatchObject({
      code: 414,
      message: 'already register',
      reason: 'present',
    })
  })

  it('that could not be stored may be tried again', async () => {
    let fails = true
    const { call } = await createBench(() => (fails ? Promise.reject(new Error('full')) : Promise.resolve()))
    await expect(call(operations.create, { accid: 'bob' })).rejects.toThrow('full')
    fails = false
    expect(await call(operations.create, { accid: 'bob' })).toMatchObject({ info: { accid: 'bob' } })
  })
})

describe('an account that is not registered', () => {
  it('is refused with the reason that it is missing', async () => {
    const { call } = await createBench()
    for (const [operation, args] of [
      [operations.block, { accid: 'nobody' }],
      [operations.setDonnop, { accid: 'nobody', donnopOpen: 'true' }],
      [local.endSessions, { accid: 'nobody' }],
    ] as const)
      await expect(call(operation, args)).rejects.toMatchObject({
        message: 'nobody is not registered',
        reason: 'missing',
      })
  })
})

describe('a user card', () => {
  it('is given once for each account however often it is asked for, and says whether it is blocked', async () => {
    const { call } = await createBench()
    await call(operations.block, { accid: 'bob' })
    await call(operations.updateUinfo, { accid: 'amy', gender: 2, sign: 'hi' })
    expect(await call(operations.getUinfos, { accids: ['bob', 'amy', 'BOB', 'nobody'] })).toEqual({
      uinfos: [
        { accid: 'bob', valid: false },
        { accid: 'amy', sign: 'hi', gender: 2, valid: true },
      ],
    })
  })
})

describe('what the store has', () => {
  it('is written before it takes effect, and only what was named', async () => {
    const { call, accounts, written } = await createBench()
    written.length = 0
    await call(operations.block, { accid: 'bob' })
    await call(operations.setDonnop, { accid: 'bob', donnopOpen: 'true' })
    await call(operations.unblock, { accid: 'bob' })
    expect(written).toEqual([
      { uid: 7, accid: 'bob', values: { blocked: 1 } },
      { uid: 7, accid: 'bob', values: { donnop: 1 } },
      { uid: 7, accid: 'bob', values: { blocked: 0 } },
    ])
    expect(accounts.must(7, 'bob')).toMatchObject({ blocked: false, donnop: true })
  })
})
