import { systemClock } from '../../platform/clock.ts'
import { describe, expect, it } from 'vitest'
import { accounts as operations, local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import type { Caller } from '../http/dispatch.ts'
import type { AccountTable } from '../storage/messaging-tables.ts'
import { accountOperations } from './account-operations.ts'
import { createAccounts } from './accounts.ts'

/** The operations over accounts in memory, with recording sessions. */
async function createBench() {
  const rows: AccountTable[] = []
  const random = (bytes: number): Buffer => Buffer.alloc(bytes, 7)
  const accounts = await createAccounts({
    store: { load: () => Promise.resolve(rows), insert: () => Promise.resolve(), update: () => Promise.resolve() },
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
  const caller = { application: { uid: 7 }, address: '127.0.0.1' } as Caller
  const call = async (operation: Operation, args: object): Promise<unknown> => {
    const reading = readParameters(operation, args)
    if (!reading.ok) throw new Error(reading.refusal.reason)
    return served.find((one) => one.operation === operation)!.answer!(reading.value as never, caller)
  }
  await call(operations.create, { accid: 'bob' })
  await call(operations.create, { accid: 'amy' })
  return { call, asked }
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
