import { beforeEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { local, recordings } from '../../contract/operations/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Application } from '../applications.ts'
import type { Channel } from '../channels/channels.ts'
import type { Caller, Served } from '../http/dispatch.ts'
import type { Merges } from './merges.ts'
import type { Clips } from './clips.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { FileOfAll, FormerChannels } from './former-channels.ts'
import type { MarkersStore } from './markers-store.ts'
import type { MergeRefusal } from './merge-sources.ts'
import type { RecordingState } from './recorder-session.ts'
import { recordingOperations } from './recording-operations.ts'
import { recordingOperationsLocal } from './recording-operations-local.ts'

const day = 24 * 3600 * 1000
const cid = 'c'.repeat(32)
const clock = manualClock()
const channel = (uid: number, needRecord = 0): Channel => ({
  row: {
    cid,
    uid,
    name: 'a',
    type: 0,
    ctime: 1,
    disabled: 0,
    needRecord,
    format: 1,
    duration: 120,
    filename: '',
    channelKey: 'key',
    keyExpires: 5,
  },
  since: undefined,
  recording: false,
})
const row = (values: Partial<RecordingRow> = {}): RecordingRow => ({
  vid: 7,
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
  name: 'name',
  fileKey: 'key',
  bytes: 5,
  duration: 9,
  codecs: 'avc1',
  node: '',
  ...values,
})
const callerOf = (vodEnabled = true): Caller => ({
  application: { uid: 1, settings: { vodEnabled } } as Application,
  subnet: '127.0.0.1',
})
let asked: unknown[]
beforeEach(() => {
  asked = []
})
const callOf =
  (served: readonly Served[], caller = callerOf()) =>
  async (operation: Operation, args: object): Promise<unknown> =>
    served.find((one) => one.operation === operation)!.answer!(args as never, caller)

describe('operations on recordings', () => {
  const state = {
    channel: channel(1) as Channel | undefined,
    set: 'done' as 'gone' | 'done',
    rows: [] as RecordingRow[],
    refusal: undefined as MergeRefusal | undefined,
  }
  beforeEach(() => Object.assign(state, { channel: channel(1), set: 'done', rows: [], refusal: undefined }))
  const bench = (vodEnabled = true) =>
    callOf(
      recordingOperations({
        channels: {
          get: () => state.channel,
          async setRecording(of, values) {
            asked.push(['set', of, values])
            return state.set === 'gone' ? 'gone' : state.channel!
          },
        },
        recorder: { changed: (of) => void asked.push(['changed', of]) },
        store: {
          async completedSince(of: string, from: number) {
            asked.push(['since', of, from])
            return state.rows
          },
          async begunWithin(of: string, from: number, to: number) {
            asked.push(['within', of, from, to])
            return state.rows
          },
        } as Partial<FilesStore> as FilesStore,
        merges: {
          async begin(uid, name, vids) {
            asked.push(['merge', uid, name, vids])
            return state.refusal
          },
        },
        clock,
      }),
      callerOf(vodEnabled),
    )

  it('store the settings that are given, and then tell the recorder', async () => {
    const call = bench()
    expect(await call(recordings.setAlwaysRecord, { cid, needRecord: 1 })).toEqual({})
    await call(recordings.setAlwaysRecord, { cid, needRecord: 0, format: 0, duration: 5, filename: '' })
    expect(asked).toEqual([
      ['set', cid, { needRecord: 1 }],
      ['changed', cid],
      ['set', cid, { needRecord: 0, format: 0, duration: 5, filename: '' }],
      ['changed', cid],
    ])
  })

  it('tell the recorder nothing of a channel that goes meanwhile, which is 618', async () => {
    state.set = 'gone'
    await expect(bench()(recordings.setAlwaysRecord, { cid, needRecord: 1 })).rejects.toMatchObject({ code: 618 })
    expect(asked).toEqual([['set', cid, { needRecord: 1 }]])
  })

  it('switch recording on only with on-demand video, and off without it', async () => {
    const call = bench(false)
    await expect(call(recordings.setAlwaysRecord, { cid, needRecord: 1 })).rejects.toMatchObject({ code: 723 })
    expect(asked).toEqual([])
    expect(await call(recordings.setAlwaysRecord, { cid, needRecord: 0 })).toEqual({})
    // Whose channel it is comes first.
    state.channel = channel(2)
    await expect(call(recordings.setAlwaysRecord, { cid, needRecord: 1 })).rejects.toMatchObject({ code: 617 })
  })

  it('list what was completed since seven days ago, by pages from 1, of ten where no size is given', async () => {
    const call = bench()
    state.rows = Array.from({ length: 21 }, (_, index) => row({ vid: index + 1 }))
    const page = async (args: object) => {
      const { ret } = (await call(recordings.videoList, { cid, ...args })) as {
        ret: { videoList: { vid: number }[] }
      }
      return { ...ret, videoList: ret.videoList.map(({ vid }) => vid) }
    }
    expect((await page({})).videoList).toHaveLength(21)
    expect(asked).toEqual([['since', cid, clock.now() - 7 * day]])
    const totals = { totalRecords: 21 }
    expect(await page({ pnum: 3 })).toEqual({ videoList: [21], pnum: 3, records: 10, totalPnum: 3, ...totals })
    expect(await page({ records: 7, pnum: 2 })).toEqual({
      videoList: [8, 9, 10, 11, 12, 13, 14],
      pnum: 2,
      records: 7,
      totalPnum: 3,
      ...totals,
    })
    expect(await page({ records: 1 })).toMatchObject({ videoList: [1], pnum: 1, totalPnum: 21 })
  })

  it('list a file by its name, storage path, owner and number', async () => {
    const call = bench()
    state.rows = [row()]
    expect(await call(recordings.videoList, { cid })).toEqual({
      ret: { videoList: [{ video_name: 'name', orig_video_key: 'key', uid: 1, vid: 7 }] },
    })
    expect(await call(recordings.videoListInRange, { cid, beginTime: 5, endTime: 5 })).toEqual({
      ret: { videoList: [{ name: 'name', url: 'key', vid: 7 }] },
    })
    expect(asked.at(-1)).toEqual(['within', cid, 5, 5])
  })

  it('take a range of seven days and none longer or backwards', async () => {
    const call = bench()
    const list = (beginTime: number, endTime: number) => call(recordings.videoListInRange, { cid, beginTime, endTime })
    expect(await list(5, 5 + 7 * day)).toEqual({ ret: { videoList: [] } })
    await expect(list(5, 6 + 7 * day)).rejects.toMatchObject({ code: 631 })
    await expect(list(5, 4)).rejects.toMatchObject({ code: 631 })
  })

  it('answer a merge that begins, and one that is refused with the code and words of why', async () => {
    const call = bench()
    const merge = () => call(recordings.merge, { outputName: 'm', vidList: [2, 1] })
    expect(await merge()).toEqual({ ret: { result: true } })
    expect(asked).toEqual([['merge', 1, 'm', [2, 1]]])
    for (const [kind, code] of [
      ['missing', 618],
      ['unfit', 631],
      ['busy', 639],
    ] as const) {
      state.refusal = { kind, reason: `it is ${kind}` }
      await expect(merge()).rejects.toMatchObject({ code, message: `it is ${kind}` })
    }
  })
})

describe('operations on recordings beyond the document', () => {
  const state = {
    channel: channel(1) as Channel | undefined,
    former: undefined as number | undefined,
    rows: [] as RecordingRow[],
    all: [] as FileOfAll[],
    recording: undefined as RecordingState | undefined,
    outcome: undefined as 'unknown' | 'foreign' | undefined,
    marker: 5 as number | 'full',
    trimmed: { kind: 'busy', reason: 'it is busy' } as Awaited<ReturnType<Merges['trim']>>,
    taken: 'offAir' as Awaited<ReturnType<Clips['take']>>,
  }
  beforeEach(() =>
    Object.assign(state, {
      channel: channel(1),
      former: undefined,
      rows: [],
      all: [],
      recording: undefined,
      outcome: undefined,
      marker: 5,
    }),
  )
  const bench = () =>
    callOf(
      recordingOperationsLocal({
        channels: { get: () => state.channel },
        recorder: { state: () => state.recording },
        store: {
          ready: () => Promise.resolve(state.rows),
          async recordedWithin(of: string, from: number, to: number) {
            asked.push(['within', of, from, to])
            return state.rows
          },
        } as Partial<FilesStore> as FilesStore,
        former: {
          owner: () => Promise.resolve(state.former),
          async files(request: Parameters<FormerChannels['files']>[0]) {
            asked.push(['files', request])
            return { files: state.all, more: true }
          },
          of: () =>
            Promise.resolve([
              { cid: 'x', uid: 1, name: 'show', deleted: 9 },
              { cid: 'y', uid: 1, name: '', deleted: 8 },
            ]),
        },
        merges: {
          list: () => Promise.resolve([]),
          async cancel(uid, taskId) {
            asked.push(['cancel', uid, taskId])
            return state.outcome
          },
          async trim(uid, name, vids, range) {
            asked.push(['trim', uid, name, vids, range])
            return state.trimmed
          },
        },
        clips: {
          async take(clip) {
            asked.push(['take', clip])
            return state.taken
          },
        },
        removal: {
          async remove(uid, vids) {
            asked.push(['remove', uid, vids])
            return [7]
          },
        },
        markers: {
          async add(marker: Parameters<MarkersStore['add']>[0]) {
            asked.push(['add', marker])
            return state.marker
          },
          async within(of: string, from: number, to: number) {
            asked.push(['markers', of, from, to])
            return []
          },
          async rename(uid: number, markerId: number, label: string) {
            asked.push(['rename', uid, markerId, label])
            return state.outcome
          },
          async remove(uid: number, markerId: number) {
            asked.push(['unmark', uid, markerId])
            return state.outcome
          },
        } as Partial<MarkersStore> as MarkersStore,
        tickets: {
          path: ({ vid, format }) => ({ path: `/recordings/${vid}.${format}`, expires: 99 }),
          vid: () => undefined,
        },
        // No such folder: nothing is said to be missing in it.
        folder: { root: '/no/data', of: () => '/no/data/x', file: ({ vid, format }) => `/data/${vid}.${format}` },
        mediaRoot: () => 'http://media/tv',
        diskFree: () => 1234,
        clock,
      }),
    )

  it('give a ticket at the media address with the place of the file, for an own file alone', async () => {
    const call = bench()
    await expect(call(local.playbackTicket, { vid: 7 })).rejects.toMatchObject({ code: 618 })
    state.rows = [row({ uid: 2 })]
    await expect(call(local.playbackTicket, { vid: 7 })).rejects.toMatchObject({ code: 617 })
    state.rows = [row({ format: 1 })]
    expect(await call(local.playbackTicket, { vid: 7 })).toEqual({
      ret: { url: 'http://media/tv/recordings/7.1', expires: 99, file: '/data/7.1' },
    })
  })

  const described = {
    vid: 7,
    name: 'name',
    key: 'key',
    begin: 10,
    end: 20,
    completed: 30,
    format: 0,
    bytes: 5,
    duration: 9,
    codecs: 'avc1',
    merged: false,
  }

  it('describe files of a channel with all that is known, also of one that was deleted by its owner', async () => {
    const call = bench()
    state.rows = [row(), row({ merged: 1, vid: 8 })]
    const list = () => call(local.recordedFiles, { cid, beginTime: 3, endTime: 4 })
    const ret = { list: [described, { ...described, vid: 8, merged: true }] }
    expect(await list()).toEqual({ ret })
    expect(asked).toEqual([['within', cid, 3, 4]])
    state.channel = undefined
    await expect(list()).rejects.toMatchObject({ code: 618 })
    state.former = 2
    await expect(list()).rejects.toMatchObject({ code: 618 })
    state.former = 1
    expect(await list()).toEqual({ ret })
    // A channel that is there is not a deleted one, whoever had one of its id.
    state.channel = channel(2)
    await expect(list()).rejects.toMatchObject({ code: 617 })
  })

  it('list files of all channels from a place on, without a name where that is not known', async () => {
    const call = bench()
    state.all = [
      { ...row(), channel: 'show', deleted: false },
      { ...row({ vid: 8 }), channel: '', deleted: true },
    ]
    expect(await call(local.allRecordedFiles, { beginTime: 3, deletedOnly: true, limit: 2 })).toEqual({
      ret: {
        list: [
          { ...described, cid, channel: 'show', deleted: false },
          { ...described, vid: 8, cid, deleted: true },
        ],
        more: true,
      },
    })
    await call(local.allRecordedFiles, {
      beginTime: 3,
      endTime: 6,
      deletedOnly: false,
      limit: 2,
      beforeBegin: 0,
      beforeVid: 1,
    })
    expect(asked).toEqual([
      ['files', { uid: 1, from: 3, to: Number.MAX_SAFE_INTEGER, deletedOnly: true, limit: 2, before: undefined }],
      ['files', { uid: 1, from: 3, to: 6, deletedOnly: false, limit: 2, before: { begin: 0, vid: 1 } }],
    ])
    for (const half of [{ beforeBegin: 1 }, { beforeVid: 1 }])
      await expect(call(local.allRecordedFiles, { beginTime: 0, ...half })).rejects.toMatchObject({ code: 631 })
    expect(await call(local.deletedChannels, {})).toEqual({
      ret: {
        list: [
          { cid: 'x', name: 'show', deleted: 9 },
          { cid: 'y', deleted: 8 },
        ],
      },
    })
    expect(await call(local.removeRecordings, { vidList: [7, 8] })).toEqual({ ret: { successList: [7] } })
    expect(asked.at(-1)).toEqual(['remove', 1, [7, 8]])
  })

  it('tell of a channel that is not on air whether it would be recorded', async () => {
    const call = bench()
    const ret = { recording: false, bytes: 0, diskFree: 1234 }
    expect(await call(local.recordingState, { cid })).toEqual({ ret: { ...ret, state: 'off' } })
    state.channel = channel(1, 1)
    expect(await call(local.recordingState, { cid })).toEqual({ ret: { ...ret, state: 'asked' } })
  })

  it('tell of a channel on air what the recorder does', async () => {
    const call = bench()
    state.channel = channel(1, 1)
    state.recording = { state: 'off' }
    expect(await call(local.recordingState, { cid })).toMatchObject({ ret: { state: 'off', bytes: 0 } })
    state.recording = { state: 'stopped', reason: 'slow' }
    expect(await call(local.recordingState, { cid })).toEqual({
      ret: { recording: false, state: 'stopped', reason: 'slow', bytes: 0, diskFree: 1234 },
    })
    state.recording = { state: 'recording', since: 1, recorded: 2, bytes: 3, cut: 4 }
    expect(await call(local.recordingState, { cid })).toEqual({
      ret: { recording: true, state: 'recording', since: 1, recorded: 2, cut: 4, bytes: 3, diskFree: 1234 },
    })
  })

  it('mark the moment that is named, or now, with no label where none is given', async () => {
    const call = bench()
    expect(await call(local.addMarker, { cid })).toEqual({ ret: { markerId: 5 } })
    await call(local.addMarker, { cid, at: 0, label: 'goal' })
    await call(local.renameMarker, { markerId: 5 })
    await call(local.removeMarker, { markerId: 5 })
    await call(local.markers, { cid, beginTime: 3, endTime: 4 })
    expect(asked).toEqual([
      ['add', { cid, uid: 1, at: clock.now(), label: '' }],
      ['add', { cid, uid: 1, at: 0, label: 'goal' }],
      ['rename', 1, 5, ''],
      ['unmark', 1, 5],
      ['markers', cid, 3, 4],
    ])
    state.marker = 'full'
    await expect(call(local.addMarker, { cid })).rejects.toMatchObject({ code: 631 })
  })

  it('answer 618 for a marker or task that is not there, and 617 for another application’s', async () => {
    const call = bench()
    const calls = [
      () => call(local.renameMarker, { markerId: 5, label: 'x' }),
      () => call(local.removeMarker, { markerId: 5 }),
      () => call(local.cancelMerge, { taskId: 6 }),
    ]
    for (const one of calls) {
      state.outcome = 'unknown'
      await expect(one()).rejects.toMatchObject({ code: 618 })
      state.outcome = 'foreign'
      await expect(one()).rejects.toMatchObject({ code: 617 })
      state.outcome = undefined
      expect(await one()).toEqual({})
    }
    expect(asked.at(-1)).toEqual(['cancel', 1, 6])
  })
})
