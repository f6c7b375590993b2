import { expect, it } from 'vitest'
import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { createFinisher } from './finisher.ts'
import { createRecordNames } from './record-names.ts'
import type { WorkResult } from './work.ts'

type Options = Parameters<typeof createFinisher>[0]
const cid = 'c'.repeat(32)
const begin = Date.UTC(2026, 0, 2, 3, 4, 5)
const file = { vid: 7, cid, uid: 1, format: 0, slice: 2, beginTime: begin, filename: 'show' }

/** A finisher whose work has a result, and what it did in order. */
function made(result: WorkResult | Error, completes = true) {
  const done: unknown[] = []
  const transaction = {} as Parameters<Parameters<Options['store']['complete']>[1]>[0]
  const clock = manualWallClock(begin + 60_000)
  const finisher = createFinisher({
    store: {
      async complete(listed, also) {
        done.push(['complete', listed])
        if (completes) await also(transaction)
        return completes
      },
      forget: async (vid) => void done.push(['forget', vid]),
    },
    folder: {
      file: ({ vid }: { vid: number }) => `${vid}.file`,
      index: ({ vid }: { vid: number }) => `${vid}.index`,
    } as Partial<Options['folder']> as Options['folder'],
    files: { remove: async (path) => void done.push(['remove', path]) },
    workers: {
      async run(work) {
        done.push(['work', work])
        if (result instanceof Error) throw result
        return result
      },
    },
    names: createRecordNames('UTC'),
    clock,
    listener: {
      enqueue: async (given, { vid }) => void done.push(['enqueue', given === transaction, vid]),
      onFile: ({ vid }, merged) => void done.push(['onFile', vid, merged]),
    },
  })
  return { finisher, done }
}

it('lists a finished file with its name, key and times, and passes it on after its notice is stored', async () => {
  const { finisher, done } = made({ bytes: 900, duration: 5000 })
  const listed = await finisher.finish(file, { recover: false, duration: 5000, keyFrames: [] })
  expect(listed).toEqual({
    vid: 7,
    cid,
    uid: 1,
    name: 'show_20260102-030405_20260102-030410',
    key: `${cid}_${begin}_${begin + 5000}_7-00002.mp4`,
    begin,
    end: begin + 5000,
    completed: begin + 60_000,
    format: 'mp4',
    bytes: 900,
    duration: 5000,
    merged: false,
  })
  expect(done).toEqual([
    ['work', { kind: 'mp4', path: '7.file', index: '7.index', recover: false }],
    ['complete', listed],
    ['enqueue', true, 7],
    ['onFile', 7, false],
  ])
})

it('gives the known figures of an FLV to the work, and none where the file must tell them', async () => {
  const keyFrames = [{ at: 13, time: 0 }]
  const { finisher, done } = made({ bytes: 900, duration: 5000 })
  const flv = { ...file, format: 1 }
  expect(await finisher.finish(flv, { recover: false, duration: 5000, keyFrames })).toMatchObject({ format: 'flv' })
  expect(done[0]).toEqual(['work', { kind: 'flv', path: '7.file', end: { duration: 5000, keyFrames } }])
  await finisher.finish(flv, { recover: true })
  expect(done[4]).toEqual(['work', { kind: 'flv', path: '7.file' }])
})

it('drops what is shorter than a second, file, index and row, and passes nothing on', async () => {
  const { finisher, done } = made({ bytes: 900, duration: 999 })
  expect(await finisher.finish(file, { recover: true })).toBeUndefined()
  expect(done.slice(1)).toEqual([
    ['remove', '7.file'],
    ['remove', '7.index'],
    ['forget', 7],
  ])
  expect(await made({ bytes: 900, duration: 1000 }).finisher.finish(file, { recover: true })).toBeDefined()
})

it('passes nothing on of a file that was listed before', async () => {
  const { finisher, done } = made({ bytes: 900, duration: 5000 }, false)
  expect(await finisher.finish(file, { recover: true })).toBeUndefined()
  expect(done.map((each) => (each as unknown[])[0])).toEqual(['work', 'complete'])
})

it('names a file by its channel where no name is set, and an FLV by its extension', async () => {
  const { finisher } = made({ bytes: 900, duration: 5000 })
  const listed = await finisher.finish({ ...file, filename: '', format: 1 }, { recover: true })
  expect(listed).toMatchObject({
    name: `${cid}_20260102-030405_20260102-030410`,
    key: `${cid}_${begin}_${begin + 5000}_7-00002.flv`,
    format: 'flv',
  })
})

it('makes an MP4 from the file itself where it is to be recovered', async () => {
  const { finisher, done } = made({ bytes: 900, duration: 5000 })
  await finisher.finish(file, { recover: true })
  expect(done[0]).toEqual(['work', { kind: 'mp4', path: '7.file', index: '7.index', recover: true }])
})

it('passes a failure of the work on, and removes and lists nothing then', async () => {
  const { finisher, done } = made(new Error('full'))
  await expect(finisher.finish(file, { recover: true })).rejects.toThrow('full')
  expect(done).toHaveLength(1)
})
