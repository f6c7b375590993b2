import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { encodeFixture, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { until } from '../testing/condition.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startPublisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { listFile } from './testing/listed-file.ts'

await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())
let service: TestService
let cid: string

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

describe('a recorded push', () => {
  let fixture: string
  beforeAll(async () => {
    fixture = await encodeFixture(folder.path, 'push', { duration: 10, gop: 30 })
  })

  it('is status 3, is listed, plays by ticket with ranges, and three long merges of it keep a fourth out', async () => {
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
      expect(await state()).toMatchObject({
        recording: true,
        state: 'recording',
        since: expect.any(Number),
        cut: expect.any(Number),
      })
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
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('accept-ranges')]).toEqual([
      200,
      'video/mp4',
      'bytes',
    ])
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await fetch(url, { headers: { range: 'bytes=100-299' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 300))).toBe(true)
    const beyond = await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
    const head = await httpRequest(url, { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(bytes.length), ''])
    expect((await httpRequest(url, { method: 'POST' })).status).toBe(405)
    // Another file's name or number, or a changed ticket, is not found.
    for (const wrong of [
      url.replace(/[0-9]+\.mp4$/, '99.mp4'),
      url.replace('.mp4', '.flv'),
      url.replace(/\/recordings\/[0-9]+/, '/recordings/99'),
      url.replace(/.(?=\/[0-9]+\.mp4)/, (last) => (last === 'A' ? 'E' : 'A')),
    ])
      expect((await fetch(wrong)).status, wrong).toBe(404)
    // A page of another site may read it at neither listener.
    const foreign = { method: 'GET', headers: [['origin', 'http://evil.example']] } as const
    expect((await httpRequest(url, foreign)).headers['access-control-allow-origin']).toBeUndefined()
    expect((await httpRequest(service.service.ready.baseUrl + new URL(url).pathname, foreign)).status).toBe(403)

    // A long merge: the same file many times.
    const vidList = Array.from({ length: 1000 }, () => vid)
    const results = await Promise.all(
      [1, 2, 3, 4].map((count) => service.call(recordings.merge, { outputName: `m${count}`, vidList })),
    )
    expect(results.map(({ code }) => code).sort()).toEqual([200, 200, 200, 639])
    const running = (await service.call(local.mergeTasks, {})).ret!.list
    expect(running.map(({ state }) => state)).toEqual(['running', 'running', 'running'])
    expect((await service.other.call(local.cancelMerge, { taskId: running[0]!.taskId })).code).toBe(617)
    expect((await service.call(local.removeRecordings, { vidList: [vid] })).ret!.successList).toEqual([])
    for (const { taskId } of running) expect((await service.call(local.cancelMerge, { taskId })).code).toBe(200)
    expect((await service.call(local.mergeTasks, {})).ret!.list.map(({ state }) => state)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    expect((await service.call(recordings.merge, { outputName: 'both', vidList: [vid, vid] })).code).toBe(200)
    await until('merged', async () => (await service.call(local.mergeTasks, {})).ret!.list[0]!.state === 'done')
    expect(
      (await service.call(recordings.videoList, { cid })).ret!.videoList.map(({ video_name: name }) => name),
    ).toEqual([file!.name, 'both'])
    // Files of a deleted channel can be merged.
    await service.call(live.remove, { cid })
    expect((await service.call(recordings.videoList, { cid })).code).toBe(618)
    expect((await service.call(recordings.merge, { outputName: 'after', vidList: [vid] })).code).toBe(200)
  })
})

it('keeps what was recorded through a restart', async () => {
  const source = await encodeFixture(folder.path, 'kept', { duration: 2 })
  cid = (await service.call(live.create, { name: 'recorded' })).ret!.cid
  const vid = await listFile(service, cid, Date.now())
  copyFileSync(source, join(service.dataDir, 'recordings', cid, `${vid}.mp4`))
  const { dataDir } = service
  await service.stop()
  service = await startService({ dataDir })
  expect((await service.call(recordings.videoList, { cid })).ret!.videoList.map((file) => file.vid)).toEqual([vid])
})
