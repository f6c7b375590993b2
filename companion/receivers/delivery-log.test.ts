import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { scratch } from '../testing/rig.ts'
import { openDeliveryLog } from './delivery-log.ts'

it('keeps what an earlier version wrote of a callback that is wrong, in its words', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'deliveries.db')
  const words = 'the signature is not right: another key, or the message was changed'
  openDeliveryLog(file).close()
  const database = new DatabaseSync(file)
  database
    .prepare(
      `insert into delivery (profileId, at, verdict, stale, test, remote, why, fields, sign, body)
       values ('local', 1, 'forged', 0, null, '127.0.0.1', ?, '{}', '', '')`,
    )
    .run(words)
  database.close()
  const log = openDeliveryLog(file)
  log.keep({
    profileId: 'local',
    at: 2,
    verdict: 'forged',
    test: null,
    from: '127.0.0.1',
    why: reasonOf('callback', 'signature'),
    fields: {},
    stale: () => false,
    sign: '',
    body: '',
  })
  expect(log.list('local', 10).map(({ why }) => why)).toEqual([
    { code: 'signature', params: {} },
    { code: 'unknown', params: { text: words } },
  ])
  log.close()
})

it('keeps messages of each profile apart', () => {
  using folder = scratch()
  const log = openDeliveryLog(path.join(folder.dir, 'deliveries.db'))
  const firstSeen: (number | undefined)[] = []
  const arrival = {
    profileId: 'local',
    verdict: 'genuine',
    test: null,
    from: 'x',
    why: null,
    fields: { a: 'b' },
    nId: 'n',
    stale: (first: number | undefined) => {
      firstSeen.push(first)
      return true
    },
    sign: 's',
    body: 'body',
  } as const
  expect(log.keep({ ...arrival, at: 1 })).toMatchObject({ at: 1, verdict: 'accepted', stale: true, fields: { a: 'b' } })
  const second = log.keep({ ...arrival, at: 5, test: 'replay' })
  expect(second).toMatchObject({ verdict: 'duplicate', test: 'replay', stale: true })
  expect(log.keep({ ...arrival, at: 6, profileId: 'h' }).verdict).toBe('accepted')
  expect(firstSeen).toEqual([undefined, 1, undefined])
  // What is not genuine is late in no way, and its body is not kept.
  const { nId: _nId, ...unnumbered } = arrival
  const forged = log.keep({ ...unnumbered, at: 7, verdict: 'forged', why: reasonOf('callback', 'signature') })
  expect([forged.stale, firstSeen.length]).toEqual([false, 3])
  expect(log.original('local', second.id)).toEqual({ body: 'body', sign: 's' })
  expect(log.original('local', forged.id)).toBeUndefined()
  expect(log.original('h', second.id)).toBeUndefined()
  expect(log.list('local', 10).map(({ at }) => at)).toEqual([7, 5, 1])
  expect(log.list('local', 2).map(({ at }) => at)).toEqual([7, 5])
  log.places.set('local', { host: 'a', port: 1, on: true })
  log.places.set('h', { host: 'b', port: 2, on: false })
  log.places.set('h', { host: 'c', port: 3, on: true })
  log.forget('local')
  expect([...log.places.all()]).toEqual([['h', { host: 'c', port: 3, on: true }]])
  expect([log.list('local', 10), log.list('h', 10).length]).toEqual([[], 1])
  expect(log.keep({ ...arrival, at: 8 }).verdict).toBe('accepted')
  log.close()
})

it('knows the latest 20,000 messages of a profile again', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'deliveries.db')
  const log = openDeliveryLog(file)
  const database = new DatabaseSync(file)
  database.exec(
    `insert into seen (profileId, nId, at) with recursive n (n) as (values (1) union all select n + 1 from n
     where n < 20000) select 'local', 'n' || n, 1 from n`,
  )
  database.close()
  const verdictOf = (nId: string) =>
    log.keep({
      profileId: 'local',
      at: 2,
      verdict: 'genuine',
      test: null,
      from: 'x',
      why: null,
      fields: {},
      nId,
      stale: () => false,
      sign: '',
      body: '',
    }).verdict
  expect(['new', 'n2', 'n1', 'n2'].map(verdictOf)).toEqual(['accepted', 'duplicate', 'accepted', 'accepted'])
  log.close()
})
