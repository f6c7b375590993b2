import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { listFile, type ListedFile } from './testing/listed-file.ts'
import { beside } from '../testing/beside.ts'

const unknownCid = '0'.repeat(32)
let clock: ManualWallClock
let service: TestService
let cid: string
/** Added to the elapsed time, in ms. */
let passed: number

beforeEach(async () => {
  clock = manualWallClock()
  passed = 0
  const monotonic = (): number => performance.now() + passed
  service = await startService({ clock: { ...clock, monotonic }, faults: true })
  cid = (await service.call(live.create, { name: 'recorded' })).ret!.cid
})
afterEach(() => service.close())

const listed = (values?: ListedFile): Promise<number> => listFile(service, cid, clock.now(), values)
const fail = (path: string) => service.call(local.faults, { path, code: 501 })

describe('tickets, files and retention', () => {
  it('are for files of the own application, for 10 minutes', async () => {
    const vid = await listed({ format: 1, bytes: Buffer.alloc(1000, 1) })
    expect((await service.other.call(local.playbackTicket, { vid })).code).toBe(617)
    expect((await service.call(local.playbackTicket, { vid: vid + 1 })).code).toBe(618)
    expect((await service.send(local.playbackTicket, { vid: 0 })).code).toBe(631)
    const { url, file } = (await service.call(local.playbackTicket, { vid })).ret!
    expect(file).toBe(join(service.dataDir, 'recordings', cid, `${vid}.flv`))
    passed += 540_000
    // Tickets do not expire by the wall clock.
    clock.advance(86_400_000)
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'video/x-flv'])
    await answer.arrayBuffer()
    passed += 60_000
    expect((await fetch(url)).status).toBe(404)
    await fail(local.playbackTicket.path)
    expect((await service.call(local.playbackTicket, { vid })).code).toBe(501)
  })

  it('serve a file, and nothing that a link in its place leads to', async () => {
    const vid = await listed({ bytes: Buffer.from('the film') })
    const { url } = (await service.call(local.playbackTicket, { vid })).ret!
    expect(await (await fetch(url)).text()).toBe('the film')
    const path = join(service.dataDir, 'recordings', cid, `${vid}.mp4`)
    rmSync(path)
    symlinkSync('/etc/passwd', path)
    expect((await fetch(url)).status).toBe(404)
  })

  it('lists what was being recorded within a range, with everything known of it', async () => {
    const vid = await listed({ begin: clock.now() - 10_000, duration: 10_000 })
    const within = async (beginTime: number, endTime: number) =>
      (await service.call(local.recordedFiles, { cid, beginTime, endTime })).ret!.list.map((file) => file.vid)
    expect(await within(clock.now(), clock.now() + 1)).toEqual([vid])
    expect(await within(clock.now() + 1, clock.now() + 2)).toEqual([])
    expect(await within(0, clock.now() - 10_000)).toEqual([vid])
    expect(await within(0, clock.now() - 10_001)).toEqual([])
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
    const vids = [
      await listed({ completed: clock.now() - 3 * day }),
      await listed({ completed: clock.now() - day }),
      await listed(),
    ]
    expect((await service.call(local.updateSettings, { recordingDays: 2, recordingGigabytes: 0 })).ret).toMatchObject({
      recordingDays: 2,
      recordingGigabytes: 0,
    })
    const { dataDir } = service
    await service.stop()
    service = await startService({ clock, dataDir, faults: true })
    const left = async () =>
      (await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: clock.now() }))
        .ret!.list.map(({ vid }) => vid)
        .sort()
    await until('the oldest is gone', async () => (await left()).length === 2)
    expect(await left()).toEqual(vids.slice(1))
    await beside(dataDir, (db) => db.updateTable('recording').set({ bytes: 600_000_000 }).execute())
    await service.call(local.updateSettings, { recordingDays: 0, recordingGigabytes: 1 })
    await service.stop()
    service = await startService({ clock, dataDir, faults: true })
    await until('the older one is gone', async () => (await left()).length === 1)
    expect(await left()).toEqual(vids.slice(2))
    expect((await service.send(local.updateSettings, { recordingDays: -1 })).code).toBe(631)
  })

  it('finds no way from a stored name to a path', async () => {
    // User input is not used in paths: the file's own name is its number.
    await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, filename: 'CON' })
    const vid = await listed()
    expect((await service.call(recordings.merge, { outputName: '../../../etc/passwd', vidList: [vid] })).code).toBe(200)
    expect((await service.call(recordings.merge, { outputName: 'a:b', vidList: [vid] })).code).toBe(200)
    await until('both ended', async () =>
      (await service.call(local.mergeTasks, {})).ret!.list.every(({ state }) => state === 'failed'),
    )
    expect(readdirSync(join(service.dataDir, 'recordings'))).toEqual([cid])
    expect(readdirSync(join(service.dataDir, 'recordings', cid))).toEqual([`${vid}.mp4`])
  })
})

describe('states, tasks and markers', () => {
  it('reads what is being recorded', async () => {
    expect((await service.call(local.recordingState, { cid })).ret).toMatchObject({
      recording: false,
      state: 'off',
      bytes: 0,
    })
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
    const at = clock.now()
    const first = (await service.call(local.addMarker, { cid, label: 'goal' })).ret!.markerId
    const second = (await service.call(local.addMarker, { cid, at: at - 1000 })).ret!.markerId
    const list = async (beginTime: number, endTime: number) =>
      (await service.call(local.markers, { cid, beginTime, endTime })).ret!.list
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
