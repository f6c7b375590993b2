import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mergeFailures } from '../../contract/merge-failures.ts'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { encodeFixture, encoderMissing, temporaryFolder } from '../live/testing/fixture.ts'
import { until } from '../testing/condition.ts'
import { startPublisher } from '../testing/publisher.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startService, testClock, type TestClock, type TestService } from '../testing/start-service.ts'

const missing = await encoderMissing()
const folder = temporaryFolder()
afterAll(() => folder.remove())
const unknownCid = '0'.repeat(32)
const week = 7 * 24 * 3600 * 1000
let clock: TestClock
let service: TestService
let cid: string

beforeEach(async () => {
  clock = testClock()
  service = await startService({ clock, faults: true })
  cid = (await service.call(live.create, { name: 'recorded' })).ret!.cid
})
afterEach(() => service.close())

const uidOf = async (): Promise<number> => (await service.call(local.info, {})).ret!.uid
/** Puts a listed file into the database, and bytes on the disk, as the recorder would have. */
async function listed(
  values: { completed?: number; begin?: number; duration?: number; format?: number; codecs?: string; bytes?: Buffer; uid?: number } = {},
): Promise<number> {
  const {
    completed = clock(),
    begin = clock() - 10_000,
    duration = 10_000,
    format = 0,
    codecs = 'avc1',
    bytes = Buffer.from('not a film'),
    uid = await uidOf(),
  } = values
  const outside = new DatabaseSync(join(service.dataDir, 'sidestage.db'))
  outside.exec('pragma busy_timeout = 2000')
  const { lastInsertRowid } = outside
    .prepare(
      `insert into recording (cid, uid, state, format, merged, slice, beginTime, filename, endTime, completed, name, fileKey, bytes, duration, codecs) values (?, ?, 'ready', ?, 0, 0, ?, '', ?, ?, ?, 'key', ?, ?, ?)`,
    )
    .run(cid, uid, format, begin, begin + duration, completed, `file ${completed}`, bytes.length, duration, codecs)
  outside.close()
  const vid = Number(lastInsertRowid)
  const place = join(service.dataDir, 'recordings', cid)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, `${vid}.${format === 1 ? 'flv' : 'mp4'}`), bytes)
  return vid
}
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
    const edge = await listed({ completed: clock() - week })
    await listed({ completed: clock() - week - 1 })
    const now = await listed({ completed: clock(), begin: clock() - 30 * week })
    expect(await list()).toEqual([edge, now])
    clock.advance(1)
    expect(await list()).toEqual([now])
    const { videoList } = (await service.call(recordings.videoList, { cid })).ret!
    expect(videoList).toEqual([{ video_name: expect.any(String), orig_video_key: 'key', uid: await uidOf(), vid: now }])
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
    const at = clock() - 20 * week
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
    for (const name of ['', 'a b', 'a\tb', 'a\u0000', 'x'.repeat(129)]) expect((await merge([vid], name)).code).toBe(631)
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

  it('fails visibly when a source is not what it should be, and the task says why', async () => {
    const vid = await listed()
    expect((await merge([vid])).ret).toEqual({ result: true })
    const task = await until('the task ended', async () => (await service.call(local.mergeTasks, {})).ret!.list.find(({ state }) => state !== 'running'))
    expect(task).toMatchObject({ outputName: 'm', state: 'failed', reason: mergeFailures.damaged })
    expect((await service.call(local.cancelMerge, { taskId: task.taskId })).code).toBe(618)
    expect((await service.other.call(local.mergeTasks, {})).ret!.list).toEqual([])
  })
})

describe.skipIf(missing)('a recorded push', () => {
  let fixture: string
  beforeAll(async () => {
    fixture = await encodeFixture(folder.path, 'push', { duration: 10, gop: 30 })
  })

  it('is status 3, is listed, plays by ticket with ranges, and three long merges of it keep a fourth out', async () => {
    await service.close()
    service = await startService({ faults: true })
    const created = (await service.call(live.create, { name: 'on_air' })).ret!
    cid = created.cid
    const state = async () => (await service.call(local.recordingState, { cid })).ret!
    expect(await state()).toMatchObject({ recording: false, state: 'off', bytes: 0 })
    const events = await service.events()
    const publisher = startPublisher(created.pushUrl, fixture)
    try {
      await events.next('push', ({ kind }) => kind === 'firstKeyFrame')
      expect((await service.call(live.state, { cid })).ret!.status).toBe(1)
      await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0, filename: 'x' })
      await events.next('recording', ({ state }) => state === 'asked')
      await events.next('recording', ({ state }) => state === 'recording')
      expect((await service.call(live.state, { cid })).ret!.status).toBe(3)
      await until('two seconds are written', async () => (await state()).bytes > 100_000)
      expect(await state()).toMatchObject({ recording: true, state: 'recording', since: expect.any(Number), cut: expect.any(Number) })
      await service.call(recordings.setAlwaysRecord, { cid, needRecord: 0 })
      const ready = await events.next('recording', ({ state }) => state === 'fileReady')
      expect((await service.call(live.state, { cid })).ret!.status).toBe(1)
      expect(ready.vid).toBe((await service.call(recordings.videoList, { cid })).ret!.videoList[0]!.vid)
    } finally {
      await publisher.stop()
    }
    events.close()
    const { list } = (await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: Date.now() })).ret!
    expect(list).toHaveLength(1)
    const [file] = list
    const vid = file!.vid

    const { url, expires } = (await service.call(local.playbackTicket, { vid })).ret!
    expect(Math.abs(expires - Date.now() - 600_000)).toBeLessThan(5000)
    const bytes = readFileSync(join(service.dataDir, 'recordings', cid, `${vid}.mp4`))
    const whole = await fetch(url)
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('accept-ranges')]).toEqual([200, 'video/mp4', 'bytes'])
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await fetch(url, { headers: { range: 'bytes=100-299' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 300))).toBe(true)
    const beyond = await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
    const head = await httpRequest(url, { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(bytes.length), ''])
    expect((await httpRequest(url, { method: 'POST' })).status).toBe(405)
    // Another file's name, another number, and a changed ticket are nothing.
    for (const wrong of [
      url.replace(/[0-9]+\.mp4$/, '99.mp4'),
      url.replace('.mp4', '.flv'),
      url.replace(/\/recordings\/[0-9]+/, '/recordings/99'),
      url.replace(/.(?=\/[0-9]+\.mp4)/, (last) => (last === 'A' ? 'E' : 'A')),
    ])
      expect((await fetch(wrong)).status, wrong).toBe(404)
    expect((await httpRequest(url, { method: 'GET', headers: [['origin', 'http://evil.example']] })).status).toBe(403)

    // A long merge: the same file many times over.
    const vidList = Array.from({ length: 1000 }, () => vid)
    const results = await Promise.all([1, 2, 3, 4].map((count) => service.call(recordings.merge, { outputName: `m${count}`, vidList })))
    expect(results.map(({ code }) => code).sort()).toEqual([200, 200, 200, 639])
    const running = (await service.call(local.mergeTasks, {})).ret!.list
    expect(running.map(({ state }) => state)).toEqual(['running', 'running', 'running'])
    expect((await service.other.call(local.cancelMerge, { taskId: running[0]!.taskId })).code).toBe(617)
    expect((await service.call(local.removeRecordings, { vidList: [vid] })).ret!.successList).toEqual([])
    for (const { taskId } of running) expect((await service.call(local.cancelMerge, { taskId })).code).toBe(200)
    expect((await service.call(local.mergeTasks, {})).ret!.list.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect((await service.call(recordings.merge, { outputName: 'both', vidList: [vid, vid] })).code).toBe(200)
    await until('merged', async () => (await service.call(local.mergeTasks, {})).ret!.list[0]!.state === 'done')
    expect((await service.call(recordings.videoList, { cid })).ret!.videoList.map(({ video_name: name }) => name)).toEqual([file!.name, 'both'])
    // Deleting the channel keeps its files for merging.
    await service.call(live.remove, { cid })
    expect((await service.call(recordings.videoList, { cid })).code).toBe(618)
    expect((await service.call(recordings.merge, { outputName: 'after', vidList: [vid] })).code).toBe(200)
  }, 60_000)
})

describe('tickets, files and retention', () => {
  it('are for files of the own application, for 10 minutes', async () => {
    const vid = await listed({ format: 1, bytes: Buffer.alloc(1000, 1) })
    expect((await service.other.call(local.playbackTicket, { vid })).code).toBe(617)
    expect((await service.call(local.playbackTicket, { vid: vid + 1 })).code).toBe(618)
    expect((await service.send(local.playbackTicket, { vid: 0 })).code).toBe(631)
    const { url, file } = (await service.call(local.playbackTicket, { vid })).ret!
    expect(file).toBe(join(service.dataDir, 'recordings', cid, `${vid}.flv`))
    clock.advance(600_000 - 1)
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'video/x-flv'])
    await answer.arrayBuffer()
    clock.advance(1)
    expect((await fetch(url)).status).toBe(404)
    await fail(local.playbackTicket.path)
    expect((await service.call(local.playbackTicket, { vid })).code).toBe(501)
  })

  it('lists what was being recorded within a range, with everything known of it', async () => {
    const vid = await listed({ begin: clock() - 10_000, duration: 10_000 })
    const within = async (beginTime: number, endTime: number) =>
      (await service.call(local.recordedFiles, { cid, beginTime, endTime })).ret!.list.map((file) => file.vid)
    expect(await within(clock(), clock() + 1)).toEqual([vid])
    expect(await within(clock() + 1, clock() + 2)).toEqual([])
    expect(await within(0, clock() - 10_000)).toEqual([vid])
    expect(await within(0, clock() - 10_001)).toEqual([])
    expect((await service.other.call(local.recordedFiles, { cid, beginTime: 0, endTime: 1 })).code).toBe(617)
    expect((await service.call(local.recordedFiles, { cid: unknownCid, beginTime: 0, endTime: 1 })).code).toBe(618)
    expect((await service.send(local.recordedFiles, { cid })).code).toBe(631)
    await fail(local.recordedFiles.path)
    expect((await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: 1 })).code).toBe(501)
  })

  it('removes files of the own application only', async () => {
    const [a, b] = [await listed(), await listed()]
    expect((await service.other.call(local.removeRecordings, { vidList: [a, b] })).ret!.successList).toEqual([])
    expect((await service.call(local.removeRecordings, { vidList: [a, a, 999] })).ret!.successList).toEqual([a])
    expect(() => readFileSync(join(service.dataDir, 'recordings', cid, `${a}.mp4`))).toThrow('ENOENT')
    expect((await service.call(recordings.videoList, { cid })).ret!.videoList.map(({ vid }) => vid)).toEqual([b])
    expect((await service.send(local.removeRecordings, {})).code).toBe(631)
    await fail(local.removeRecordings.path)
    expect((await service.call(local.removeRecordings, { vidList: [a] })).code).toBe(501)
  })

  it('keeps recordings for so many days and gigabytes as the settings say', async () => {
    const day = 24 * 3600 * 1000
    const vids = [await listed({ completed: clock() - 3 * day }), await listed({ completed: clock() - day }), await listed()]
    expect((await service.call(local.updateSettings, { recordingDays: 2, recordingGigabytes: 0 })).ret).toMatchObject({
      recordingDays: 2,
      recordingGigabytes: 0,
    })
    const { dataDir } = service
    await service.stop()
    service = await startService({ clock, dataDir, faults: true })
    const left = async () => (await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: clock() })).ret!.list.map(({ vid }) => vid).sort()
    await until('the oldest is gone', async () => (await left()).length === 2)
    expect(await left()).toEqual(vids.slice(1))
    const outside = new DatabaseSync(join(dataDir, 'sidestage.db'))
    outside.exec(`pragma busy_timeout = 2000; update recording set bytes = 600000000`)
    outside.close()
    await service.call(local.updateSettings, { recordingDays: 0, recordingGigabytes: 1 })
    await service.stop()
    service = await startService({ clock, dataDir, faults: true })
    await until('the older one is gone', async () => (await left()).length === 1)
    expect(await left()).toEqual(vids.slice(2))
    expect((await service.send(local.updateSettings, { recordingDays: -1 })).code).toBe(631)
  })

  it('finds no way from a stored name to a path', async () => {
    // What a person types is data: the file's own name is its number.
    await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, filename: 'CON' })
    const vid = await listed()
    expect((await service.call(recordings.merge, { outputName: '../../../etc/passwd', vidList: [vid] })).code).toBe(200)
    expect((await service.call(recordings.merge, { outputName: 'a:b', vidList: [vid] })).code).toBe(200)
    await until('both ended', async () => (await service.call(local.mergeTasks, {})).ret!.list.every(({ state }) => state === 'failed'))
    expect(readdirSync(join(service.dataDir, 'recordings'))).toEqual([cid])
    expect(readdirSync(join(service.dataDir, 'recordings', cid))).toEqual([`${vid}.mp4`])
  })
})

describe('states, tasks and markers', () => {
  it('reads what is being recorded', async () => {
    expect((await service.call(local.recordingState, { cid })).ret).toMatchObject({ recording: false, state: 'off', bytes: 0 })
    expect((await service.other.call(local.recordingState, { cid })).code).toBe(617)
    expect((await service.call(local.recordingState, { cid: unknownCid })).code).toBe(618)
    expect((await service.send(local.recordingState, {})).code).toBe(631)
    await fail(local.recordingState.path)
    expect((await service.call(local.recordingState, { cid })).code).toBe(501)
  })

  it('answers faults of the task operations', async () => {
    expect((await service.send(local.mergeTasks, '{')).code).toBe(631)
    await fail(local.mergeTasks.path)
    expect((await service.call(local.mergeTasks, {})).code).toBe(501)
    expect((await service.send(local.cancelMerge, {})).code).toBe(631)
    await fail(local.cancelMerge.path)
    expect((await service.call(local.cancelMerge, { taskId: 1 })).code).toBe(501)
  })

  it('keeps markers of a channel by time', async () => {
    const at = clock()
    const first = (await service.call(local.addMarker, { cid, label: 'goal' })).ret!.markerId
    const second = (await service.call(local.addMarker, { cid, at: at - 1000 })).ret!.markerId
    const list = async (beginTime: number, endTime: number) => (await service.call(local.markers, { cid, beginTime, endTime })).ret!.list
    expect(await list(at - 1000, at)).toEqual([
      { markerId: second, at: at - 1000, label: '' },
      { markerId: first, at, label: 'goal' },
    ])
    expect(await list(at - 999, at - 1)).toEqual([])
    for (const client of [service.other]) {
      expect((await client.call(local.addMarker, { cid })).code).toBe(617)
      expect((await client.call(local.markers, { cid, beginTime: 0, endTime: 1 })).code).toBe(617)
      expect((await client.call(local.removeMarker, { markerId: first })).code).toBe(617)
    }
    expect((await service.call(local.addMarker, { cid: unknownCid })).code).toBe(618)
    expect((await service.call(local.markers, { cid: unknownCid, beginTime: 0, endTime: 1 })).code).toBe(618)
    expect((await service.send(local.addMarker, { cid, at: -1 })).code).toBe(631)
    expect((await service.send(local.markers, { cid })).code).toBe(631)
    expect((await service.send(local.removeMarker, {})).code).toBe(631)
    expect((await service.other.call(local.renameMarker, { markerId: first, label: 'mine' })).code).toBe(617)
    expect((await service.send(local.renameMarker, { markerId: first, label: 'x'.repeat(129) })).code).toBe(631)
    expect((await service.call(local.renameMarker, { markerId: first, label: '进球' })).code).toBe(200)
    expect((await service.call(local.renameMarker, { markerId: second, label: 'kick-off' })).code).toBe(200)
    expect((await list(at - 1000, at)).map(({ label }) => label)).toEqual(['kick-off', '进球'])
    expect((await service.call(local.renameMarker, { markerId: second })).code).toBe(200)
    expect((await list(at - 1000, at)).map(({ label }) => label)).toEqual(['', '进球'])
    expect((await service.call(local.removeMarker, { markerId: first })).code).toBe(200)
    expect((await service.call(local.renameMarker, { markerId: first, label: 'gone' })).code).toBe(618)
    expect((await service.call(local.removeMarker, { markerId: first })).code).toBe(618)
    for (const operation of [local.addMarker, local.markers, local.renameMarker, local.removeMarker]) {
      await fail(operation.path)
      expect((await service.send(operation, { cid, beginTime: 0, endTime: 1, markerId: second })).code).toBe(501)
    }
  })
})

it.skipIf(missing)('keeps what was recorded through a restart', async () => {
  const source = await encodeFixture(folder.path, 'kept', { duration: 2 })
  const vid = await listed()
  copyFileSync(source, join(service.dataDir, 'recordings', cid, `${vid}.mp4`))
  const { dataDir } = service
  await service.stop()
  service = await startService({ clock, dataDir, faults: true })
  expect((await service.call(recordings.videoList, { cid })).ret!.videoList.map((file) => file.vid)).toEqual([vid])
})
