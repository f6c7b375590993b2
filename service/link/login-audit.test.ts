import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { eventually } from '../testing/eventually.ts'
import { createLoginAudit, forgetOldRecords, recordTypes, type LogInRecord, type LoginAudit } from './login-audit.ts'

let folder: string
let store: Store
let records: LoginAudit
let warnings: string[]
/** Errors of the next copies, and their transactions with them. */
let failures: Error[]
let copied: LogInRecord[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-audit-'))
  store = await openStore(folder)
  warnings = []
  failures = []
  copied = []
  records = createLoginAudit(
    store.db,
    {
      enqueue(_transaction, record) {
        const failure = failures.shift()
        if (failure) return Promise.reject(failure)
        copied.push(record)
        return Promise.resolve()
      },
    },
    { warn: (_about: unknown, words?: string) => void warnings.push(words ?? '') },
  )
})
afterEach(async () => {
  await records.settled()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const record = (at: number, more: Partial<LogInRecord> = {}): LogInRecord => ({
  uid: 1,
  accid: 'ann',
  at,
  eventType: recordTypes.login,
  clientIp: '127.0.0.1',
  sdkVersion: '1',
  clientType: 'WEB',
  code: 200,
  ...more,
})
const note = async (...of: readonly LogInRecord[]): Promise<void> => {
  for (const each of of) records.note(each)
  await records.settled()
}
const times = async (more: Partial<Parameters<LoginAudit['query']>[0]> = {}): Promise<number[]> =>
  (await records.query({ uid: 1, accid: 'ann', begin: 0, end: 1000, limit: 100, ascending: true, ...more })).map(
    ({ at }) => at,
  )

describe('records of an account', () => {
  beforeEach(() => note(record(100), record(200), record(300), record(250, { accid: 'bob' }), record(260, { uid: 2 })))

  it('are those from the begin to the end, both included, in the order that is asked for', async () => {
    expect(await times()).toEqual([100, 200, 300])
    expect(await times({ ascending: false })).toEqual([300, 200, 100])
    expect(await times({ begin: 100, end: 200 })).toEqual([100, 200])
    expect(await times({ begin: 101, end: 299 })).toEqual([200])
    expect([await times({ limit: 2 }), await times({ limit: 2, ascending: false })]).toEqual([
      [100, 200],
      [300, 200],
    ])
    expect([await times({ accid: 'bob' }), await times({ uid: 2 })]).toEqual([[250], [260]])
  })

  it('of one moment stand in the order in which they came', async () => {
    await note(record(300, { eventType: recordTypes.logout }))
    const types = async (ascending: boolean) =>
      (await records.query({ uid: 1, accid: 'ann', begin: 300, end: 300, limit: 9, ascending })).map(
        ({ eventType }) => eventType,
      )
    expect([await types(true), await types(false)]).toEqual([
      [2, 3],
      [3, 2],
    ])
  })

  it('are removed where they are older than that, of that application, in whatever number', async () => {
    await note(...Array.from({ length: 1_200 }, () => record(150)))
    await records.forget(1, 200)
    expect([await times(), await times({ accid: 'bob' }), await times({ uid: 2 })]).toEqual([[200, 300], [250], [260]])
    await records.forget(2, 261)
    expect(await times({ uid: 2 })).toEqual([])
  })
})

describe('a record', () => {
  it('is stored with its copy, or neither is', async () => {
    failures.push(new Error('the outbox is broken'))
    await note(record(100))
    expect([await times(), copied, warnings]).toEqual([[], [], ['a log-in record could not be stored']])
    await note(record(200))
    expect([await times(), copied.map(({ at }) => at)]).toEqual([[200], [200]])
  })

  it('that a full disk refused is stored with the next one', async () => {
    failures.push(Object.assign(new Error('write'), { code: 'ENOSPC' }))
    await note(record(100))
    expect(await times()).toEqual([])
    await note(record(200))
    expect(await times()).toEqual([100, 200])
    await note(record(300))
    expect(await times()).toEqual([100, 200, 300])
  })

  it('is dropped where 10,000 are waiting, which the log says', async () => {
    for (let at = 0; at < 10_002; at++) records.note(record(at))
    expect(warnings).toEqual(Array.from({ length: 2 }, () => 'a log-in record was dropped: too many are waiting'))
    await records.settled()
    expect(copied).toHaveLength(10_000)
    await note(record(1))
    expect(copied).toHaveLength(10_001)
  })
})

it('old records are removed at the start and every hour, for each application by its days, until the end', async () => {
  const clock = manualClock(1_800_000_000_000)
  const forgotten: string[] = []
  const end = forgetOldRecords({
    records: {
      forget: (uid, before) => {
        forgotten.push(`${uid} ${clock.now() - before}`)
        return uid === 2 ? Promise.reject(new Error('disk')) : Promise.resolve()
      },
    },
    uids: [1, 2],
    days: (uid) => uid * 10,
    clock,
    log: { warn: (_about: unknown, words?: string) => void warnings.push(words ?? '') },
  })
  const round = ['1 864000000', '2 1728000000']
  expect(forgotten).toEqual(round)
  clock.advance(3_599_999)
  expect(forgotten).toEqual(round)
  clock.advance(1)
  expect(forgotten).toEqual([...round, ...round])
  await eventually(() =>
    expect(warnings).toEqual(Array.from({ length: 2 }, () => 'old log-in records could not be deleted')),
  )
  end()
  clock.advance(7_200_000)
  expect(forgotten).toHaveLength(4)
})

it('records of one address are kept 2,000 at once, then one in 5 s; of others and this computer all', async () => {
  const clock = manualClock()
  const bounded = createLoginAudit(
    store.db,
    {
      enqueue: (_transaction, one) => {
        copied.push(one)
        return Promise.resolve()
      },
    },
    { warn: (about: unknown, words?: string) => void warnings.push(`${JSON.stringify(about)} ${words}`) },
    store.db,
    clock,
  )
  const from = (clientIp: string, count: number): void => {
    for (let each = 0; each < count; each++) bounded.note(record(each, { clientIp }))
  }
  from('192.0.2.8', 2_001)
  // Of what has begun to come back a whole one may be taken, and the next 5 s later.
  clock.advance(1)
  from('192.0.2.8', 2)
  clock.advance(4_998)
  from('192.0.2.8', 1)
  clock.advance(2)
  from('192.0.2.8', 2)
  from('192.0.2.9', 1)
  from('127.0.0.1', 5)
  await bounded.settled()
  const kept = (ip: string): number => copied.filter(({ clientIp }) => clientIp === ip).length
  expect([kept('192.0.2.8'), kept('192.0.2.9'), kept('127.0.0.1')]).toEqual([2_002, 1, 5])
  expect(warnings[0]).toBe('{"uid":1,"address":"192.0.2.8"} log-in records are left out: too many of one address')
})

it('of records that a full disk refused 1,000 are kept for the next, and the others dropped', async () => {
  failures.push(...Array.from({ length: 2_500 }, () => Object.assign(new Error('write'), { code: 'ENOSPC' })))
  await note(...Array.from({ length: 1_002 }, (_, at) => record(at)))
  expect(copied).toEqual([])
  failures.length = 0
  await note(record(5_000))
  expect(copied).toHaveLength(1_001)
  expect(copied.at(-1)?.at).toBe(5_000)
})
