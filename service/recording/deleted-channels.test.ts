import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { migrations } from '../storage/migrations.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { listFile, type ListedFile } from './testing/listed-file.ts'
import { beside } from '../testing/beside.ts'
import { itOnSqlite } from '../testing/engines.ts'

let clock: ManualWallClock
let service: TestService
let kept: string
let gone: string

beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock, faults: true })
  kept = (await service.call(live.create, { name: 'kept' })).ret!.cid
  gone = (await service.call(live.create, { name: 'gone' })).ret!.cid
})
afterEach(() => service.close())

const listed = (cid: string, values?: ListedFile): Promise<number> => listFile(service, cid, clock.now(), values)
const remove = async (cid: string): Promise<void> => expect((await service.call(live.remove, { cid })).code).toBe(200)
const all = async (parameters: Parameters<typeof service.call<typeof local.allRecordedFiles>>[1] = {}) =>
  (await service.call(local.allRecordedFiles, parameters)).ret!
const restart = async (): Promise<void> => {
  const { dataDir } = service
  await service.stop()
  service = await startService({ clock, dataDir, faults: true })
}
/** Runs statements on the database of the service. */
const outside = (...statements: string[]): Promise<void> =>
  beside(service.dataDir, async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  })

it('lists, plays and deletes the files of a deleted channel, under the name that it had last', async () => {
  const [first, second] = [
    await listed(kept, { begin: clock.now() - 20_000 }),
    await listed(gone, { bytes: Buffer.from('the film') }),
  ]
  await service.call(live.update, { cid: gone, name: 'gone2' })
  clock.advance(1000)
  await remove(gone)
  await restart()
  expect((await service.call(local.deletedChannels, {})).ret!.list).toEqual([
    { cid: gone, name: 'gone2', deleted: clock.now() },
  ])
  const { list, more } = await all()
  expect(list.map(({ vid, cid, channel, deleted }) => ({ vid, cid, channel, deleted }))).toEqual([
    { vid: second, cid: gone, channel: 'gone2', deleted: true },
    { vid: first, cid: kept, channel: 'kept', deleted: false },
  ])
  expect(list[0]).toMatchObject({ bytes: 8, duration: 10_000, codecs: 'avc1', merged: false, format: 0, key: 'key' })
  expect(more).toBe(false)
  expect((await all({ deletedOnly: true })).list.map(({ vid }) => vid)).toEqual([second])
  // Listed by channel, but not in the lists of 1-live, as specified.
  expect(
    (await service.call(local.recordedFiles, { cid: gone, beginTime: 0, endTime: clock.now() })).ret!.list.map(
      ({ vid }) => vid,
    ),
  ).toEqual([second])
  expect((await service.call(recordings.videoList, { cid: gone })).code).toBe(recordings.videoList.unknown)
  const { url } = (await service.call(local.playbackTicket, { vid: second })).ret!
  expect(await (await fetch(url)).text()).toBe('the film')
  expect((await service.call(local.removeRecordings, { vidList: [second] })).ret!.successList).toEqual([second])
  expect((await all({ deletedOnly: true })).list).toEqual([])
  expect((await service.call(local.deletedChannels, {})).ret!.list).toEqual([])
  expect((await service.call(local.recordedFiles, { cid: gone, beginTime: 0, endTime: clock.now() })).code).toBe(618)
})

it('tells whoever listens which files were deleted', async () => {
  const vids = [await listed(kept), await listed(kept)]
  const events = await service.events()
  expect((await service.call(local.removeRecordings, { vidList: vids.slice(0, 1) })).ret!.successList).toHaveLength(1)
  expect((await events.next('unrecorded')).vids).toEqual(vids.slice(0, 1))
  await service.call(local.removeRecordings, { vidList: [vids[0]!, vids[1]!, 999_999] })
  expect((await events.next('unrecorded', (event) => event.vids.includes(vids[1]!))).vids).toEqual([vids[1]])
  events.close()
})

it('reads markers of a deleted channel that has files', async () => {
  await listed(gone)
  const { markerId } = (await service.call(local.addMarker, { cid: gone, label: 'goal' })).ret!
  await remove(gone)
  expect((await service.call(local.markers, { cid: gone, beginTime: 0, endTime: clock.now() })).ret!.list).toEqual([
    { markerId, at: clock.now(), label: 'goal' },
  ])
  expect((await service.call(local.renameMarker, { markerId, label: 'own goal' })).code).toBe(200)
  expect((await service.call(local.addMarker, { cid: gone })).code).toBe(618)
})

it('keeps no name of a channel without files', async () => {
  await remove(gone)
  await outside('create table seen as select * from "formerChannel"')
  expect((await service.call(local.deletedChannels, {})).ret!.list).toEqual([])
  await restart()
  const { rows } = await beside(service.dataDir, (db) => sql`select * from seen`.execute(db))
  expect(rows).toEqual([])
})

it('is of the own application only', async () => {
  await listed(gone)
  await remove(gone)
  expect((await service.other.call(local.allRecordedFiles, {})).ret!.list).toEqual([])
  expect((await service.other.call(local.deletedChannels, {})).ret!.list).toEqual([])
  expect((await service.other.call(local.recordedFiles, { cid: gone, beginTime: 0, endTime: clock.now() })).code).toBe(
    618,
  )
  expect((await service.other.call(local.markers, { cid: gone, beginTime: 0, endTime: clock.now() })).code).toBe(618)
})

it('is read on page by page, by time, and bounded by a range', async () => {
  const base = clock.now()
  const vids: number[] = []
  // Three begin in the same millisecond.
  for (const begin of [base - 50_000, base - 30_000, base - 30_000, base - 30_000, base - 10_000])
    vids.push(await listed(vids.length % 2 ? gone : kept, { begin }))
  await remove(gone)
  const seen: number[] = []
  let before: { beforeBegin?: number; beforeVid?: number } = {}
  for (let more = true; more;) {
    const page = await all({ limit: 2, ...before })
    expect(page.list.length).toBeLessThanOrEqual(2)
    for (const { vid } of page.list) seen.push(vid)
    const last = page.list.at(-1)!
    before = { beforeBegin: last.begin, beforeVid: last.vid }
    more = page.more
  }
  expect(seen).toEqual([...vids].reverse())
  const within = async (beginTime: number, endTime: number): Promise<number[]> =>
    (await all({ beginTime, endTime })).list.map(({ vid }) => vid)
  expect(await within(base - 39_999, base - 30_001)).toEqual([])
  expect(await within(base - 40_000, base - 30_001)).toEqual([vids[0]])
  expect(await within(base - 5000, base)).toEqual([vids[4]])
})

// PostgreSQL had no such version.
itOnSqlite('knows files of channels that an earlier version deleted, without their name', async () => {
  const vid = await listed(gone)
  const { dataDir } = service
  await outside(`delete from channel where cid = '${gone}'`, 'drop table formerChannel', 'drop index recording_all')
  await service.stop()
  const store = await openStore(dataDir)
  await migrations['015-former-channels']!.up(store.db)
  await store.close()
  service = await startService({ clock, dataDir, faults: true })
  expect((await service.call(local.deletedChannels, {})).ret!.list).toEqual([{ cid: gone, deleted: clock.now() }])
  const { list } = await all()
  expect(list).toMatchObject([{ vid, cid: gone, deleted: true }])
  expect(list[0]).not.toHaveProperty('channel')
})

it('refuses half a place to read on from, and answers a broken store', async () => {
  expect((await service.call(local.allRecordedFiles, { beforeVid: 1 })).code).toBe(631)
  expect((await service.send(local.allRecordedFiles, { limit: 10_001 })).code).toBe(631)
  expect((await service.send(local.deletedChannels, '{')).code).toBe(631)
  for (const { path } of [local.allRecordedFiles, local.deletedChannels])
    await service.call(local.faults, { path, code: 501 })
  expect((await service.call(local.allRecordedFiles, {})).code).toBe(501)
  expect((await service.call(local.deletedChannels, {})).code).toBe(501)
})
