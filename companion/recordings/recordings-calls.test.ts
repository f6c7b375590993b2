import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { local, recordings as operations } from '../../contract/operations/index.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import { failureOf, scratch } from '../testing/rig.ts'
import { each } from './parallel.ts'
import { createRecordings, isMerging } from './recordings.ts'
import { isLocal } from '../profiles/profiles.ts'

const cid = 'c'.repeat(32)
const profileId = 'local'
const week = 7 * 86_400_000

function stage(answers: Record<string, (args: never) => unknown>, more: { readonly folder?: string } = {}) {
  const clock = manualClock()
  const calls: { readonly of: string; readonly path: string; readonly args: unknown }[] = []
  const shown: string[] = []
  const client = (of: string): Promise<Client> =>
    Promise.resolve({
      call: async (operation: { path: string }, args: never) => {
        calls.push({ of, path: operation.path, args })
        return answers[operation.path]?.(args) ?? { ret: {} }
      },
    } as unknown as Client)
  const recordings = createRecordings({
    clock,
    client,
    isExtended: isLocal,
    root: () => Promise.resolve('http://127.0.0.1:8710'),
    folder: () => more.folder ?? '/nowhere',
    ...(more.folder !== undefined && { showFile: (file) => void shown.push(file) }),
  })
  return { clock, calls, shown, recordings, client }
}
const file = (vid: number, more: object = {}) => ({
  vid,
  name: `n${vid}`,
  key: `k${vid}`,
  bytes: 1,
  begin: 10,
  end: 20,
  duration: 10,
  format: 0,
  merged: false,
  codecs: null,
  ...more,
})

describe('files of channels', () => {
  it('are listed over all channels, the newest first, and of the same moment by number', async () => {
    const { recordings, calls } = stage({
      [local.recordedFiles.path]: ({ cid: of }: { cid: string }) => ({
        ret: { list: of === 'a' ? [file(1), file(2, { begin: 30, format: 1 })] : [file(3), file(4, { begin: 5 })] },
      }),
    })
    const { files } = await recordings.list({ profileId, cids: ['a', 'b'], beginTime: 0, endTime: week })
    expect(files.map((one) => [one.vid, one.cid, one.format])).toEqual([
      [2, 'a', 'flv'],
      [3, 'b', 'mp4'],
      [1, 'a', 'mp4'],
      [4, 'b', 'mp4'],
    ])
    expect(calls.map(({ args }) => args)).toEqual([
      { cid: 'a', beginTime: 0, endTime: week },
      { cid: 'b', beginTime: 0, endTime: week },
    ])
  })

  it('are asked for within a week, and not backwards', async () => {
    const { recordings, calls } = stage({})
    for (const [begin, end] of [
      [0, week + 1],
      [2, 1],
    ] as const)
      expect((await failureOf(recordings.list({ profileId, cids: ['a'], beginTime: begin, endTime: end }))).kind).toBe(
        'absent',
      )
    expect(calls).toEqual([])
  })

  it('of a hosted service have what their storage path tells, and null for the rest', async () => {
    const url = `https://cdn.example/${cid}_1800000000000_1800001200000_4711-00003.flv`
    const { recordings } = stage({
      [operations.videoListInRange.path]: () => ({ ret: { videoList: [{ vid: 7, name: 'n', url, more: 1 }] } }),
    })
    expect(await recordings.list({ profileId: 'h', cids: [cid], beginTime: 0, endTime: 1 })).toEqual({
      files: [
        {
          vid: 7,
          cid,
          name: 'n',
          key: url,
          bytes: null,
          duration: null,
          codecs: null,
          merged: null,
          begin: 1_800_000_000_000,
          end: 1_800_001_200_000,
          format: 'flv',
        },
      ],
    })
  })

  it('of all channels go on behind the last one, and name the channel where it is known', async () => {
    const { recordings, calls } = stage({
      [local.allRecordedFiles.path]: () => ({
        ret: {
          list: [
            { cid: 'a', channel: 'A', deleted: false, ...file(1) },
            { cid: 'b', deleted: true, ...file(2, { format: 1 }) },
          ],
          more: true,
        },
      }),
    })
    const range = { beginTime: 1, endTime: 2, deletedOnly: true, limit: 3 }
    const { files, more } = await recordings.all({ profileId, ...range, before: null })
    expect(files.map((one) => [one.cid, one.channel, one.deleted, one.format])).toEqual([
      ['a', 'A', false, 'mp4'],
      ['b', null, true, 'flv'],
    ])
    expect(more).toBe(true)
    await recordings.all({ profileId, ...range, before: { begin: 9, vid: 8 } })
    expect(calls.map(({ args }) => args)).toEqual([range, { ...range, beforeBegin: 9, beforeVid: 8 }])
  })
})

describe('a file that is played', () => {
  it('is asked of this computer whatever its public address, anew a minute before that expires', async () => {
    let asked = 0
    const { recordings, clock } = stage({})
    const begin = clock.now()
    const on = stage({
      [local.playbackTicket.path]: () => ({
        ret: { url: `https://live.example.com/tv/recordings/${++asked}/7.mp4`, expires: begin + 100_000 * asked },
      }),
    })
    const granted = await on.recordings.file(profileId, 7)
    expect(granted.name).toBe('7.mp4')
    on.clock.advance(40_000)
    expect((await granted.url()).href).toBe('http://127.0.0.1:8710/recordings/1/7.mp4')
    on.clock.advance(1)
    expect((await granted.url()).href).toBe('http://127.0.0.1:8710/recordings/2/7.mp4')
    expect((await granted.url()).href).toBe('http://127.0.0.1:8710/recordings/2/7.mp4')
    expect(on.calls.map(({ args }) => args)).toEqual([{ vid: 7 }, { vid: 7 }])
    expect((await failureOf(recordings.file('h', 7))).kind).toBe('absent')
  })

  it('is refused where its address is none of a recording', async () => {
    for (const url of ['nonsense', 'http://evil.example/7.mp4']) {
      const { recordings } = stage({ [local.playbackTicket.path]: () => ({ ret: { url, expires: 0 } }) })
      expect(await failureOf(recordings.file(profileId, 7)), url).toMatchObject({
        kind: 'notOurs',
        detail: 'the address of the file is not within the service',
      })
    }
  })

  it('is shown in its folder where the shell can, once it is checked', async () => {
    using folder = scratch()
    const place = path.join(folder.dir, 'recordings', '7.mp4')
    mkdirSync(path.dirname(place))
    writeFileSync(place, 'x')
    const answers = { [local.playbackTicket.path]: () => ({ ret: { url: '', expires: 0, file: place } }) }
    const { recordings, shown } = stage(answers, { folder: folder.dir })
    await recordings.show({ profileId, vid: 7 })
    expect(shown).toEqual([place])
    expect((await failureOf(recordings.show({ profileId, vid: 8 }))).kind).toBe('notOurs')
    expect(await failureOf(stage(answers).recordings.show({ profileId, vid: 7 }))).toMatchObject({
      kind: 'absent',
      detail: 'this shell cannot show files in a folder',
    })
    expect(shown).toHaveLength(1)
  })
})

describe('moments', () => {
  it('are marked with the time of the app, and listed over all channels by time', async () => {
    const { recordings, calls, clock } = stage({
      [local.addMarker.path]: () => ({ ret: { markerId: 5 } }),
      [local.markers.path]: ({ cid: of }: { cid: string }) => ({
        ret: { list: of === 'a' ? [{ markerId: 1, at: 30, label: 'x' }] : [{ markerId: 2, at: 20, label: 'y' }] },
      }),
    })
    expect(await recordings.mark({ profileId, cid, label: 'l' })).toEqual({
      markerId: 5,
      cid,
      at: clock.now(),
      label: 'l',
    })
    expect(await recordings.markers({ profileId, cids: ['a', 'b'], beginTime: 1, endTime: 2 })).toEqual([
      { markerId: 2, cid: 'b', at: 20, label: 'y' },
      { markerId: 1, cid: 'a', at: 30, label: 'x' },
    ])
    await recordings.renameMarker({ profileId, markerId: 5, label: 'new' })
    await recordings.removeMarker({ profileId, markerId: 5 })
    expect(calls.map(({ path: of, args }) => [of, args])).toEqual([
      [local.addMarker.path, { cid, at: clock.now(), label: 'l' }],
      [local.markers.path, { cid: 'a', beginTime: 1, endTime: 2 }],
      [local.markers.path, { cid: 'b', beginTime: 1, endTime: 2 }],
      [local.renameMarker.path, { markerId: 5, label: 'new' }],
      [local.removeMarker.path, { markerId: 5 }],
    ])
  })
})

describe('merges', () => {
  it('are counted for a minute by profile, also refused ones, and asked for with their files in order', async () => {
    const { recordings, calls, clock } = stage({ [local.mergeTasks.path]: () => ({ ret: { list: [] } }) })
    const first = clock.now()
    await recordings.merge({ profileId: 'h', outputName: 'out', vids: [2, 1] })
    clock.advance(30_000)
    await recordings.merge({ profileId: 'h', outputName: 'again', vids: [3] })
    expect(calls.map(({ args }) => args)).toEqual([
      { outputName: 'out', vidList: [2, 1] },
      { outputName: 'again', vidList: [3] },
    ])
    expect(await recordings.merges({ profileId: 'h' })).toEqual({ tasks: null, calls: [first, first + 30_000] })
    expect(await recordings.merges({ profileId })).toEqual({ tasks: [], calls: [] })
    clock.advance(30_000)
    expect((await recordings.merges({ profileId: 'h' })).calls).toEqual([first + 30_000])
  })

  it('are told with their progress, an unknown state as failed, and a reason in its code', async () => {
    const { recordings, calls } = stage({
      [local.mergeTasks.path]: () => ({
        ret: {
          list: ['running', 'done', 'cancelled', 'of tomorrow'].map((state, taskId) => ({
            taskId,
            outputName: 'out',
            state,
            done: 1,
            total: 2,
            ...(taskId === 3 && { reason: { code: 'of tomorrow', params: {} } }),
          })),
        },
      }),
    })
    const { tasks } = await recordings.merges({ profileId })
    expect(tasks?.map(({ state, reason }) => [state, reason === null])).toEqual([
      ['running', true],
      ['done', true],
      ['cancelled', true],
      ['failed', false],
    ])
    expect(tasks?.[0]).toMatchObject({ taskId: 0, outputName: 'out', done: 1, total: 2 })
    await recordings.cancelMerge({ profileId, taskId: 3 })
    expect(calls.at(-1)).toEqual({ of: profileId, path: local.cancelMerge.path, args: { taskId: 3 } })
  })

  it.each([
    [[], false],
    [['done', 'failed'], false],
    [['done', 'running'], true],
  ] as const)('run where one of %j does', async (states, runs) => {
    const { client } = stage({ [local.mergeTasks.path]: () => ({ ret: { list: states.map((state) => ({ state })) } }) })
    expect(await isMerging(await client(profileId))).toBe(runs)
  })
})

describe('what is set of recordings', () => {
  it.each([
    [true, 'flv', 1, 1],
    [false, 'mp4', 0, 0],
  ] as const)('of a channel: %s, %s', async (needRecord, format, needs, as) => {
    const { recordings, calls } = stage({})
    await recordings.configure({ profileId: 'h', cid, needRecord, format, duration: 5, filename: 'n' })
    expect(calls).toEqual([
      {
        of: 'h',
        path: operations.setAlwaysRecord.path,
        args: { cid, needRecord: needs, format: as, duration: 5, filename: 'n' },
      },
    ])
  })

  it('is how long files are kept: for ever where the service names no limit', async () => {
    const { recordings, calls } = stage({
      [local.settings.path]: () => ({ ret: {} }),
      [local.updateSettings.path]: (args) => ({ ret: args }),
    })
    expect(await recordings.retention({ profileId })).toEqual({ days: 0, gigabytes: 0 })
    expect(await recordings.setRetention({ profileId, days: 3, gigabytes: 4 })).toEqual({ days: 3, gigabytes: 4 })
    expect(calls.at(-1)?.args).toEqual({ recordingDays: 3, recordingGigabytes: 4 })
  })
})

it('callbacks are told with null for what they do not have', async () => {
  let waiting: number | undefined = 9
  const { recordings, calls } = stage({
    [local.deliveries.path]: () => ({
      ret: {
        list: [
          { nId: 'a', vid: 1, url: 'u', state: 'waiting', attempts: 2, at: 3, due: 4 },
          { nId: 'b', url: 'u', state: 'of tomorrow', attempts: 2, at: 3, result: { code: 'refused', params: {} } },
        ],
        ...(waiting !== undefined && { waiting }),
      },
    }),
  })
  expect(await recordings.callbacks({ profileId, limit: 10 })).toEqual({
    list: [
      { nId: 'a', vid: 1, url: 'u', state: 'waiting', attempts: 2, at: 3, due: 4, result: null },
      {
        nId: 'b',
        vid: null,
        url: 'u',
        state: 'failed',
        attempts: 2,
        at: 3,
        due: null,
        result: { code: 'refused', params: {} },
      },
    ],
    waiting: 9,
  })
  waiting = undefined
  expect((await recordings.callbacks({ profileId, limit: 10 })).waiting).toBe(1)
  expect(calls[0]?.args).toEqual({ limit: 10, kind: 'recording' })
  await recordings.resend({ profileId, nId: 'a' })
  expect(calls.at(-1)).toEqual({ of: profileId, path: local.resend.path, args: { nId: 'a' } })
})

it('only the service of this computer is asked for what hosted ones do not have', async () => {
  const { recordings, calls } = stage({})
  const before = { begin: 1, vid: 1 }
  for (const [what, work] of [
    ['all', () => recordings.all({ profileId: 'h', beginTime: 0, endTime: 1, deletedOnly: false, limit: 1, before })],
    ['show', () => recordings.show({ profileId: 'h', vid: 1 })],
    ['remove', () => recordings.remove({ profileId: 'h', vids: [1] })],
    ['retention', () => recordings.retention({ profileId: 'h' })],
    ['setRetention', () => recordings.setRetention({ profileId: 'h', days: 0, gigabytes: 0 })],
    ['callbacks', () => recordings.callbacks({ profileId: 'h', limit: 1 })],
    ['resend', () => recordings.resend({ profileId: 'h', nId: 'n' })],
    ['cancelMerge', () => recordings.cancelMerge({ profileId: 'h', taskId: 1 })],
    ['mark', () => recordings.mark({ profileId: 'h', cid, label: '' })],
    ['renameMarker', () => recordings.renameMarker({ profileId: 'h', markerId: 1, label: '' })],
    ['removeMarker', () => recordings.removeMarker({ profileId: 'h', markerId: 1 })],
  ] as const)
    expect((await failureOf(work())).kind, what).toBe('absent')
  expect(await recordings.state({ profileId: 'h', cid })).toBeNull()
  expect(await recordings.deletedChannels({ profileId: 'h' })).toEqual([])
  expect(await recordings.markers({ profileId: 'h', cids: [cid], beginTime: 0, endTime: 1 })).toEqual([])
  expect(calls).toEqual([])
})

it('deleted channels have null where their name is not known, and what was removed is said', async () => {
  const { recordings, calls } = stage({
    [local.deletedChannels.path]: () => ({
      ret: {
        list: [
          { cid, deleted: 5 },
          { cid: 'a', name: 'A', deleted: 6 },
        ],
      },
    }),
    [local.removeRecordings.path]: () => ({ ret: { successList: [2] } }),
    [local.recordingState.path]: () => ({ ret: { state: 'recording', bytes: 3 } }),
  })
  expect(await recordings.deletedChannels({ profileId })).toEqual([
    { cid, name: null, deleted: 5 },
    { cid: 'a', name: 'A', deleted: 6 },
  ])
  expect(await recordings.remove({ profileId, vids: [1, 2] })).toEqual({ removed: [2] })
  expect(calls.at(-1)?.args).toEqual({ vidList: [1, 2] })
  expect(await recordings.state({ profileId, cid })).toMatchObject({ state: 'recording', bytes: 3 })
})

it('work for many is done four at a time, and its results are in order', async () => {
  let running = 0
  let most = 0
  const results = await each([5, 4, 3, 2, 1, 0, 9], async (entry) => {
    most = Math.max(most, ++running)
    for (let turn = 0; turn < entry; turn++) await Promise.resolve()
    running--
    return entry * 10
  })
  expect(results).toEqual([50, 40, 30, 20, 10, 0, 90])
  expect(most).toBe(4)
  expect(await each([], () => Promise.resolve(1))).toEqual([])
})
