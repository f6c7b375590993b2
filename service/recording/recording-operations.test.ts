import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { listFile, type ListedFile } from './testing/listed-file.ts'
import { beside } from '../testing/beside.ts'

const week = 7 * 24 * 3600 * 1000
const unknownCid = '0'.repeat(32)
let clock: ManualWallClock
let service: TestService
let cid: string

beforeEach(async () => {
  clock = manualWallClock()
  service = await startService({ clock, faults: true })
  cid = (await service.call(live.create, { name: 'recorded' })).ret!.cid
})
afterEach(() => service.close())

const uidOf = async (): Promise<number> => (await service.call(local.info, {})).ret!.uid
const listed = (values?: ListedFile): Promise<number> => listFile(service, cid, clock.now(), values)
const fail = (path: string) => service.call(local.faults, { path, code: 501 })

describe('setAlwaysRecord', () => {
  const set = (args: object) => service.send(recordings.setAlwaysRecord, { cid, needRecord: 1, ...args })
  const read = async () => {
    const { needRecord, format, duration, filename } = (await service.call(live.state, { cid })).ret!
    return { needRecord, format, duration, filename }
  }

  it('stores what is given and keeps what is not; a channel begins with FLV, 120 minutes and no name', async () => {
    expect(await read()).toEqual({ needRecord: 0, format: 1, duration: 120, filename: '' })
    expect((await set({})).code).toBe(200)
    expect(await read()).toEqual({ needRecord: 1, format: 1, duration: 120, filename: '' })
    expect((await set({ format: 0, duration: 5, filename: '录像A1' })).code).toBe(200)
    expect((await set({ needRecord: 0 })).code).toBe(200)
    expect(await read()).toEqual({ needRecord: 0, format: 0, duration: 5, filename: '录像A1' })
  })

  it('refuses what is not acceptable (631), what is not there (618), what is another application’s (617), and recording without on-demand video (723)', async () => {
    for (const wrong of [
      { needRecord: 2 },
      { needRecord: undefined },
      { format: 2 },
      { duration: 4 },
      { duration: 121 },
      { filename: 'a_b' },
      { filename: 'a b' },
      { filename: '../a' },
      { filename: 'x'.repeat(65) },
    ])
      expect((await set(wrong)).code, JSON.stringify(wrong)).toBe(631)
    expect((await set({ duration: 5 })).code).toBe(200)
    expect((await set({ duration: 120 })).code).toBe(200)
    expect((await set({ cid: unknownCid })).code).toBe(618)
    expect((await service.other.call(recordings.setAlwaysRecord, { cid, needRecord: 1 })).code).toBe(617)
    await service.call(local.updateSettings, { vodEnabled: false })
    expect((await set({})).code).toBe(723)
    expect((await set({ needRecord: 0 })).code).toBe(200)
    await fail(recordings.setAlwaysRecord.path)
    expect((await set({ needRecord: 0 })).code).toBe(501)
  })
})

describe('videolist', () => {
  const list = async () => (await service.call(recordings.videoList, { cid })).ret!.videoList.map(({ vid }) => vid)

  it('covers what was completed within the last 7 days, to the millisecond', async () => {
    const edge = await listed({ completed: clock.now() - week })
    await listed({ completed: clock.now() - week - 1 })
    const now = await listed({ completed: clock.now(), begin: clock.now() - 30 * week })
    expect(await list()).toEqual([edge, now])
    clock.advance(1)
    expect(await list()).toEqual([now])
    const { videoList } = (await service.call(recordings.videoList, { cid })).ret!
    expect(videoList).toEqual([{ video_name: expect.any(String), orig_video_key: 'key', uid: await uidOf(), vid: now }])
  })

  it('is given by pages where a page or its size is asked for, with the totals, and whole otherwise', async () => {
    const vids: number[] = []
    for (let count = 0; count < 11; count++) vids.push(await listed({ completed: clock.now() - 1000 + count }))
    const page = async (asked: object) => {
      const { videoList, ...more } = (await service.call(recordings.videoList, { cid, ...asked })).ret!
      return { vids: videoList.map(({ vid }) => vid), ...more }
    }
    expect(await page({})).toEqual({ vids })
    expect(await page({ records: 4 })).toEqual({
      vids: vids.slice(0, 4),
      pnum: 1,
      records: 4,
      totalPnum: 3,
      totalRecords: 11,
    })
    expect(await page({ records: 4, pnum: 3 })).toMatchObject({ vids: vids.slice(8), pnum: 3 })
    expect(await page({ records: 4, pnum: 4 })).toMatchObject({ vids: [], pnum: 4, totalPnum: 3 })
    expect(await page({ pnum: 2 })).toMatchObject({ vids: vids.slice(10), records: 10, totalPnum: 2 })
  })

  it('covers 7 times 24 hours also over a change of the clocks', async () => {
    await service.close()
    // Four days after the end of summer time in Berlin: a week ago the local clock was an hour ahead.
    clock = manualWallClock(Date.UTC(2026, 9, 29, 12))
    service = await startService({ clock, timeZone: 'Europe/Berlin' })
    cid = (await service.call(live.create, { name: 'recorded' })).ret!.cid
    const edge = await listed({ completed: clock.now() - week })
    await listed({ completed: clock.now() - week - 1 })
    await listed({ completed: clock.now() - week - 3_600_000 })
    expect(await list()).toEqual([edge])
  })

  it('answers 618 for a channel that is not there or another application’s, 631 without one, 501 for a fault', async () => {
    expect((await service.call(recordings.videoList, { cid: unknownCid })).code).toBe(618)
    expect((await service.other.call(recordings.videoList, { cid })).code).toBe(618)
    expect((await service.send(recordings.videoList, {})).code).toBe(631)
    await fail(recordings.videoList.path)
    expect((await service.call(recordings.videoList, { cid })).code).toBe(501)
  })
})

describe('vodvideolist', () => {
  const list = async (beginTime: number, endTime: number) => {
    const answer = await service.call(recordings.videoListInRange, { cid, beginTime, endTime })
    return answer.code === 200 ? answer.ret!.videoList.map(({ vid }) => vid) : answer.code
  }

  it('covers what began within the range, both ends included, of at most a week', async () => {
    const at = clock.now() - 20 * week
    const [first, last] = [await listed({ begin: at }), await listed({ begin: at + week })]
    await listed({ begin: at - 1 })
    await listed({ begin: at + week + 1 })
    expect(await list(at, at + week)).toEqual([first, last])
    expect(await list(at + 1, at + week - 1)).toEqual([])
    expect(await list(at, at)).toEqual([first])
    expect(await list(at, at + week + 1)).toBe(631)
    expect(await list(at + 1, at)).toBe(631)
    const { videoList } = (await service.call(recordings.videoListInRange, { cid, beginTime: at, endTime: at })).ret!
    expect(videoList).toEqual([{ name: expect.any(String), url: 'key', vid: first }])
  })

  it('answers 618 for a channel that is not there, 631 without a range, 501 for a fault', async () => {
    const range = { beginTime: 1, endTime: 2 }
    expect((await service.call(recordings.videoListInRange, { cid: unknownCid, ...range })).code).toBe(618)
    expect((await service.send(recordings.videoListInRange, { cid })).code).toBe(631)
    await fail(recordings.videoListInRange.path)
    expect((await service.call(recordings.videoListInRange, { cid, ...range })).code).toBe(501)
  })
})

describe('merge', () => {
  const merge = (vidList: unknown, outputName: unknown = 'm') => service.send(recordings.merge, { outputName, vidList })

  it('refuses names with white space or control characters, and what is no list of ids (631)', async () => {
    const vid = await listed()
    for (const name of ['', 'a b', 'a\tb', 'a\u0000', 'x'.repeat(129)])
      expect((await merge([vid], name)).code).toBe(631)
    for (const list of [[], [0], ['x'], 'no', [1.5]]) expect((await merge(list)).code).toBe(631)
  })

  it('answers 618 for files that are not there or another application’s, 631 for files that do not fit, 501 for a fault', async () => {
    const vid = await listed()
    expect((await merge([vid, vid + 1])).code).toBe(618)
    expect((await service.other.call(recordings.merge, { outputName: 'm', vidList: [vid] })).code).toBe(618)
    expect((await merge([vid, await listed({ format: 1 })])).code).toBe(631)
    expect((await merge([vid, await listed({ codecs: 'hvc1' })])).code).toBe(631)
    expect((await merge([vid, await listed({ duration: 4 * 3600_000 })])).code).toBe(631)
    rmSync(join(service.dataDir, 'recordings', cid, `${vid}.mp4`))
    expect((await merge([vid])).code).toBe(618)
    await fail(recordings.merge.path)
    expect((await merge([vid])).code).toBe(501)
  })

  it('answers the 11th call within a minute with 638, also when the ones before failed', async () => {
    for (let count = 0; count < 10; count++) expect((await merge([])).code).toBe(631)
    expect((await merge([])).code).toBe(638)
    expect((await service.other.call(recordings.merge, { outputName: 'm', vidList: [1] })).code).toBe(618)
  })

  it('keeps what an earlier version wrote of a failure, in its words', async () => {
    const uid = await uidOf()
    await service.stop()
    await beside(service.dataDir, (db) =>
      db
        .insertInto('mergeTask')
        .values({
          uid,
          vid: 99,
          outputName: 'm',
          vidList: '[1]',
          state: 'failed',
          reason: 'there is not enough room on the disk',
          attempts: 1,
          created: 1,
          total: 1,
        })
        .execute(),
    )
    service = await startService({ clock, faults: true, dataDir: service.dataDir })
    const [task] = (await service.call(local.mergeTasks, {})).ret!.list
    expect(task?.reason).toEqual({ code: 'unknown', params: { text: 'there is not enough room on the disk' } })
  })

  it('fails visibly when a source is not what it should be, and the task says why', async () => {
    const vid = await listed()
    expect((await merge([vid])).ret).toEqual({ result: true })
    const task = await until('the task ended', async () =>
      (await service.call(local.mergeTasks, {})).ret!.list.find(({ state }) => state !== 'running'),
    )
    expect(task).toMatchObject({ outputName: 'm', state: 'failed', reason: { code: 'damaged', params: {} } })
    expect((await service.call(local.cancelMerge, { taskId: task.taskId })).code).toBe(618)
    expect((await service.other.call(local.mergeTasks, {})).ret!.list).toEqual([])
  })
})
