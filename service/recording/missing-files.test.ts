import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { beside } from '../testing/beside.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { listFile } from './testing/listed-file.ts'

let service: TestService
let cid: string

beforeEach(async () => {
  service = await startService()
  cid = (await service.call(live.create, { name: 'recorded' })).ret!.cid
})
afterEach(() => service.close())

const add = (): Promise<number> => listFile(service, cid, Date.now())
const root = (): string => join(service.dataDir, 'recordings')
const pathOf = (vid: number): string => join(root(), cid, `${vid}.mp4`)
/** Vids of the list with whether each is missing. */
const listed = async () => {
  const { ret } = await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: Date.now() + 1000 })
  return ret!.list.map(({ vid, missing }) => [vid, missing])
}

it('a file that somebody moved is listed as missing, until it is back in its place', async () => {
  const [kept, moved] = [await add(), await add()]
  renameSync(pathOf(moved), join(service.dataDir, 'elsewhere.mp4'))
  expect(await listed()).toEqual([
    [kept, undefined],
    [moved, true],
  ])
  renameSync(join(service.dataDir, 'elsewhere.mp4'), pathOf(moved))
  expect(await listed()).toEqual([
    [kept, undefined],
    [moved, undefined],
  ])
})

it('all files are missing without the folder of their channel, and are forgotten by deleting them', async () => {
  const vids = [await add(), await add()]
  rmSync(join(root(), cid), { recursive: true })
  expect(await listed()).toEqual(vids.map((vid) => [vid, true]))
  expect((await service.call(local.removeRecordings, { vidList: vids })).ret!.successList).toEqual(vids)
  expect(await listed()).toEqual([])
})

it('nothing is missing while the folder of all recordings is away, as with its drive', async () => {
  const vid = await add()
  renameSync(root(), `${root()}-away`)
  expect(await listed()).toEqual([[vid, undefined]])
  renameSync(`${root()}-away`, root())
})

it('what is in the object store is not looked for on the disk', async () => {
  const vid = await add()
  rmSync(pathOf(vid))
  await beside(service.dataDir, (db) => db.updateTable('recording').set({ stored: 1 }).execute())
  expect(await listed()).toEqual([[vid, undefined]])
})
