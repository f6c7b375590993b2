import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { openReceiverDatabase, type ReceiverDatabase } from './receiver-database.ts'

let folder: ReturnType<typeof scratch>
let opened: ReceiverDatabase
const open = (): ReceiverDatabase =>
  openReceiverDatabase(
    path.join(folder.dir, 'x.db'),
    { copy: 'profileId text not null, value text not null', seen: 'profileId text not null, value text not null' },
    (database) => database,
  )
beforeEach(() => {
  folder = scratch()
  opened = open()
})
afterEach(() => {
  opened.database.close()
  folder[Symbol.dispose]()
})
const put = (table: string, profileId: string, value: string) =>
  opened.database.prepare(`insert into ${table} (profileId, value) values (?, ?)`).run(profileId, value)
const valuesOf = (table: string) =>
  opened.database
    .prepare(`select value from ${table} order by value`)
    .all()
    .map(({ value }) => value)

it('keeps a place of each profile, the last one that was set, over a restart', () => {
  expect([...opened.places.all()]).toEqual([])
  opened.places.set('a', { host: '127.0.0.1', port: 1, on: true })
  opened.places.set('b', { host: '::', port: 2, on: false })
  opened.places.set('a', { host: '0.0.0.0', port: 3, on: false })
  opened.places.set('b', { host: '::', port: 2, on: true })
  opened.database.close()
  opened = open()
  expect(Object.fromEntries(opened.places.all())).toEqual({
    a: { host: '0.0.0.0', port: 3, on: false },
    b: { host: '::', port: 2, on: true },
  })
})

it('does work together or not at all, and gives what it came to', () => {
  expect(opened.together(() => put('copy', 'a', 'kept').changes)).toBe(1)
  expect(() =>
    opened.together(() => {
      put('copy', 'a', 'lost')
      throw new Error('why')
    }),
  ).toThrow('why')
  expect([valuesOf('copy'), opened.database.isTransaction]).toEqual([['kept'], false])
})

it('says what went wrong also where the transaction is over by itself', () => {
  expect(() =>
    opened.together(() => {
      opened.database.exec('rollback')
      throw new Error('of a full disk')
    }),
  ).toThrow('of a full disk')
})

it('forgets of a profile its place and everything in each table, and nothing of others', () => {
  for (const profileId of ['a', 'b']) {
    opened.places.set(profileId, { host: '127.0.0.1', port: 1, on: true })
    put('copy', profileId, profileId)
    put('seen', profileId, profileId)
  }
  opened.forget('a')
  expect([[...opened.places.all().keys()], valuesOf('copy'), valuesOf('seen')]).toEqual([['b'], ['b'], ['b']])
})

it('writes each message to the disk before it answers', () => {
  const of = (name: string) => Object.values(opened.database.prepare(`pragma ${name}`).get() as object)[0] as unknown
  expect([of('journal_mode'), of('synchronous'), of('busy_timeout')]).toEqual(['wal', 2, 2_000])
})
