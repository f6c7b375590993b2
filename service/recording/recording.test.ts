import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { live, local, recordings } from '../../contract/operations/index.ts'
import type { Application } from '../applications.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import type { Publication } from '../hub/hub.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { diskFiles } from './file-system.ts'
import { createMergesStore } from './merges-store.ts'
import { FlvSlice } from './slice-flv.ts'
import { createRig, rigCid, rigUid, type RecordingRig } from './testing/rig.ts'
import { bothTracks, pictureAt, writtenSlice } from './testing/written-slice.ts'

let rig: RecordingRig | undefined
let service: TestService | undefined
afterEach(async () => {
  await rig?.close()
  await service?.close()
  rig = undefined
  service = undefined
})

/** Passes a key frame and pictures up to a time, in ms of the push. */
function picturesTo(publication: Publication, begun: number, to: number): void {
  for (const packet of [videoConfiguration, audioConfiguration]) publication.packet(packet)
  for (let at = 0; at <= to; at += 100) publication.packet(videoFrame(at, at === 0, begun + at))
}
const recordingEvents = (of: RecordingRig) => of.events.flatMap((event) => (event.type === 'recording' ? [event] : []))
/** Records a file of some seconds; returns its number. */
async function recorded(of: RecordingRig, seconds = 2): Promise<number> {
  const before = recordingEvents(of).length
  const publication = of.publish()
  picturesTo(publication, of.now, seconds * 1000)
  publication.end('closed')
  const ready = await until('a file', () =>
    recordingEvents(of)
      .slice(before)
      .find(({ state }) => state === 'fileReady'),
  )
  return ready.vid!
}

it('tells of a recording since when, how much, until when and with how much free, and what its file is', async () => {
  const free = 10_000_000
  rig = await createRig({ files: { ...diskFiles, free: () => Promise.resolve(free) }, reserve: 1000 })
  rig.choice = { format: 1, duration: 60_000, filename: 'show' }
  await rig.recording.space()
  const begun = rig.now
  const vid = await recorded(rig)
  const [asked, writing] = recordingEvents(rig)
  expect(asked).toEqual({ type: 'recording', at: begun, cid: rigCid, state: 'asked', diskFree: free })
  expect(writing).toEqual({
    type: 'recording',
    at: begun,
    cid: rigCid,
    state: 'recording',
    since: begun,
    recorded: 0,
    cut: begun + 60_000,
    bytes: expect.any(Number) as number,
    diskFree: free,
  })
  // The head of the file at least.
  expect(writing!.bytes).toBeGreaterThan(1000)
  const [row] = await rig.rows()
  expect(recordingEvents(rig).at(-1)).toEqual({
    type: 'recording',
    at: begun,
    cid: rigCid,
    state: 'fileReady',
    vid,
    name: row!.name,
    bytes: row!.bytes,
    merged: false,
    diskFree: free,
  })
  expect(rig.called.map((file) => file.vid)).toEqual([vid])
})

it('removes recordings beyond the limits after each file, and tells which', async () => {
  rig = await createRig()
  rig.choice = { format: 1, duration: 60_000, filename: '' }
  const first = await recorded(rig)
  expect(rig.events.filter(({ type }) => type === 'unrecorded')).toEqual([])
  const bytes = (await rig.rows())[0]!.bytes
  // Room for one file and a half.
  rig.retention = { days: 0, gigabytes: (bytes * 1.5) / 1e9 }
  rig.now += 60_000
  const second = await recorded(rig)
  await until('the first is gone', async () => (await rig!.rows()).every(({ vid }) => vid === second))
  await until('it is told', () => rig!.events.some(({ type }) => type === 'unrecorded'))
  expect(rig.events.filter(({ type }) => type === 'unrecorded')).toEqual([
    { type: 'unrecorded', at: rig.now, vids: [first] },
  ])
})

it('tells the bytes until recording stops, or to be freed, of the disk as it is now', async () => {
  const state = { free: 5000 }
  rig = await createRig({ files: { ...diskFiles, free: () => Promise.resolve(state.free) }, reserve: 1000 })
  expect(await rig.recording.space()).toEqual({ space: 4000, needs: undefined, reserve: 1000 })
  state.free = 900
  expect(await rig.recording.space()).toEqual({ space: 0, needs: 200, reserve: 1000 })
})

it('finishes at its start what was being written before, and keeps the number of the file', async () => {
  const early = await createRig()
  const { media } = writtenSlice(
    new FlvSlice(bothTracks, 60_000),
    [0, 1000, 2000].map((at) => pictureAt(at, at === 0)),
  )
  const vid = await early.files.begin({
    cid: rigCid,
    uid: rigUid,
    format: 1,
    merged: 0,
    slice: 4,
    beginTime: early.now,
    filename: 'show',
    codecs: 'avc1',
    state: 'writing',
  })
  const path = early.path({ cid: rigCid, vid, format: 1 })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, media)
  const { dataDir } = early
  await early.stop()
  rig = await createRig({}, dataDir)
  expect((await rig.rows()).map(({ state }) => state)).toEqual(['writing'])
  await rig.recording.start()
  expect(await rig.rows()).toMatchObject([{ vid, state: 'ready', slice: 4, duration: 3000, bytes: media.length }])
  expect(rig.called.map((file) => [file.vid, file.merged])).toEqual([[vid, false]])
})

it('lists a file of the quarantine again that is back in its place, and passes it on', async () => {
  rig = await createRig()
  const { media } = writtenSlice(
    new FlvSlice(bothTracks, 60_000),
    [0, 1000, 2000].map((at) => pictureAt(at, at === 0)),
  )
  const path = rig.path({ cid: rigCid, vid: 70, format: 1 })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, media)
  expect(await rig.recording.adopt(rigUid, `recordings/${rigCid}/70.flv`)).toBe(true)
  expect(await rig.rows()).toMatchObject([{ vid: 70, uid: rigUid, state: 'ready', duration: 3000 }])
  expect(rig.called.map(({ vid }) => vid)).toEqual([70])
})

it('merges only with room beyond what is kept free, and tells of the file as merged', async () => {
  const state = { free: 1e9 }
  const made = await createRig({ files: { ...diskFiles, free: () => Promise.resolve(state.free) }, reserve: 1000 })
  rig = made
  made.choice = { format: 0, duration: 60_000, filename: '' }
  const vid = await recorded(made)
  const call = async (operation: Operation, args: object): Promise<unknown> =>
    made.recording.operations.find((one) => one.operation === operation)!.answer!(args as never, {
      application: { uid: rigUid, settings: {} } as Application,
      subnet: '',
    })
  const ended = () =>
    until('the merge is over', async () => {
      const { ret } = (await call(local.mergeTasks, {})) as {
        ret: { list: { state: string; reason?: { code: string } }[] }
      }
      return ret.list[0]!.state === 'running' ? undefined : [ret.list[0]!.state, ret.list[0]!.reason?.code]
    })
  const { bytes } = (await made.rows())[0]!
  state.free = 1000 + bytes - 1
  await made.recording.space()
  await call(recordings.merge, { outputName: 'm', vidList: [vid] })
  expect(await ended()).toEqual(['failed', 'room'])
  state.free = 1000 + bytes
  await made.recording.space()
  await call(recordings.merge, { outputName: 'm', vidList: [vid] })
  expect(await ended()).toEqual(['done', undefined])
  expect(recordingEvents(made).at(-1)).toMatchObject({ state: 'fileReady', name: 'm', merged: true })
})

it('goes on at its start with a merge that was interrupted', async () => {
  const early = await createRig()
  early.choice = { format: 0, duration: 60_000, filename: '' }
  const vid = await recorded(early)
  const task = { uid: rigUid, outputName: 'both', total: 1, created: early.now }
  await createMergesStore(early.store).add(task, [vid, vid], {
    cid: rigCid,
    uid: rigUid,
    format: 0,
    merged: 1,
    slice: 0,
    beginTime: early.now,
    filename: 'both',
    codecs: '',
    state: 'merging',
  })
  const { dataDir } = early
  await early.stop()
  const made = await createRig({}, dataDir)
  rig = made
  await made.recording.start()
  await until('it is merged', async () => (await made.rows()).every(({ state }) => state === 'ready'))
  expect(made.called.map(({ name, merged }) => [name, merged])).toEqual([['both', true]])
})

it.each([
  ['after a while', 20, false],
  ['as soon as there is space again', 3_600_000, true],
])('finishes a file that could not be finished at first %s', async (_when, lookEvery, isFull) => {
  const state = { free: 1e9, away: '', triedWhenFull: false }
  const made = await createRig({
    reserve: 1000,
    lookEvery,
    files: {
      ...diskFiles,
      free: () => Promise.resolve(state.free),
      // Away until its size is asked for, which the second try does first.
      async create(folder, path) {
        const file = await diskFiles.create(folder, path)
        state.away = `${path}.away`
        renameSync(path, state.away)
        return file
      },
      size(path) {
        if (state.away === `${path}.away`) renameSync(state.away, path)
        state.triedWhenFull ||= state.free === 1
        state.away = ''
        return diskFiles.size(path)
      },
    },
  })
  rig = made
  made.choice = { format: 1, duration: 60_000, filename: '' }
  const publication = made.publish()
  picturesTo(publication, made.now, 2000)
  publication.end('closed')
  await until('it is listed', async () => {
    if (isFull)
      for (const free of [1, 1e9]) {
        state.free = free
        await made.recording.space()
      }
    return (await made.rows())[0]?.state === 'ready'
  })
  expect([made.called.length, state.away, state.triedWhenFull]).toEqual([1, '', false])
})

it('records slices of minutes, keeps 512 MiB free, and says so', async () => {
  service = await startService()
  expect((await service.call(local.info, {})).ret!.recordingReserve).toBe(512 * 1024 * 1024)
  const { cid, pushUrl } = (await service.call(live.create, { name: 'a' })).ret!
  await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, duration: 7 })
  const url = new URL(pushUrl)
  const client = await RtmpTestClient.open(Number(url.port))
  await client.connect()
  expect(await client.ask('publish', url.pathname.replace('/live/', '') + url.search)).toBe('NetStream.Publish.Start')
  for (const { kind, timestamp, body } of [videoConfiguration, audioConfiguration, videoFrame(0, true, 0)])
    client.send(rtmpType[kind], timestamp, body)
  const stateOf = async () => (await service!.call(local.recordingState, { cid })).ret!
  await until('it is recorded', async () => (await stateOf()).recording)
  const { since, cut, recorded: length } = await stateOf()
  expect([cut! - since!, length]).toEqual([7 * 60_000, 0])
  client.close()
})
