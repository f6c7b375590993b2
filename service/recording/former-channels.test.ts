import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { dropForeignKeys, openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import type { RecordingTable } from '../storage/live-tables.ts'
import { createFormerChannels, type FilesRequest, type FormerChannels } from './former-channels.ts'

const [present, gone, nameless] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string]
const day = 24 * 3600 * 1000
let folder: ReturnType<typeof temporaryFolder>
let store: Store
let former: FormerChannels
beforeEach(async () => {
  folder = temporaryFolder()
  store = await openStore(folder.path)
  // The rows refer to applications that do not exist.
  await dropForeignKeys(store)
  former = createFormerChannels(store.db)
  await store.db
    .insertInto('channel')
    .values({
      cid: present,
      uid: 1,
      name: 'present',
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
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

type Row = Omit<RecordingTable, 'vid' | 'node' | 'stored' | 'clip'>
/** Stores a listed file that was recorded from `beginTime` to `endTime`; returns its number. */
async function listed(beginTime: number, endTime: number, values: Partial<Row> = {}): Promise<number> {
  const row = {
    cid: present,
    uid: 1,
    state: 'ready',
    format: 0,
    merged: 0,
    slice: 0,
    beginTime,
    filename: '',
    endTime,
    completed: endTime,
    name: 'n',
    fileKey: 'k',
    bytes: 1,
    duration: endTime - beginTime,
    codecs: '',
    ...values,
  }
  return (await store.db.insertInto('recording').values(row).returning('vid').executeTakeFirstOrThrow()).vid
}
const deleted = (cid: string, at: number, name = '', uid = 1) =>
  store.db.insertInto('formerChannel').values({ cid, uid, name, deleted: at }).execute()
const pageOf = (values: Partial<FilesRequest> = {}) =>
  former.files({ uid: 1, from: 0, to: Number.MAX_SAFE_INTEGER, deletedOnly: false, limit: 100, ...values })
const vidsOf = async (values: Partial<FilesRequest> = {}): Promise<number[]> =>
  (await pageOf(values)).files.map(({ vid }) => vid)

it('names the channel of a file as it is, or as it was called last, and says which are deleted', async () => {
  await deleted(gone, 5, 'gone')
  // As after a database of before was put back: the channel is there, its name is the present one.
  await deleted(present, 5, 'earlier')
  await listed(10, 20)
  await listed(9, 20, { cid: gone })
  await listed(8, 20, { cid: nameless })
  const { files } = await pageOf()
  expect(files.map(({ cid, channel, deleted: isDeleted }) => [cid, channel, isDeleted])).toEqual([
    [present, 'present', false],
    [gone, 'gone', true],
    [nameless, '', true],
  ])
  expect(files[0]).not.toHaveProperty('present')
  expect(await vidsOf({ deletedOnly: true })).toEqual(files.slice(1).map(({ vid }) => vid))
})

it('gives files of one application that are listed, newest first, of the same moment the last one first', async () => {
  const first = await listed(10, 20)
  const second = await listed(10, 20, { cid: gone })
  const third = await listed(11, 20)
  await listed(12, 20, { uid: 2 })
  for (const state of ['writing', 'merging', 'removing']) await listed(12, 20, { state })
  expect(await vidsOf()).toEqual([third, second, first])
})

it('gives files that overlap a range, both ends included', async () => {
  const vid = await listed(1000, 2000)
  const within = async (from: number, to: number): Promise<boolean> => (await vidsOf({ from, to })).includes(vid)
  expect([await within(0, 999), await within(0, 1000)]).toEqual([false, true])
  expect([await within(2001, 3000), await within(2000, 3000)]).toEqual([false, true])
  expect(await within(1400, 1500)).toBe(true)
})

it('gives a file that began up to a day before the range', async () => {
  const vid = await listed(1000, 3 * day)
  expect(await vidsOf({ from: 1000 + day })).toEqual([vid])
  expect(await vidsOf({ from: 1001 + day })).toEqual([])
})

it('gives so many files and whether there are more, and goes on behind the last one', async () => {
  const vids = [await listed(10, 20), await listed(10, 20), await listed(10, 20), await listed(9, 20)]
  expect(await pageOf({ limit: 3 })).toMatchObject({ more: true, files: [{}, {}, {}] })
  expect(await pageOf({ limit: 4 })).toMatchObject({ more: false })
  expect(await vidsOf({ limit: 2 })).toEqual([vids[2], vids[1]])
  expect(await vidsOf({ before: { begin: 10, vid: vids[1]! } })).toEqual([vids[0], vids[3]])
  expect(await vidsOf({ before: { begin: 10, vid: vids[0]! } })).toEqual([vids[3]])
  expect(await vidsOf({ before: { begin: 9, vid: vids[3]! } })).toEqual([])
  // The end of the range still holds.
  expect(await vidsOf({ to: 9, before: { begin: 10, vid: vids[1]! } })).toEqual([vids[3]])
})

it('gives deleted channels with listed files of one application, last deleted first', async () => {
  const other = 'd'.repeat(32)
  await deleted(gone, 5, 'gone')
  await deleted(nameless, 7)
  await deleted(other, 9, 'of another', 2)
  await deleted('e'.repeat(32), 9, 'without files')
  await deleted('f'.repeat(32), 9, 'with a file being deleted')
  for (const cid of [gone, gone, nameless]) await listed(1, 2, { cid })
  await listed(1, 2, { cid: other, uid: 2 })
  await listed(1, 2, { cid: 'f'.repeat(32), state: 'removing' })
  expect(await former.of(1)).toEqual([
    { cid: nameless, uid: 1, name: '', deleted: 7 },
    { cid: gone, uid: 1, name: 'gone', deleted: 5 },
  ])
})

it('gives channels that were deleted at the same time by their id', async () => {
  for (const cid of [nameless, gone]) {
    await deleted(cid, 5)
    await listed(1, 2, { cid })
  }
  expect((await former.of(1)).map(({ cid }) => cid)).toEqual([gone, nameless])
})

it('knows whose a deleted channel was', async () => {
  await deleted(gone, 5, 'gone', 3)
  expect(await former.owner(gone)).toBe(3)
  expect(await former.owner(present)).toBeUndefined()
})
