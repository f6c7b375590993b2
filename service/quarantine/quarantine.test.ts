import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local, messages } from '../../contract/operations/index.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { listFile } from '../recording/testing/listed-file.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { beside, forgetNumbers } from '../testing/beside.ts'

const day = 24 * 3600 * 1000
let clock: ManualWallClock
let service: TestService

beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock, faults: true })
})
afterEach(() => service.close())

const at = (...names: string[]): string => join(service.dataDir, ...names)
const restart = async (meanwhile: () => unknown = () => undefined): Promise<void> => {
  const { dataDir } = service
  await service.stop()
  await meanwhile()
  service = await startService({ clock, dataDir, faults: true })
}
/** Runs statements on the database of the service, which has ended. */
const outside = (...statements: string[]): Promise<void> =>
  beside(service.dataDir, async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  })
const upload = async (content: string): Promise<{ readonly url: string; readonly path: string }> => {
  const { url } = await service.call(messages.upload, { content: Buffer.from(content).toString('base64') })
  const hash = createHash('sha256').update(content).digest('hex')
  return { url: url!, path: `files/${hash.slice(0, 2)}/${hash}` }
}
const list = async () => (await service.call(local.quarantine, {})).ret!.list

it('keeps uploads that no row names, and puts them back with a row by one call', async () => {
  const { path } = await upload('a picture')
  const bytes = readFileSync(at(path))
  await restart(() => outside('delete from upload'))
  expect(existsSync(at(path))).toBe(false)
  const [entry] = await list()
  expect(entry).toMatchObject({
    reason: 'unknown',
    paths: [path],
    count: 1,
    bytes: bytes.length,
    at: clock.now(),
    seen: false,
    until: clock.now() + 30 * day,
  })
  expect((await service.call(local.restoreQuarantined, { id: entry!.id })).ret).toEqual({ restored: 1, taken: [] })
  expect(readFileSync(at(path))).toEqual(bytes)
  expect(await list()).toEqual([])
  // It has a row again, so the next start keeps it.
  await restart()
  expect(readFileSync(at(path))).toEqual(bytes)
  expect(await list()).toEqual([])
})

it('puts uploads back by itself when the database that knows them is back', async () => {
  const { url, path } = await upload('a picture')
  await restart(() => outside('create table kept as select * from upload', 'delete from upload'))
  expect(existsSync(at(path))).toBe(false)
  await restart(() => outside('insert into upload select * from kept', 'drop table kept'))
  expect(existsSync(at(path))).toBe(true)
  expect(await list()).toEqual([])
  const again = new URL(url)
  expect(await (await fetch(new URL(again.pathname, service.service.ready.mediaUrl))).text()).toBe('a picture')
})

it('keeps uploads that were half in when the service was killed', async () => {
  await restart(() => writeFileSync(at('files', 'incoming', 'half'), 'half a picture'))
  expect(await list()).toMatchObject([{ reason: 'unfinished', paths: ['files/incoming/half'], bytes: 14 }])
})

it('keeps recordings that no row names, gives none of their numbers again, and lists them by one call', async () => {
  const { cid } = (await service.call(live.create, { name: 'left' })).ret!
  const vid = await listFile(service, cid, clock.now(), { bytes: Buffer.from('the film') })
  const path = `recordings/${cid}/${vid}.mp4`
  await restart(() => beside(service.dataDir, (db) => forgetNumbers(db, 'recording')))
  expect(existsSync(at(path))).toBe(false)
  const [entry] = await list()
  expect(entry).toMatchObject({ reason: 'unknown', paths: [path] })
  // The next recording uses neither its number nor its path.
  const next = await listFile(service, cid, clock.now(), { bytes: Buffer.from('the next film') })
  expect(next).toBeGreaterThan(vid)
  expect((await service.call(local.restoreQuarantined, { id: entry!.id })).ret).toEqual({ restored: 1, taken: [] })
  const { list: files } = (
    await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: Number.MAX_SAFE_INTEGER })
  ).ret!
  expect(files.map((file) => file.vid).sort()).toEqual([vid, next])
  const { url } = (await service.call(local.playbackTicket, { vid })).ret!
  expect(await (await fetch(url)).text()).toBe('the film')
})

it('keeps recordings whose channel the database does not know either, and lists them as those of a deleted one', async () => {
  const { cid } = (await service.call(live.create, { name: 'left' })).ret!
  const vid = await listFile(service, cid, clock.now(), { bytes: Buffer.from('the film') })
  await restart(() => outside('delete from recording', 'delete from channel'))
  const [entry] = await list()
  expect((await service.call(local.restoreQuarantined, { id: entry!.id })).ret).toEqual({ restored: 1, taken: [] })
  expect((await service.call(local.deletedChannels, {})).ret!.list).toMatchObject([{ cid }])
  expect((await service.call(local.allRecordedFiles, { deletedOnly: true })).ret!.list).toMatchObject([
    { vid, cid, deleted: true },
  ])
})

it('writes nothing over when it puts something back', async () => {
  const { path } = await upload('a picture')
  await restart(() => outside('delete from upload'))
  mkdirSync(join(at(path), '..'), { recursive: true })
  writeFileSync(at(path), 'another file')
  const [entry] = await list()
  expect((await service.call(local.restoreQuarantined, { id: entry!.id })).ret).toEqual({ restored: 0, taken: [path] })
  expect(readFileSync(at(path), 'utf8')).toBe('another file')
  expect(await list()).toMatchObject([{ id: entry!.id, paths: [path] }])
})

it('throws nothing away before 30 days, and names what it throws away then', async () => {
  await upload('a picture')
  await restart(() => outside('delete from upload'))
  // Each day is counted by that day's start, except the last.
  const quarantine = openQuarantine({ folder: service.dataDir, now: () => clock.now() })
  for (let count = 1; count < 30; count++) {
    clock.advance(day)
    expect(quarantine.tidy()).toEqual([])
  }
  clock.advance(day - 1)
  await restart()
  expect(await list()).toHaveLength(1)
  clock.advance(1)
  await restart()
  expect(await list()).toEqual([])
  expect(readdirSync(at('quarantine')).flatMap((date) => readdirSync(at('quarantine', date)))).toEqual([])
})

it('is deleted by a person at any time, and noted as seen', async () => {
  await upload('a picture')
  await restart(() => outside('delete from upload'))
  const id = (await list())[0]!.id
  expect((await service.call(local.seeQuarantined, { idList: [id, 'none'] })).code).toBe(200)
  expect(await list()).toMatchObject([{ id, seen: true, reason: 'unknown' }])
  expect((await service.call(local.removeQuarantined, { id })).code).toBe(200)
  expect(await list()).toEqual([])
  expect((await service.call(local.removeQuarantined, { id })).code).toBe(618)
})

it('belongs to the service’s own application, and no id leads out of it', async () => {
  await upload('a picture')
  await restart(() => outside('delete from upload'))
  const id = (await list())[0]!.id
  expect((await service.other.call(local.quarantine, {})).ret!.list).toEqual([])
  expect((await service.other.call(local.restoreQuarantined, { id })).code).toBe(618)
  expect((await service.other.call(local.removeQuarantined, { id })).code).toBe(618)
  expect((await service.other.call(local.seeQuarantined, { idList: [id] })).code).toBe(200)
  expect(await list()).toMatchObject([{ seen: false }])
  for (const wrong of ['..', '../files', '2026-01-01/..', '2026-01-01/../../files', id + '/content'])
    expect((await service.call(local.removeQuarantined, { id: wrong })).code).toBe(618)
  expect(existsSync(at('files'))).toBe(true)
  expect(await list()).toHaveLength(1)
})

it('is read without its manifests too', async () => {
  const { path } = await upload('a picture')
  await restart(() => outside('delete from upload'))
  const id = (await list())[0]!.id
  rmSync(at('quarantine', ...id.split('/'), 'manifest.json'))
  expect(await list()).toMatchObject([{ id, reason: 'unknown', paths: [path] }])
  expect((await service.call(local.restoreQuarantined, { id })).ret).toEqual({ restored: 1, taken: [] })
})

it('answers faults of its operations', async () => {
  for (const operation of [local.quarantine, local.restoreQuarantined, local.removeQuarantined, local.seeQuarantined]) {
    expect((await service.send(operation, '{')).code).toBe(631)
    await service.call(local.faults, { path: operation.path, code: 501 })
    expect((await service.send(operation, { id: 'x', idList: [] })).code).toBe(501)
  }
})
