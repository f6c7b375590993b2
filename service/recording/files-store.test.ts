import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { dropForeignKeys, openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { createFilesStore, type FilesStore, type NewFile } from './files-store.ts'
import { createMarkersStore } from './markers-store.ts'
import type { RecordedFile } from './recorded-file.ts'

const cid = 'c'.repeat(32)
const other = 'd'.repeat(32)
let folder: ReturnType<typeof temporaryFolder>
let store: Store
let files: FilesStore
beforeEach(async () => {
  folder = temporaryFolder()
  store = await openStore(folder.path)
  // The rows refer to channels and applications that do not exist.
  await dropForeignKeys(store)
  files = createFilesStore(store)
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

const begun = (values: Partial<NewFile> = {}): Promise<number> =>
  files.begin({
    cid,
    uid: 1,
    format: 0,
    merged: 0,
    slice: 0,
    beginTime: 0,
    filename: 'f',
    codecs: 'avc1',
    state: 'writing',
    ...values,
  })
const completedFile = (vid: number, values: Partial<RecordedFile> = {}): RecordedFile => ({
  vid,
  cid,
  uid: 1,
  name: 'name',
  key: 'key',
  begin: 10,
  end: 20,
  completed: 30,
  format: 'mp4',
  bytes: 5,
  duration: 10,
  merged: false,
  ...values,
})
const nothing = (): Promise<void> => Promise.resolve()
/** Lists a file; returns its number. */
const listed = async (values: Partial<RecordedFile> = {}, row: Partial<NewFile> = {}): Promise<number> => {
  const vid = await begun({ cid: values.cid ?? cid, uid: values.uid ?? 1, ...row })
  await files.complete(completedFile(vid, values), nothing)
  return vid
}
const vids = (rows: readonly { readonly vid: number }[]): number[] => rows.map(({ vid }) => vid)
const all = () => store.db.selectFrom('recording').selectAll().orderBy('vid').execute()

it('numbers the files of a channel in the order in which they are begun, also at once', async () => {
  const vids = await Promise.all(Array.from({ length: 40 }, (_, slice) => begun({ slice })))
  expect(vids).toEqual(vids.toSorted((one, next) => one - next))
})

it('numbers the next file of a channel when one could not be begun', async () => {
  const [failed, vid] = await Promise.allSettled([begun({ codecs: null as unknown as string }), begun()])
  expect([failed.status, vid.status]).toEqual(['rejected', 'fulfilled'])
})

it('lists a file that is written with all its figures, and not before', async () => {
  const vid = await begun({ slice: 3 })
  expect(await files.ready([vid])).toEqual([])
  expect(await files.completedSince(cid, 0)).toEqual([])
  expect(await files.complete(completedFile(vid), nothing)).toBe(true)
  expect(await files.ready([vid])).toEqual([
    {
      vid,
      cid,
      uid: 1,
      state: 'ready',
      format: 0,
      merged: 0,
      slice: 3,
      beginTime: 10,
      endTime: 20,
      completed: 30,
      filename: 'f',
      node: '',
      name: 'name',
      fileKey: 'key',
      bytes: 5,
      duration: 10,
      clip: '',
      codecs: 'avc1',
      stored: 0,
    },
  ])
})

it('lists a file once: a second time changes nothing and stores no other notice', async () => {
  const vid = await begun()
  let notices = 0
  const also = async (): Promise<void> => void notices++
  expect(await files.complete(completedFile(vid), also)).toBe(true)
  expect(await files.complete(completedFile(vid, { name: 'again' }), also)).toBe(false)
  expect(await files.complete(completedFile(vid + 1), also)).toBe(false)
  expect(notices).toBe(1)
  expect((await all()).map(({ name }) => name)).toEqual(['name'])
})

it('lists no file whose notice could not be stored', async () => {
  const vid = await begun()
  await expect(files.complete(completedFile(vid), () => Promise.reject(new Error('no notice')))).rejects.toThrow(
    'no notice',
  )
  expect((await all()).map(({ state }) => state)).toEqual(['writing'])
})

it('lists the file of a merge, which waits in a state of its own', async () => {
  const vid = await begun({ state: 'merging' })
  expect(await files.complete(completedFile(vid), nothing)).toBe(true)
})

it('marks only listed files of the application as being deleted, and gives those back', async () => {
  const [own, foreign, written] = [await listed(), await listed({ uid: 2 }), await begun()]
  expect(vids(await files.removing([own, foreign, written, 999], 1))).toEqual([own])
  expect((await all()).map(({ state }) => state)).toEqual(['removing', 'ready', 'writing'])
  expect(await files.removing([own], 1)).toEqual([])
  expect(await files.ready([own])).toEqual([])
})

it('reads and marks more files than one statement takes', async () => {
  const rows = Array.from({ length: 501 }, (_, index) => ({
    vid: index + 1,
    cid,
    uid: 1,
    format: 0,
    merged: 0,
    slice: 0,
    beginTime: 0,
    filename: '',
    codecs: '',
    state: 'ready' as const,
    endTime: 0,
    completed: 0,
    name: '',
    fileKey: '',
    bytes: 0,
    duration: 0,
  }))
  await store.db.insertInto('recording').values(rows).execute()
  const numbers = vids(rows)
  expect(vids(await files.ready(numbers)).sort((a, b) => a - b)).toEqual(numbers)
  expect(vids(await files.removing(numbers, 1)).sort((a, b) => a - b)).toEqual(numbers)
})

it('knows the files that are not listed, oldest first', async () => {
  const states = [await begun({ state: 'merging' }), await listed(), await begun(), await listed()]
  await files.removing([states[3]!], 1)
  expect((await files.unfinished()).map(({ vid, state }) => [vid, state])).toEqual([
    [states[0], 'merging'],
    [states[2], 'writing'],
    [states[3], 'removing'],
  ])
})

it('lists files of one channel by their completion, from a time on', async () => {
  const late = await listed({ completed: 50 })
  const early = await listed({ completed: 40 })
  await listed({ completed: 39 })
  await listed({ completed: 45, cid: other })
  expect(vids(await files.completedSince(cid, 40))).toEqual([early, late])
})

it('lists files of one channel that began within a range, both ends included, oldest first', async () => {
  const late = await listed({ begin: 20 })
  const early = await listed({ begin: 10 })
  await listed({ begin: 9 })
  await listed({ begin: 21 })
  await listed({ begin: 15, cid: other })
  expect(vids(await files.begunWithin(cid, 10, 20))).toEqual([early, late])
})

it('lists files of one channel that overlap a range, both ends included, oldest first', async () => {
  const after = await listed({ begin: 20, end: 30 })
  const before = await listed({ begin: 0, end: 10 })
  const around = await listed({ begin: 5, end: 40 })
  await listed({ begin: 21, end: 30 })
  await listed({ begin: 0, end: 9 })
  await listed({ begin: 10, end: 20, cid: other })
  expect(vids(await files.recordedWithin(cid, 10, 20))).toEqual([before, around, after])
})

it('gives the listed files of an application that were completed before a time, oldest first', async () => {
  const second = await listed({ completed: 9 })
  const first = await listed({ completed: 5, cid: other })
  await listed({ completed: 10 })
  await listed({ completed: 1, uid: 2 })
  await begun()
  expect(vids(await files.completedBefore(1, 10))).toEqual([first, second])
})

it('adds up the bytes of the listed files of an application, and gives its oldest ones', async () => {
  expect(await files.filled(1)).toBe(0)
  const second = await listed({ bytes: 10, completed: 2 })
  const first = await listed({ bytes: 20, completed: 1 })
  await listed({ bytes: 30, completed: 3 })
  await listed({ bytes: 100, completed: 0, uid: 2 })
  await begun()
  expect(await files.filled(1)).toBe(60)
  expect(vids(await files.oldest(1, 2))).toEqual([first, second])
})

it('forgets a deleted channel with its last file, and neither earlier nor another one', async () => {
  const former = () => store.db.selectFrom('formerChannel').select('cid').orderBy('cid').execute()
  await store.db
    .insertInto('formerChannel')
    .values([cid, other].map((each) => ({ cid: each, uid: 1, name: 'n', deleted: 1 })))
    .execute()
  const [first, second] = [await listed(), await begun()]
  const kept = await listed({ cid: other })
  await files.forget(first)
  expect(await former()).toEqual([{ cid }, { cid: other }])
  await files.forget(second)
  expect(await former()).toEqual([{ cid: other }])
  expect((await all()).map(({ vid }) => vid)).toEqual([kept])
  await files.forget(second)
})

it('takes 10,000 markers of a channel and no more, each channel by itself', async () => {
  const markers = createMarkersStore(store.db)
  const rows = Array.from({ length: 9999 }, (_, at) => ({ cid, uid: 1, at, label: '' }))
  for (let from = 0; from < rows.length; from += 1000)
    await store.db
      .insertInto('marker')
      .values(rows.slice(from, from + 1000))
      .execute()
  expect(await markers.add({ cid, uid: 1, at: 1, label: 'last' })).toBe(10_000)
  expect(await markers.add({ cid, uid: 1, at: 1, label: 'more' })).toBe('full')
  expect(await markers.add({ cid: other, uid: 1, at: 1, label: 'first' })).toBe(10_001)
  await markers.remove(1, 10_000)
  expect(await markers.add({ cid, uid: 1, at: 1, label: 'again' })).toBe(10_002)
})

it('keeps a marker from another application, which can neither name nor remove it', async () => {
  const markers = createMarkersStore(store.db)
  const id = await markers.add({ cid, uid: 1, at: 5, label: 'goal' })
  const second = await markers.add({ cid, uid: 1, at: 5, label: 'second' })
  if (id === 'full') throw new Error('full')
  expect(await markers.rename(2, id, 'mine')).toBe('foreign')
  expect(await markers.remove(2, id)).toBe('foreign')
  expect(await markers.rename(1, 99, 'x')).toBe('unknown')
  expect(await markers.remove(1, 99)).toBe('unknown')
  // Of the same moment, the one that was added first comes first.
  expect(await markers.within(cid, 5, 5)).toEqual([
    { markerId: id, at: 5, label: 'goal' },
    { markerId: second, at: 5, label: 'second' },
  ])
})
