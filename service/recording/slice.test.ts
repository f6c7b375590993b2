import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { configured } from '../timeline/tracks.ts'
import type { NewFile } from './files-store.ts'
import type { FinishFrom, Unfinished } from './finisher.ts'
import { Slice, type SliceParts } from './slice.ts'

const start = 1_700_000_000_000
const cid = 'c'.repeat(32)
const frame = (timestamp: number, late = 0, isKey = false): MediaPacket =>
  videoFrame(timestamp, isKey, start + timestamp + late)
const audio = (timestamp: number): MediaPacket => ({
  ...audioConfiguration,
  body: Buffer.from([0xaf, 1, 0x21, 0x10, 5]),
  configuration: false,
  timestamp,
  arrived: start + timestamp,
})
type Ended = { readonly file: Unfinished; readonly from: FinishFrom }

/** A slice over files in memory, and what became of it. */
function made({
  format = 1,
  queueBound,
  begins = () => Promise.resolve(7),
  finishes = () => Promise.resolve({}),
  syncs = () => Promise.resolve(),
}: {
  readonly format?: number
  readonly queueBound?: number
  readonly begins?: () => Promise<number>
  readonly finishes?: () => Promise<object | undefined>
  readonly syncs?: () => Promise<void>
} = {}) {
  const begun: NewFile[] = []
  const finished: Ended[] = []
  const later: Unfinished[] = []
  const leftOut: string[] = []
  const faults: unknown[] = []
  const files = new Map<string, Buffer[]>()
  const parts: SliceParts = {
    store: {
      begin(file) {
        begun.push(file)
        return begins()
      },
    },
    files: {
      async create(_folder, path) {
        const written: Buffer[] = []
        files.set(path, written)
        return {
          async writev(bytes) {
            const whole = Buffer.concat(bytes)
            written.push(whole)
            return whole.length
          },
          datasync: () => syncs(),
          truncate: () => Promise.resolve(),
          named: () => Promise.resolve(true),
          close: () => Promise.resolve(),
        }
      },
      change: () => Promise.reject(new Error('not here')),
      remove: () => Promise.resolve(),
      size: () => Promise.resolve(0),
      free: () => Promise.resolve(1),
      probe: () => Promise.resolve(),
    },
    folder: {
      root: '',
      of: () => 'folder',
      file: ({ vid }) => `${vid}.media`,
      index: ({ vid }) => `${vid}.index`,
      temporary: () => '',
    },
    finisher: {
      async finish(file, from) {
        finished.push({ file, from })
        return (await finishes()) as Awaited<ReturnType<SliceParts['finisher']['finish']>>
      },
    },
    later: (file) => void later.push(file),
    clock: manualClock(),
    queueBound,
    log: { info: () => undefined, warn: () => undefined },
  }
  const tracks = configured(configured({}, videoConfiguration), audioConfiguration)
  const slice = new Slice(
    {
      cid,
      choice: { uid: 1, format, duration: 60_000, filename: 'show' },
      tracks,
      first: frame(1000, 0, true),
      begin: start + 1000,
      number: 3,
      failed: (error) => void faults.push(error),
      leftOut: (loss) => void leftOut.push(loss),
    },
    parts,
  )
  return { slice, begun, finished, later, leftOut, faults, files }
}

it('begins a row with what is known, and finishes it with length and key frames', async () => {
  const { slice, begun, finished, files } = made()
  expect(begun).toMatchObject([
    { cid, uid: 1, state: 'writing', format: 1, merged: 0, slice: 3, beginTime: start + 1000, filename: 'show' },
  ])
  expect(begun[0]!.codecs).toMatch(/^avc1\S+ 1280x720 \S+, mp4a\.40\.2 48000\/2 \S+$/)
  slice.packet(frame(1000, 0, true))
  slice.packet(frame(3000, 0, true))
  await slice.end(5000)
  // The first one stands for the configurations.
  expect(finished).toMatchObject([
    {
      file: { vid: 7, cid, uid: 1, format: 1, slice: 3, beginTime: start + 1000, filename: 'show' },
      from: { recover: false, duration: 4000, keyFrames: [{ time: 0 }, { time: 0 }, { time: 2000 }] },
    },
  ])
  expect([...files.keys()]).toEqual(['7.media'])
  expect(Buffer.concat(files.get('7.media')!).length).toBe(slice.bytes)
})

it('as MP4 writes its sample index to a file of its own', async () => {
  const { slice, finished, files } = made({ format: 0 })
  for (let at = 1000; at < 2000; at += 40) slice.packet(frame(at, 0, at === 1000))
  await slice.end()
  expect([...files.keys()].sort()).toEqual(['7.index', '7.media'])
  expect(Buffer.concat(files.get('7.index')!).length).toBeGreaterThan(0)
  expect(finished).toMatchObject([{ from: { recover: false, keyFrames: [] } }])
})

it('leaves out sound from before its first picture', async () => {
  const { slice, finished } = made()
  const { bytes } = slice
  slice.packet(audio(999))
  await slice.end()
  expect(slice.bytes).toBe(bytes)
  expect(finished).toMatchObject([{ from: { duration: 0 } }])
})

it('moves its begin back when later packets of the first 30 s show that the first one was late', async () => {
  const { slice, finished } = made()
  slice.packet(frame(1000, 0, true))
  slice.packet(frame(2000, 300))
  slice.packet(frame(30_999, -200))
  slice.packet(frame(31_000, -900))
  await slice.end()
  expect(finished[0]!.file.beginTime).toBe(start + 800)
})

it('keeps its begin where the clock is a day off for some seconds, and follows one that stays set', async () => {
  const day = 24 * 3_600_000
  for (const [off, until, begins] of [
    [-day, 15_000, start + 1000],
    [day, 15_000, start + 1000],
    [-day, Infinity, start + 1000 - day],
    [day, Infinity, start + 1000 + day],
  ] as const) {
    const { slice, finished } = made()
    slice.packet(frame(1000, 0, true))
    for (let at = 1100; at <= 40_000; at += 100) slice.packet(frame(at, at >= 10_000 && at < until ? off : 0))
    await slice.end()
    expect(finished[0]!.file.beginTime).toBe(begins)
  }
})

it('tells that a slice was dropped for being too short', async () => {
  const { slice, leftOut } = made({ finishes: () => Promise.resolve(undefined) })
  await slice.end()
  expect(leftOut).toEqual(['shortSlice'])
})

it('leaves a file that cannot be finished now for later', async () => {
  const { slice, finished, later, leftOut } = made({ finishes: () => Promise.reject(new Error('full')) })
  await slice.end()
  expect(later).toEqual([finished[0]!.file])
  expect(leftOut).toEqual([])
})

it('ends once, however often it is asked to', async () => {
  const { slice, finished } = made()
  await Promise.all([slice.end(3000), slice.end()])
  expect(finished).toHaveLength(1)
})

it('fails once when the disk is too slow, takes nothing more, and is finished from what was written', async () => {
  const { slice, finished, faults } = made({ queueBound: 2000 })
  const large = { ...frame(1000), body: Buffer.concat([frame(1000).body, Buffer.alloc(1500)]) }
  for (let at = 1000; at < 5000; at += 500) slice.packet({ ...large, timestamp: at })
  expect(faults).toEqual([undefined])
  const { bytes } = slice
  slice.packet({ ...large, timestamp: 9000 })
  await slice.end()
  expect([slice.bytes, faults.length]).toEqual([bytes, 1])
  expect(finished.map(({ from }) => from)).toEqual([{ recover: true }])
})

it('that has no row fails with the reason, and is not finished', async () => {
  const { slice, finished, faults } = made({ begins: () => Promise.reject(new Error('no database')) })
  await expect.poll(() => faults).toMatchObject([{ message: 'no database' }])
  await slice.end()
  expect(finished).toEqual([])
})

it('writes its sample index in batches of 16 KiB, and the rest at its end', async () => {
  const { slice, files } = made({ format: 0 })
  const lengthOf = (name: string): number => (files.get(name) ?? []).reduce((sum, { length }) => sum + length, 0)
  const feed = (from: number, to: number): void => {
    for (let at = from; at < to; at += 20) slice.packet(frame(at, 0, at === 1000))
  }
  // A record of 16 bytes for each frame, and one for each half second: a batch is full after 20 s.
  feed(1000, 20_000)
  await expect.poll(() => lengthOf('7.media')).toBe(slice.bytes)
  expect(lengthOf('7.index')).toBe(0)
  feed(20_000, 24_000)
  await expect.poll(() => lengthOf('7.index')).toBeGreaterThanOrEqual(16 * 1024)
  const batch = lengthOf('7.index')
  expect(batch).toBeLessThan(17 * 1024)
  await slice.end()
  // Every frame, 46 fragments, and the start.
  expect(lengthOf('7.index')).toBe(16 * (1150 + 46 + 1))
})

it('as MP4 that failed writes no more of its index either, and is made anew from the file', async () => {
  const { slice, finished, files, faults } = made({ format: 0, queueBound: 3000 })
  const large = { ...frame(1000, 0, true), body: Buffer.concat([frame(1000).body, Buffer.alloc(3500)]) }
  for (let at = 1000; at < 4000; at += 500) slice.packet({ ...large, timestamp: at })
  expect(faults).toEqual([undefined])
  await slice.end()
  expect(files.get('7.index')).toEqual([])
  expect(finished.map(({ from }) => from)).toEqual([{ recover: true }])
})

it('tells the sound of an MP4 that is more than its time', async () => {
  const { slice, leftOut } = made({ format: 0, finishes: () => Promise.resolve({}) })
  slice.packet(frame(1000, 0, true))
  for (let count = 0; count < 20; count++) slice.packet(audio(1000))
  await slice.end()
  expect(new Set(leftOut)).toEqual(new Set(['sound']))
})

it('ends its last picture at the begin of the next slice, or as long as the one before', async () => {
  const lengthTo = async (until?: number): Promise<unknown> => {
    const { slice, finished } = made({ format: 0 })
    slice.packet(frame(1000, 0, true))
    slice.packet(frame(3000))
    await slice.end(until)
    return finished[0]!.from
  }
  expect(await lengthTo(3500)).toMatchObject({ duration: 2500 })
  expect(await lengthTo()).toMatchObject({ duration: 4000 })
})

it('is finished from what was written where its last bytes cannot be put on the disk', async () => {
  const { slice, finished, faults } = made({ syncs: () => Promise.reject(new Error('the disk is gone')) })
  slice.packet(frame(1000, 0, true))
  await slice.end()
  expect([finished.map(({ from }) => from), faults]).toEqual([[{ recover: true }], []])
})
