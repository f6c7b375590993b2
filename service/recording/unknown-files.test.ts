import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { silentLog } from '../log.ts'
import { dropForeignKeys, openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { writeFlvTag } from '../media/flv-writer.ts'
import { createFilesStore, insertFile } from './files-store.ts'
import { createFinisher } from './finisher.ts'
import { createRecordNames } from './record-names.ts'
import { createRecordingFolder, type RecordingFolder } from './recording-folder.ts'
import { FlvSlice } from './slice-flv.ts'
import { soundTracks } from './testing/written-slice.ts'
import { createUnknownFiles, setUnknownAside, type UnknownFilesOptions } from './unknown-files.ts'
import { createWorkers } from './workers.ts'

const cid = 'c'.repeat(32)
const clock = manualWallClock()
let folder: ReturnType<typeof temporaryFolder>
let recordings: RecordingFolder
let store: Store
beforeEach(async () => {
  folder = temporaryFolder()
  store = await openStore(folder.path)
  // The rows refer to channels and applications that do not exist.
  await dropForeignKeys(store)
  recordings = createRecordingFolder(folder.path)
  mkdirSync(recordings.of(cid))
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

const place = (name: string): string => join(recordings.of(cid), name)
const row = (vid: number, state: 'writing' | 'merging' = 'writing') => ({
  vid,
  cid,
  uid: 1,
  state,
  format: 0,
  merged: 0,
  slice: 0,
  beginTime: 0,
  filename: '',
  codecs: '',
})
/** Sets aside; returns what was given to the quarantine. */
async function setAside(): Promise<{ aside: string[]; back: string[] }> {
  const given = { aside: [] as string[], back: [] as string[] }
  await setUnknownAside({
    store,
    folder: recordings,
    quarantine: {
      setAside(paths, reason) {
        expect(reason).toBe('unknown')
        given.aside.push(...paths)
        return undefined
      },
      async putBack(paths) {
        given.back.push(...paths)
        return []
      },
    },
  })
  return given
}
const adopting = (finish: UnknownFilesOptions['finisher']['finish']) =>
  createUnknownFiles({ ...store, db: store.db, folder: recordings, finisher: { finish }, clock, log: silentLog })
const listed = () => store.db.selectFrom('recording').selectAll().execute()

it('sets aside files of recordings that the database does not know, and leaves the others', async () => {
  await insertFile(store.db, row(3))
  for (const name of ['3.mp4', '3.index', '4.mp4', '5.flv', '6.index', '7.part', 'notes.txt', '08.mp4'])
    writeFileSync(place(name), 'x')
  mkdirSync(join(recordings.root, 'not-a-channel'))
  writeFileSync(join(recordings.root, 'not-a-channel', '9.mp4'), 'x')
  const { aside, back } = await setAside()
  expect(aside.sort()).toEqual(['4.mp4', '5.flv', '6.index', '7.part'].map((name) => `recordings/${cid}/${name}`))
  expect(back).toEqual([])
})

it('gives no number again that a file has which is set aside', async () => {
  writeFileSync(place('40.mp4'), 'x')
  await setAside()
  const { vid: _vid, ...file } = row(0)
  expect(await insertFile(store.db, file)).toBe(41)
})

it('asks the quarantine for files that the database knows and that are missing', async () => {
  await insertFile(store.db, row(1))
  await insertFile(store.db, row(2))
  await insertFile(store.db, row(3, 'merging'))
  writeFileSync(place('2.mp4'), 'x')
  expect(await setAside()).toEqual({ aside: [], back: [`recordings/${cid}/1.mp4`] })
})

it('lists a file that is back through the finisher, of a channel that is deleted under no name', async () => {
  writeFileSync(place('7.flv'), 'film')
  const finished: unknown[] = []
  const files = adopting((file, from) => {
    finished.push({ ...file, ...from })
    return Promise.resolve(undefined)
  })
  expect(await files.adopt(1, `recordings/${cid}/7.flv`)).toBe(true)
  expect(finished).toMatchObject([{ vid: 7, cid, uid: 1, format: 1, codecs: 'restored 7', recover: true }])
  expect(await store.db.selectFrom('formerChannel').selectAll().execute()).toMatchObject([
    { cid, uid: 1, name: '', deleted: clock.now() },
  ])
  // A second time changes nothing: it is listed.
  expect(await files.adopt(1, `recordings/${cid}/7.flv`)).toBe(true)
  expect([finished.length, (await listed()).length]).toEqual([1, 1])
})

it('dates a file that was copied by when it was last written to, and names it as its channel does', async () => {
  const channel = { uid: 1, name: 'a', type: 0, ctime: 0, disabled: 0, needRecord: 1, format: 1, duration: 5 }
  const key = { channelKey: 'k', keyExpires: 0 }
  await store.db
    .insertInto('channel')
    .values({ ...channel, ...key, cid, filename: 'Show' })
    .execute()
  const tag = writeFlvTag('audio', 4_000, Buffer.from([0xaf, 1, 0]))
  writeFileSync(place('7.flv'), Buffer.concat([new FlvSlice(soundTracks, 60_000).head, tag]))
  const written = Date.UTC(2026, 5, 1, 12)
  utimesSync(place('7.flv'), written / 1000, written / 1000)
  const workers = createWorkers()
  const finisher = createFinisher({
    store: createFilesStore({ ...store, db: store.db }),
    folder: recordings,
    files: { remove: () => Promise.resolve() },
    workers,
    names: createRecordNames('UTC'),
    clock,
    listener: { enqueue: () => Promise.resolve(), onFile: () => undefined },
  })
  const files = createUnknownFiles({ ...store, db: store.db, folder: recordings, finisher, clock, log: silentLog })
  expect(await files.adopt(1, `recordings/${cid}/7.flv`)).toBe(true)
  expect(await listed()).toMatchObject([
    {
      beginTime: written - 4_000,
      endTime: written,
      duration: 4_000,
      name: 'Show_20260601-115956_20260601-120000',
      fileKey: `${cid}_${written - 4_000}_${written}_7-00000.flv`,
    },
  ])
  await workers.close()
})

it('lists a file that cannot be finished by its size and times', async () => {
  writeFileSync(place('8.mp4'), 'merged')
  const written = new Date('2040-01-01T00:00:00Z')
  utimesSync(place('8.mp4'), written, written)
  const files = adopting(() => Promise.reject(new Error('it is complete')))
  expect(await files.adopt(1, `recordings/${cid}/8.mp4`)).toBe(true)
  const [file] = await listed()
  expect(file).toMatchObject({ vid: 8, state: 'ready', name: '8', bytes: 6, format: 0, endTime: written.getTime() })
  expect(file!.duration).toBe(file!.endTime - file!.beginTime)
  expect(file!.completed).toBe(file!.endTime)
  expect(file!.fileKey).toBe(`${cid}_${file!.beginTime}_${file!.endTime}_8-00000.mp4`)
})

it('lists nothing for another path, and rejects for a file that is not there', async () => {
  const files = adopting(() => Promise.resolve(undefined))
  for (const path of [
    `recordings/${cid}/7.index`,
    `recordings/${cid}/7.part`,
    `recordings/${cid}/07.mp4`,
    `files/${cid}/7.mp4`,
    `recordings/../${cid}/7.mp4`,
  ])
    expect(await files.adopt(1, path), path).toBe(false)
  await expect(files.adopt(1, `recordings/${cid}/7.mp4`)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await listed()).toEqual([])
})

it('counts files in the folders of channels alone, whatever lies beside them', async () => {
  const other = 'd'.repeat(32)
  mkdirSync(recordings.of(other))
  writeFileSync(join(recordings.of(other), '1.mp4'), 'x')
  writeFileSync(join(recordings.root, 'e'.repeat(32)), 'no folder')
  mkdirSync(join(recordings.root, 'F'.repeat(32)))
  writeFileSync(join(recordings.root, 'F'.repeat(32), '2.mp4'), 'x')
  // A number is known in its own channel only.
  await insertFile(store.db, row(1))
  writeFileSync(place('1.mp4'), 'x')
  expect(await setAside()).toEqual({ aside: [`recordings/${other}/1.mp4`], back: [] })
})

it('asks the quarantine for an FLV by its own name, though its index is there', async () => {
  await insertFile(store.db, { ...row(1), format: 1 })
  writeFileSync(place('1.index'), 'x')
  writeFileSync(place('1.mp4'), 'x')
  expect(await setAside()).toEqual({ aside: [], back: [`recordings/${cid}/1.flv`] })
})

it('sets nothing aside where everything is known, and does not touch the numbers', async () => {
  const { vid: _vid, ...file } = row(0)
  const vid = await insertFile(store.db, file)
  writeFileSync(place(`${vid}.mp4`), 'x')
  expect(await setAside()).toEqual({ aside: [], back: [] })
  expect(await insertFile(store.db, file)).toBe(vid + 1)
})

it('gives higher numbers than all that it set aside, and keeps a count that is higher already', async () => {
  const { vid: _vid, ...file } = row(0)
  // Folders give their files in any order.
  for (const vid of [3, 4, 5, 6, 40, 7, 8, 9, 10]) writeFileSync(place(`${vid}.mp4`), 'x')
  await setAside()
  expect(await insertFile(store.db, file)).toBe(41)
  // A file that is listed again counts, also when it is gone.
  writeFileSync(place('50.mp4'), 'film')
  expect(await adopting(() => Promise.resolve(undefined)).adopt(1, `recordings/${cid}/50.mp4`)).toBe(true)
  rmSync(place('50.mp4'))
  await store.db.deleteFrom('recording').execute()
  await setAside()
  expect(await insertFile(store.db, file)).toBe(51)
})

it('keeps the name of a channel that is deleted, and notes none of one that is there', async () => {
  const files = adopting(() => Promise.resolve(undefined))
  await store.db.insertInto('formerChannel').values({ cid, uid: 1, name: 'show', deleted: 5 }).execute()
  writeFileSync(place('7.mp4'), 'film')
  await files.adopt(1, `recordings/${cid}/7.mp4`)
  expect(await store.db.selectFrom('formerChannel').selectAll().execute()).toEqual([
    { cid, uid: 1, name: 'show', deleted: 5 },
  ])
  const other = 'd'.repeat(32)
  mkdirSync(recordings.of(other))
  writeFileSync(join(recordings.of(other), '8.mp4'), 'film')
  await store.db
    .insertInto('channel')
    .values({
      cid: other,
      uid: 1,
      name: 'there',
      type: 0,
      ctime: 1,
      disabled: 0,
      needRecord: 0,
      format: 1,
      duration: 120,
      filename: '',
      channelKey: 'key',
      keyExpires: 0,
    })
    .execute()
  await files.adopt(1, `recordings/${other}/8.mp4`)
  expect(await store.db.selectFrom('formerChannel').select('cid').execute()).toEqual([{ cid }])
})

it('begins a file that is back when it was made, where that is before it was written', async () => {
  writeFileSync(place('7.mp4'), 'film')
  const begins: number[] = []
  const files = adopting((file) => {
    begins.push(file.beginTime)
    return Promise.resolve(undefined)
  })
  const written = new Date('2040-01-01T00:00:00Z')
  utimesSync(place('7.mp4'), written, written)
  const { birthtimeMs } = statSync(place('7.mp4'))
  await files.adopt(1, `recordings/${cid}/7.mp4`)
  writeFileSync(place('8.mp4'), 'film')
  const early = new Date('2001-01-01T00:00:00Z')
  utimesSync(place('8.mp4'), early, early)
  await files.adopt(1, `recordings/${cid}/8.mp4`)
  // Not every file system knows when a file was made.
  expect(begins).toEqual([birthtimeMs > 0 ? Math.round(birthtimeMs) : written.getTime(), early.getTime()])
})

it('leaves a restored file that was listed meanwhile as it is listed', async () => {
  writeFileSync(place('8.mp4'), 'merged')
  const files = adopting(async () => {
    await store.db.updateTable('recording').set({ state: 'ready', name: 'listed' }).execute()
    throw new Error('too late')
  })
  expect(await files.adopt(1, `recordings/${cid}/8.mp4`)).toBe(true)
  expect(await listed()).toMatchObject([{ vid: 8, name: 'listed', bytes: 0 }])
})
