import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { scratch } from '../testing/rig.ts'
import { openCopyLog, type CopyArrival } from './copy-log.ts'

const arrival = (more: Partial<CopyArrival> = {}): CopyArrival => ({
  profileId: 'local',
  at: 1,
  verdict: 'accepted',
  verified: true,
  stale: false,
  test: null,
  from: '127.0.0.1',
  why: null,
  fields: {},
  headers: {},
  body: '{"eventType":"1"}',
  ...more,
})

it('is bounded, and forgeries never push genuine copies out', () => {
  using folder = scratch()
  const log = openCopyLog(path.join(folder.dir, 'copies.db'))
  const { id } = log.keep(arrival({ once: '1' }))
  for (let count = 0; count < 1500; count++) log.keep(arrival({ verdict: count % 2 ? 'forged' : 'unreadable', at: 2 }))
  expect(log.original('local', id)?.body).toBe('{"eventType":"1"}')
  const kept = log.list('local', 10_000)
  expect(kept.length).toBeLessThanOrEqual(1 + 200 + 100)
  expect(kept.at(-1)).toMatchObject({ id, verdict: 'accepted' })
  expect(log.original('local', kept[0]!.id)).toBeUndefined()

  for (let count = 0; count < 1200; count++) log.keep(arrival({ once: `g${count}` }))
  expect(log.list('local', 10_000).filter(({ verdict }) => verdict === 'accepted').length).toBeLessThanOrEqual(
    1000 + 100,
  )
  expect(log.original('local', id)).toBeUndefined()
  // What was pushed out is known all the same.
  expect(log.keep(arrival({ once: '1' })).verdict).toBe('duplicate')
  log.forget('local')
  expect([log.list('local', 10), log.keep(arrival({ once: '1' })).verdict]).toEqual([[], 'accepted'])
  log.close()
})

it('keeps what an earlier version wrote of a copy that is wrong, in its words', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'copies.db')
  const words = 'MD5 is missing or is not that of the body'
  openCopyLog(file).close()
  const database = new DatabaseSync(file)
  const { profileId, headers: _headers, body: _body, ...about } = arrival({ verdict: 'forged' })
  database
    .prepare(`insert into copy (profileId, about, headers, body) values (?, ?, '{}', '')`)
    .run(profileId, JSON.stringify({ ...about, why: words }))
  database.close()
  const log = openCopyLog(file)
  log.keep(arrival({ verdict: 'forged', why: reasonOf('copy', 'digest') }))
  expect(log.list('local', 10).map(({ why }) => why)).toEqual([
    { code: 'digest', params: {} },
    { code: 'unknown', params: { text: words } },
  ])
  log.close()
})

it('keeps copies of each profile apart, and the body of genuine ones only', () => {
  using folder = scratch()
  const log = openCopyLog(path.join(folder.dir, 'copies.db'))
  const first = log.keep(arrival({ once: '1', headers: { MD5: 'x' } }))
  expect(log.keep(arrival({ once: '1', profileId: 'h' })).verdict).toBe('accepted')
  expect(log.keep(arrival()).verdict).toBe('accepted')
  const forged = log.keep(arrival({ verdict: 'forged', headers: { MD5: 'x' } }))
  expect(log.original('local', first.id)).toEqual({ body: '{"eventType":"1"}', headers: { MD5: 'x' } })
  expect(log.original('h', first.id)).toBeUndefined()
  expect(log.original('local', forged.id)).toBeUndefined()
  expect(log.list('local', 2).map(({ verdict }) => verdict)).toEqual(['forged', 'accepted'])
  expect(log.list('h', 10)).toHaveLength(1)
  log.close()
})

it('keeps at each hundredth copy the latest 1,000 genuine ones and the latest 200 others', () => {
  using folder = scratch()
  const log = openCopyLog(path.join(folder.dir, 'copies.db'))
  for (let at = 1; at <= 1_100; at++) log.keep(arrival({ at }))
  expect(log.list('local', 10_000).map(({ at }) => at)).toEqual(Array.from({ length: 1_000 }, (_, n) => 1_100 - n))
  for (let at = 1_101; at <= 1_400; at++) log.keep(arrival({ at, verdict: at % 2 ? 'forged' : 'unreadable' }))
  const kept = log.list('local', 10_000)
  expect(kept.filter(({ verdict }) => verdict !== 'accepted').map(({ at }) => at)).toEqual(
    Array.from({ length: 200 }, (_, n) => 1_400 - n),
  )
  expect(kept.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(1_000)
  log.close()
})

it('knows the latest 50,000 messages of a profile again', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'copies.db')
  const log = openCopyLog(file)
  for (let count = 1; count < 100; count++) log.keep(arrival())
  const database = new DatabaseSync(file)
  database.exec(
    `insert into seen (profileId, once) with recursive n (n) as (values (1) union all select n + 1 from n
     where n < 50000) select 'local', 's' || n from n`,
  )
  database.close()
  expect(log.keep(arrival({ once: 'new' })).verdict).toBe('accepted')
  expect(['s2', 's1', 'new'].map((once) => log.keep(arrival({ once })).verdict)).toEqual([
    'duplicate',
    'accepted',
    'duplicate',
  ])
  log.close()
})
