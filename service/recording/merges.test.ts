import { execFile } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  decodeFaults,
  encodeFixture,
  requireEncoder,
  fixturePackets,
  probePackets,
  temporaryFolder,
  type ProbedPacket,
} from '../hub/testing/fixture.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { until } from '../testing/condition.ts'
import { diskFiles } from './file-system.ts'
import { maxMergeDuration } from './merge-sources.ts'
import type { Merges } from './merges.ts'
import type { RecordedFile } from './recorded-file.ts'
import { mergesDone, mergesOf as mergesOfRig, recordFile, taskStates, type MergingOptions } from './testing/merging.ts'
import { createRig, rigCid, rigUid, type RecordingRig } from './testing/rig.ts'
import { createWorkers, WorkFault, type Workers } from './workers.ts'

const run = promisify(execFile)
await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())
let sources: Record<'a' | 'b' | 'small', MediaPacket[]>
let rig: RecordingRig
let merged: RecordedFile[]
let workers: Workers

const mergesOf = (options: Partial<MergingOptions> = {}): Merges => mergesOfRig(rig, { workers, merged, ...options })
const record = (packets: readonly MediaPacket[], format?: number): Promise<number> => recordFile(rig, packets, format)
const fileOf = async (vid: number): Promise<string> => rig.path((await rig.rows()).find((row) => row.vid === vid)!)
const of = (packets: readonly ProbedPacket[], kind: 'video' | 'audio') =>
  packets.filter(({ codec_type }) => codec_type === kind)
/** Work that waits for `release`. */
function held(): { readonly workers: Pick<Workers, 'run'>; release(): void } {
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    workers: {
      async run(work, options) {
        if (!options?.signal?.aborted)
          await Promise.race([gate, new Promise((resolve) => options?.signal?.addEventListener('abort', resolve))])
        return workers.run(work, options)
      },
    },
    release: () => release(),
  }
}

describe('a merge', () => {
  beforeAll(async () => {
    const fixture = async (name: string, more: object): Promise<MediaPacket[]> =>
      fixturePackets(await encodeFixture(folder.path, name, { duration: 6, gop: 60, sampleRate: 48_000, ...more }))
    sources = {
      a: await fixture('a', {}),
      b: await fixture('b', { duration: 4.37 }),
      small: await fixture('small', { size: '160x90', duration: 2 }),
    }
  })
  beforeEach(async () => {
    rig = await createRig()
    merged = []
    workers = createWorkers()
  })
  afterEach(async () => {
    await workers.close()
    await rig.close()
  })

  it('puts the files one after the other as they are, a repeated one too, and lists and calls back the result', async () => {
    const merges = mergesOf()
    const [a, b] = [await record(sources.a), await record(sources.b)]
    expect(await merges.begin(rigUid, '合并-1', [a, b, a])).toBeUndefined()
    await mergesDone(merges)
    const row = (await rig.rows()).at(-1)!
    expect(row).toMatchObject({
      state: 'ready',
      merged: 1,
      name: '合并-1',
      cid: rigCid,
      completed: rig.now,
      beginTime: rig.now,
      endTime: rig.now,
    })
    expect(row.fileKey).toBe(`${rigCid}_${rig.now}_${rig.now}_${row.vid}-00000.mp4`)
    expect(merged.map(({ vid, merged: isMerged }) => [vid, isMerged])).toEqual([[row.vid, true]])
    const path = rig.path(row)
    expect(statSync(path).size).toBe(row.bytes)
    expect(readdirSync(join(rig.dataDir, 'recordings', rigCid)).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(await decodeFaults(path)).toBe('')

    const parts = await Promise.all([a, b, a].map(async (vid) => probePackets(await fileOf(vid))))
    const whole = await probePackets(path)
    for (const kind of ['video', 'audio'] as const)
      expect(of(whole, kind).length).toBe(parts.reduce((sum, part) => sum + of(part, kind).length, 0))
    // Frame by frame: each part's video and audio moved by the same time, within 40 ms of the other
    // (docs/checks.md#8-files-recording-merging).
    let at = { video: 0, audio: 0 }
    let end = 0
    for (const part of parts) {
      const shifts = (['video', 'audio'] as const).map((kind) => {
        const mine = of(whole, kind).slice(at[kind], at[kind] + of(part, kind).length)
        const moved = mine.map((packet, index) => Number(packet.pts_time) - Number(of(part, kind)[index]!.pts_time))
        for (const each of moved) expect(Math.abs(each - moved[0]!)).toBeLessThan(0.002)
        return moved[0]!
      })
      at = { video: at.video + of(part, 'video').length, audio: at.audio + of(part, 'audio').length }
      expect(Math.abs(shifts[0]! - shifts[1]!)).toBeLessThan(0.04)
      expect(Math.abs(shifts[0]! - end)).toBeLessThan(0.002)
      end =
        shifts[0]! +
        Math.max(
          ...(['video', 'audio'] as const).map((kind) =>
            Math.max(...of(part, kind).map((packet) => Number(packet.dts_time) + Number(packet.duration_time))),
          ),
        )
    }
    const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path])
    expect(Math.abs(Number(stdout) * 1000 - row.duration)).toBeLessThan(40)
    // A merged file can be merged again.
    expect(await merges.begin(rigUid, 'again', [row.vid, b])).toBeUndefined()
    await mergesDone(merges, 2)
    expect(await decodeFaults(rig.path((await rig.rows()).at(-1)!))).toBe('')
  })

  it('leaves its sources untouched', async () => {
    const merges = mergesOf()
    const [a, b] = [await record(sources.a), await record(sources.b)]
    const before = [readFileSync(await fileOf(a)), readFileSync(await fileOf(b))]
    await merges.begin(rigUid, 'm', [a, b])
    await mergesDone(merges)
    expect(readFileSync(await fileOf(a)).equals(before[0]!)).toBe(true)
    expect(readFileSync(await fileOf(b)).equals(before[1]!)).toBe(true)
  })

  it('is refused for an unknown or foreign file, a missing source, FLV, other codecs, and more than 4 hours', async () => {
    const merges = mergesOf()
    const a = await record(sources.a)
    const small = await record(sources.small)
    const flv = await record(sources.a, 1)
    expect(await merges.begin(rigUid, 'm', [a, 999])).toMatchObject({ kind: 'missing' })
    expect(await merges.begin(rigUid + 1, 'm', [a])).toMatchObject({ kind: 'missing' })
    expect(await merges.begin(rigUid, 'm', [a, flv])).toMatchObject({
      kind: 'unfit',
      reason: expect.stringContaining('MP4'),
    })
    expect(await merges.begin(rigUid, 'm', [a, small])).toMatchObject({
      kind: 'unfit',
      reason: expect.stringContaining('codecs'),
    })
    const lengthen = (duration: number) =>
      rig.store.db.updateTable('recording').set({ duration }).where('vid', '=', a).execute()
    await lengthen(maxMergeDuration / 2 + 1)
    expect(await merges.begin(rigUid, 'm', [a, a])).toMatchObject({
      kind: 'unfit',
      reason: expect.stringContaining('4 hours'),
    })
    await lengthen(maxMergeDuration / 2)
    expect(await merges.begin(rigUid, 'm', [a, a])).toBeUndefined()
    await mergesDone(merges)
    rmSync(await fileOf(small))
    expect(await merges.begin(rigUid, 'm', [small])).toMatchObject({ kind: 'missing' })
  })

  it('is one of three at once for an application; a fourth is refused until one is done', async () => {
    const hold = held()
    // The first call has the slowest disk; the last call is refused all the same.
    let asked = 0
    const size = async (path: string): Promise<number | undefined> => {
      await new Promise((resolve) => setTimeout(resolve, 100 / ++asked))
      return diskFiles.size(path)
    }
    const merges = mergesOf({ workers: hold.workers, disk: { ...diskFiles, size } })
    const a = await record(sources.b)
    expect(await Promise.all([1, 2, 3, 4].map((count) => merges.begin(rigUid, `m${count}`, [a])))).toEqual([
      undefined,
      undefined,
      undefined,
      expect.objectContaining({ kind: 'busy' }),
    ])
    expect(merges.uses(a)).toBe(true)
    hold.release()
    await mergesDone(merges, 3)
    expect(await merges.begin(rigUid, 'm5', [a])).toBeUndefined()
    await mergesDone(merges, 4)
    expect(merges.uses(a)).toBe(false)
  })

  it('can be cancelled by its application, and leaves nothing', async () => {
    const hold = held()
    const merges = mergesOf({ workers: hold.workers })
    const a = await record(sources.b)
    await merges.begin(rigUid, 'm', [a])
    const { taskId } = (await merges.list(rigUid))[0]!
    expect(await merges.cancel(rigUid + 1, taskId)).toBe('foreign')
    expect(await merges.cancel(rigUid, taskId + 1)).toBe('unknown')
    expect(await merges.cancel(rigUid, taskId)).toBeUndefined()
    expect(await taskStates(merges)).toEqual(['cancelled'])
    expect((await rig.rows()).map(({ vid }) => vid)).toEqual([a])
    expect(readdirSync(join(rig.dataDir, 'recordings', rigCid))).toEqual([`${a}.mp4`])
  })

  it('fails visibly without room, with a broken source, and when it was interrupted too often', async () => {
    const a = await record(sources.b)
    await mergesOf({ room: 1000 }).begin(rigUid, 'm', [a])
    const merges = mergesOf()
    await until('failed', async () => (await taskStates(merges))[0] === 'failed')
    expect((await merges.list(rigUid))[0]!.reason).toEqual({ code: 'room', params: {} })
    const path = await fileOf(a)
    writeFileSync(path, readFileSync(path).subarray(0, 5000))
    await merges.begin(rigUid, 'm', [a])
    await until('failed', async () => (await taskStates(merges))[0] === 'failed')
    expect((await rig.rows()).map(({ vid }) => vid)).toEqual([a])
    expect(readdirSync(join(rig.dataDir, 'recordings', rigCid))).toEqual([`${a}.mp4`])
  })

  it('that was interrupted is taken up by the next start, over whatever the first try left, and called back once', async () => {
    const hold = held()
    const first = mergesOf({ workers: hold.workers })
    const a = await record(sources.a)
    await first.begin(rigUid, 'm', [a, a])
    const vid = (await rig.rows()).at(-1)!.vid
    await first.close()
    expect((await rig.rows()).at(-1)).toMatchObject({ vid, state: 'merging' })
    writeFileSync(join(rig.dataDir, 'recordings', rigCid, `${vid}.part`), 'half')
    const second = mergesOf()
    await second.start()
    await mergesDone(second)
    expect((await rig.rows()).at(-1)).toMatchObject({ vid, state: 'ready' })
    expect(existsSync(join(rig.dataDir, 'recordings', rigCid, `${vid}.part`))).toBe(false)
    expect(merged).toHaveLength(1)
    await mergesOf().start()
    expect(merged).toHaveLength(1)
  })

  it('that keeps being interrupted fails after three tries', async () => {
    const a = await record(sources.b)
    const broken: Pick<Workers, 'run'> = { run: () => Promise.reject(new WorkFault('ABORT_ERR', 'stopped')) }
    let merges = mergesOf({ workers: held().workers })
    await merges.begin(rigUid, 'm', [a])
    for (let count = 0; count < 3; count++) {
      await merges.close()
      merges = mergesOf({ workers: count < 2 ? held().workers : broken })
      await merges.start()
    }
    await until('failed', async () => (await taskStates(merges))[0] === 'failed')
    expect((await merges.list(rigUid))[0]!.reason).toEqual({ code: 'attempts', params: {} })
  })
})
