import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { globSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accounts, local } from '../../contract/operations/index.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { createAccountsStore, emptyAccountRow } from './accounts-store.ts'
import { createAccounts } from './accounts.ts'
import { beside, breakTables } from '../testing/beside.ts'
import { itOnSqlite } from '../testing/engines.ts'

let service: TestService
let clock: ManualWallClock
beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock, faults: true })
})
afterEach(() => service.close())

const unknown = { code: 414, desc: 'nobody is not registered' }
const create = async (accid: string, more: object = {}) =>
  (await service.call(accounts.create, { accid, ...more })).info!
const card = async (accid: string) => (await service.call(accounts.getUinfos, { accids: [accid] })).uinfos![0]
const breakStore = (): Promise<void> => breakTables(service.dataDir, 'account')

describe('user/create', () => {
  it('answers accid, name and the token that was given', async () => {
    expect(await service.call(accounts.create, { accid: 'bob', name: 'Bob 😀', token: 'secret' })).toEqual({
      code: 200,
      info: { accid: 'bob', name: 'Bob 😀', token: 'secret' },
    })
  })

  it('makes a token of its own when none is given, another each time', async () => {
    const [one, other] = [await create('a'), await create('b')]
    expect(one).toEqual({ accid: 'a', name: '', token: expect.stringMatching(/^[0-9a-f]{32}$/) as string })
    expect(other.token).not.toBe(one.token)
  })

  it('stores the accid in lower case, and says so', async () => {
    expect((await create('BoB_@.-9')).accid).toBe('bob_@.-9')
    expect(await service.call(accounts.create, { accid: 'bOb_@.-9' })).toEqual({ code: 414, desc: 'already register' })
  })

  it('registers an account once, also when two calls come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => service.call(accounts.create, { accid: index % 2 ? 'Twin' : 'twin' })),
    )
    expect(answers.map(({ code }) => code).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 414)])
    expect(answers.find(({ code }) => code === 414)!.desc).toBe('already register')
  })

  it('keeps applications apart', async () => {
    await create('bob', { name: 'mine' })
    expect((await service.other.call(accounts.create, { accid: 'bob', name: 'yours' })).code).toBe(200)
    expect(await card('bob')).toEqual({ accid: 'bob', name: 'mine', valid: true })
    await create('amy')
    expect((await service.other.call(accounts.block, { accid: 'amy' })).code).toBe(414)
    expect((await service.other.call(accounts.getUinfos, { accids: ['amy'] })).uinfos).toEqual([])
  })
})

describe('an accid', () => {
  it('is the same in any case, everywhere', async () => {
    await create('Bob')
    expect((await service.call(accounts.refreshToken, { accid: 'BOB' })).info).toMatchObject({ accid: 'bob' })
    for (const operation of [accounts.update, accounts.block, accounts.unblock, accounts.updateUinfo])
      expect([operation.path, (await service.call(operation, { accid: 'BOB' })).code]).toEqual([operation.path, 200])
    expect((await service.call(accounts.setDonnop, { accid: 'BOB', donnopOpen: true })).code).toBe(200)
    expect((await service.call(accounts.getUinfos, { accids: ['BOB', 'bob', 'Bob'] })).uinfos).toEqual([
      { accid: 'bob', valid: true },
    ])
    expect((await service.call(local.endSessions, { accid: 'BOB' })).code).toBe(200)
  })

  it('that nobody has answers 414', async () => {
    for (const operation of [
      accounts.update,
      accounts.refreshToken,
      accounts.block,
      accounts.unblock,
      accounts.updateUinfo,
    ])
      expect(await service.call(operation, { accid: 'nobody' })).toEqual(unknown)
    expect(await service.call(accounts.setDonnop, { accid: 'nobody', donnopOpen: true })).toEqual(unknown)
    expect((await service.call(local.endSessions, { accid: 'nobody' })).code).toBe(618)
  })
})

describe('a user card', () => {
  it('answers what is set, keeps what a call leaves out, and leaves unknown accounts out', async () => {
    await create('bob', { name: 'Bob', icon: 'https://x.example/i.png' })
    expect(await card('bob')).toEqual({ accid: 'bob', name: 'Bob', icon: 'https://x.example/i.png', valid: true })
    await service.call(accounts.updateUinfo, { accid: 'bob', sign: 'hi', gender: 0, ex: '{"a":1}' })
    await service.call(accounts.updateUinfo, {
      accid: 'bob',
      birth: '2000-01-01',
      mobile: '13800000000',
      email: 'b@x.example',
    })
    expect((await service.call(accounts.getUinfos, { accids: ['nobody', 'bob'] })).uinfos).toEqual([
      {
        accid: 'bob',
        name: 'Bob',
        icon: 'https://x.example/i.png',
        sign: 'hi',
        gender: 0,
        ex: '{"a":1}',
        birth: '2000-01-01',
        mobile: '13800000000',
        email: 'b@x.example',
        valid: true,
      },
    ])
  })

  it('is emptied only by a call that carries no optional parameter with a value', async () => {
    await create('bob')
    await service.call(accounts.updateUinfo, { accid: 'bob', name: 'Bob', sign: 'hi', icon: 'i', ex: 'x' })
    // Clients send all fields, empty if unset.
    await service.call(accounts.updateUinfo, { accid: 'bob', name: 'Bobby', sign: '', icon: '', ex: '' })
    expect(await card('bob')).toEqual({ accid: 'bob', name: 'Bobby', sign: 'hi', icon: 'i', ex: 'x', valid: true })
    await service.call(accounts.updateUinfo, { accid: 'bob', name: '', sign: '', icon: '', email: '' })
    expect(await card('bob')).toEqual({ accid: 'bob', name: 'Bobby', ex: 'x', valid: true })
    await service.call(accounts.updateUinfo, { accid: 'bob' })
    expect(await card('bob')).toEqual({ accid: 'bob', name: 'Bobby', ex: 'x', valid: true })
  })
})

describe('a token', () => {
  const open = async (dataDir: string) => {
    const store = await openStore(dataDir)
    const kept = await createAccounts({
      store: createAccountsStore(store.db),
      journal: createMemoryJournal(store),
      clock,
      random: (bytes) => Buffer.alloc(bytes, 1),
    })
    const uid = (
      await store.db.selectFrom('application').select('uid').where('name', '=', 'main').executeTakeFirstOrThrow()
    ).uid
    return {
      matches: (accid: string, token: string) => kept.tokenMatches(uid, accid, token),
      close: () => store.close(),
    }
  }

  itOnSqlite('is nowhere in the files of the service, and still known after a restart', async () => {
    const tokens = ['canary-one-4711', 'canary-two-0815']
    await create('bob', { token: tokens[0] })
    await service.call(accounts.update, { accid: 'bob', token: tokens[1] })
    await create('amy', { token: tokens[1] })
    const made = (await create('eve')).token
    const { token: renewed } = (await service.call(accounts.refreshToken, { accid: 'eve' })).info!
    await service.stop()
    const files = globSync('**/*', { cwd: service.dataDir, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.map(({ name }) => name)).toContain('sidestage.db')
    for (const { parentPath, name } of files)
      for (const token of [...tokens, made, renewed])
        expect([name, readFileSync(`${parentPath}/${name}`).includes(token)]).toEqual([name, false])

    const kept = await open(service.dataDir)
    expect(renewed).not.toBe(made)
    expect([kept.matches('bob', tokens[0]!), kept.matches('bob', tokens[1]!), kept.matches('amy', tokens[1]!)]).toEqual(
      [false, true, true],
    )
    expect([
      kept.matches('eve', made),
      kept.matches('eve', renewed),
      kept.matches('eve', ''),
      kept.matches('nobody', renewed),
    ]).toEqual([false, true, false, false])
    await kept.close()
  })

  it('is in no row of the database', async () => {
    const tokens = ['canary-one-4711', 'canary-two-0815']
    await create('bob', { token: tokens[0] })
    await service.call(accounts.update, { accid: 'bob', token: tokens[1] })
    await beside(service.dataDir, async (db) => {
      const names = (await db.introspection.getTables()).map(({ name }) => name)
      const told: string[] = []
      for (const name of names)
        told.push(JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows))
      expect(told[names.indexOf('account')]).toContain('bob')
      for (const token of tokens) expect(names.filter((_, index) => told[index]!.includes(token))).toEqual([])
    })
  })

  it('of two accounts that have the same is kept differently', async () => {
    await create('bob', { token: 'same' })
    await create('amy', { token: 'same' })
    const rows = await beside(service.dataDir, (db) => db.selectFrom('account').select('token').execute())
    expect(new Set(rows.map(({ token }) => token)).size).toBe(2)
    for (const { token } of rows) expect(token).toMatch(/^[0-9a-f]{32}:[0-9a-f]{64}$/)
  })

  it('may be of 128 characters in any script', async () => {
    const token = '😀中x%'.repeat(32)
    expect((await create('bob', { token })).token).toBe(token)
    await service.stop()
    const kept = await open(service.dataDir)
    expect([kept.matches('bob', token), kept.matches('bob', token.slice(0, -1))]).toEqual([true, false])
    await kept.close()
  })
})

describe('account/list', () => {
  const list = async (request: object = {}) => (await service.call(local.accounts, request)).ret!.list
  const accids = async (request: object = {}) => (await list(request)).map(({ accid }) => accid)

  it('gives pages by accid, and finds accids and names in any case', async () => {
    for (const accid of ['bob', 'Amy', 'eve', 'z_9', 'z-1'])
      await create(accid, { name: `Name of ${accid.toUpperCase()} 中` })
    await service.call(accounts.block, { accid: 'eve' })
    expect(await list({ limit: 2 })).toEqual([
      { accid: 'amy', name: 'Name of AMY 中', blocked: false, online: false },
      { accid: 'bob', name: 'Name of BOB 中', blocked: false, online: false },
    ])
    expect(await list({ after: 'BOB', limit: 1 })).toEqual([
      { accid: 'eve', name: 'Name of EVE 中', blocked: true, online: false },
    ])
    expect(await accids({ after: 'eve' })).toEqual(['z-1', 'z_9'])
    expect(await accids({ after: 'nobody' })).toEqual(['z-1', 'z_9'])
    expect(await accids({ search: 'Z_' })).toEqual(['z_9'])
    expect(await accids({ search: 'of b' })).toEqual(['bob'])
    expect(await accids({ search: '中', after: 'bob', limit: 1 })).toEqual(['eve'])
    expect(await accids({ search: 'nothing like it' })).toEqual([])
    expect((await service.other.call(local.accounts, {})).ret).toEqual({ list: [] })
  })

  it('and endSessions answer 501 when the service itself fails', async () => {
    await create('bob')
    for (const [operation, call] of [
      [local.accounts, {}],
      [local.endSessions, { accid: 'bob' }],
    ] as const) {
      await service.call(local.faults, { path: operation.path, code: 501, times: 1 })
      expect((await service.send(operation, call)).code).toBe(501)
      expect((await service.send(operation, call)).code).toBe(200)
    }
    expect((await service.send(local.endSessions, {})).code).toBe(631)
  })

  it('refuses a page that is too large', async () => {
    expect((await service.send(local.accounts, { limit: 1001 })).code).toBe(631)
    expect((await service.send(local.accounts, { limit: 0 })).code).toBe(631)
  })
})

describe('accounts', () => {
  it('are all there after a restart, with what was changed', async () => {
    await create('Bob', { name: 'Bob', props: '{"a":1}', icon: 'i' })
    await service.call(accounts.updateUinfo, { accid: 'bob', sign: 's', gender: 1 })
    await service.call(accounts.block, { accid: 'bob' })
    await create('amy')
    await service.stop()
    service = await startService({ clock, dataDir: service.dataDir })
    expect((await service.call(accounts.getUinfos, { accids: ['bob', 'amy'] })).uinfos).toEqual([
      { accid: 'bob', name: 'Bob', icon: 'i', sign: 's', gender: 1, valid: false },
      { accid: 'amy', valid: true },
    ])
    expect((await service.call(local.accounts, {})).ret!.list.map(({ blocked }) => blocked)).toEqual([false, true])
    expect((await service.call(accounts.create, { accid: 'BOB' })).desc).toBe('already register')
    await service.call(accounts.unblock, { accid: 'bob' })
    expect((await service.call(local.accounts, {})).ret!.list.map(({ blocked }) => blocked)).toEqual([false, false])
  })

  it('of ten thousand do not keep the service from starting', async () => {
    await service.stop()
    const store = await openStore(service.dataDir)
    const { uid } = await store.db
      .selectFrom('application')
      .select('uid')
      .where('name', '=', 'main')
      .executeTakeFirstOrThrow()
    const { write } = createAccountsStore(store.db)
    const texts = { token: `${'0'.repeat(32)}:${'0'.repeat(64)}`, ex: '{"k":"v"}' }
    await store.db.transaction().execute(async (transaction) => {
      for (let index = 0; index < 10_000; index++)
        await write(transaction, {
          row: { ...emptyAccountRow, uid, ...texts, accid: `account-${index}`, name: `Name ${index}`, created: 1 },
        })
    })
    await store.close()
    const begun = performance.now()
    service = await startService({ clock, dataDir: service.dataDir })
    const took = performance.now() - begun
    console.log(`start with 10,000 accounts: ${Math.round(took)} ms`)
    expect(
      (await service.call(local.accounts, { after: 'account-9997', limit: 1000 })).ret!.list.map(({ accid }) => accid),
    ).toEqual(['account-9998', 'account-9999'])
    expect((await service.call(local.accounts, { search: 'name 77', limit: 1000 })).ret!.list).toHaveLength(111)
    expect(took).toBeLessThan(5000)
  })

  it('are not changed by a call that the store refused', async () => {
    await create('bob', { name: 'Bob' })
    await breakStore()
    expect((await service.call(accounts.create, { accid: 'amy' })).code).toBe(500)
    expect((await service.call(accounts.updateUinfo, { accid: 'bob', name: 'Eve' })).code).toBe(500)
    expect((await service.call(accounts.refreshToken, { accid: 'bob' })).code).toBe(500)
    expect((await service.call(accounts.getUinfos, { accids: ['bob', 'amy'] })).uinfos).toEqual([
      { accid: 'bob', name: 'Bob', valid: true },
    ])
  })
})
