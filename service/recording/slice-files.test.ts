import { execFile } from 'node:child_process'
import {
  copyFileSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  decodeFaults,
  encodeFixture,
  requireEncoder,
  fixturePackets,
  probePackets,
  temporaryFolder,
  type ProbedPacket,
} from '../hub/testing/fixture.ts'
import { scanFlvRecording } from '../media/flv-recording.ts'
import { hybridMarkAt } from '../media/mp4-hybrid.ts'
import { fileBoxes } from '../media/mp4-reader.ts'
import { FlvSlice } from './slice-flv.ts'
import { Mp4Slice } from './slice-mp4.ts'
import type { SlicePart } from './slice-muxer.ts'
import { configured, isFrame, type SliceTracks } from '../timeline/tracks.ts'
import { finishFlv, finishMp4 } from './work-finish.ts'
import { openSource } from './work.ts'

const run = promisify(execFile)
await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())

/** A slice in memory: every write in order, as the recorder would make them. */
function written(
  path: string,
  format: 'mp4' | 'flv',
): {
  readonly writes: Buffer[]
  readonly index: Buffer
  readonly duration: number
  readonly slice: Mp4Slice | FlvSlice
} {
  let tracks: SliceTracks = {}
  const packets = fixturePackets(path)
  for (const packet of packets) if (packet.configuration && packet.kind !== 'data') tracks = configured(tracks, packet)
  const slice = format === 'mp4' ? new Mp4Slice(tracks) : new FlvSlice(tracks, 300_000)
  const writes = [slice.head]
  const records: Buffer[] = []
  const add = (part: SlicePart | undefined): void => {
    if (!part) return
    writes.push(Buffer.concat(part.media))
    if (part.index) records.push(part.index)
  }
  const frames = packets.filter((packet) => !packet.configuration && isFrame(tracks, packet))
  const first = tracks.video ? frames.find(({ keyFrame }) => keyFrame)! : frames[0]!
  for (const packet of frames)
    if (packet.timestamp >= first.timestamp) add(slice.packet(packet, packet.timestamp - first.timestamp))
  add(slice.end())
  return { writes, index: Buffer.concat(records), duration: slice.duration, slice }
}

const times = (packets: readonly ProbedPacket[], kind: 'video' | 'audio'): [number, number][] =>
  packets
    .filter(({ codec_type }) => codec_type === kind)
    .map(({ pts_time, dts_time }) => [Number(pts_time), Number(dts_time)])
const near = (a: readonly [number, number][], b: readonly [number, number][], tolerance: number): void => {
  expect(a.length).toBe(b.length)
  const shift = a[0]![0] - b[0]![0]
  a.forEach(([pts, dts], index) => {
    expect(Math.abs(pts - b[index]![0] - shift)).toBeLessThan(tolerance)
    expect(Math.abs(dts - b[index]![1] - shift)).toBeLessThan(tolerance)
  })
}

describe('a slice', () => {
  let source: string
  let original: ProbedPacket[]
  beforeAll(async () => {
    source = await encodeFixture(folder.path, 'source', { duration: 9, gop: 60, bFrames: 2, sampleRate: 48_000 })
    original = await probePackets(source)
  })

  it('as MP4 opens and decodes while it is written, after every cut, and as an ordinary movie once finished', async () => {
    const { writes, index, duration } = written(source, 'mp4')
    const whole = Buffer.concat(writes)
    const path = join(folder.path, 'slice.mp4')
    const indexPath = join(folder.path, 'slice.index')
    writeFileSync(path, whole)
    writeFileSync(indexPath, index)

    const open = await probePackets(path)
    near(times(open, 'video'), times(original, 'video'), 0.002)
    expect(times(open, 'audio').length).toBe(times(original, 'audio').length)
    expect(await decodeFaults(path)).toBe('')

    // A kill truncates the file anywhere; data flushed more than half a second before stays.
    for (const share of [0.11, 0.37, 0.5, 0.83, 0.999]) {
      const torn = join(folder.path, 'torn.mp4')
      copyFileSync(path, torn)
      truncateSync(torn, Math.floor(whole.length * share))
      const before = times(await probePackets(torn), 'video').length
      const { duration: kept } = finishMp4({ path: torn, index: join(folder.path, 'torn.index'), recover: true })
      const after = times(await probePackets(torn), 'video')
      expect(after.length).toBeGreaterThan(0)
      // ffprobe also shows frames of the incomplete fragment.
      expect(before - after.length).toBeLessThanOrEqual(20)
      expect(kept).toBeGreaterThan(duration * share - 1000)
      expect(await decodeFaults(torn)).toBe('')
    }

    const result = finishMp4({ path, index: indexPath, recover: false })
    expect(result.duration).toBe(duration)
    expect(statSync(path).size).toBe(result.bytes)
    const types = (() => {
      const file = openSource(path)
      const found = [...fileBoxes(file)].map(({ type }) => type)
      file.close()
      return found
    })()
    expect(types).toEqual(['ftyp', 'mdat', 'moov'])
    const closed = await probePackets(path)
    near(times(closed, 'video'), times(original, 'video'), 0.002)
    near(times(closed, 'audio'), times(original, 'audio'), 0.03)
    expect(await decodeFaults(path)).toBe('')
    const { stdout } = await run('ffprobe', [
      '-v',
      'error',
      '-count_packets',
      '-show_entries',
      'stream=nb_frames,nb_read_packets',
      '-of',
      'csv=p=0',
      path,
    ])
    for (const line of stdout.trim().split('\n')) expect(new Set(line.split(',')).size).toBe(1)
    // Audio and video keep their distance.
    const distance = (packets: ProbedPacket[]): number =>
      times(packets, 'video')[0]![0] - times(packets, 'audio')[0]![0]
    expect(Math.abs(distance(closed) - distance(open))).toBeLessThan(0.002)
  })

  it('as MP4 has the same movie whether the index was kept or had to be made from the file', () => {
    const { writes, index } = written(source, 'mp4')
    const kept = join(folder.path, 'kept.mp4')
    const lost = join(folder.path, 'lost.mp4')
    for (const path of [kept, lost]) writeFileSync(path, Buffer.concat(writes))
    writeFileSync(join(folder.path, 'kept.index'), index)
    finishMp4({ path: kept, index: join(folder.path, 'kept.index'), recover: false })
    finishMp4({ path: lost, index: join(folder.path, 'lost.index'), recover: true })
    expect(readFileSync(lost).equals(readFileSync(kept))).toBe(true)
    // Finishing twice, as after a crash before the row was written, changes nothing.
    const again = finishMp4({ path: lost, index: join(folder.path, 'lost.index'), recover: true })
    expect(again.bytes).toBe(statSync(lost).size)
    expect(readFileSync(lost).equals(readFileSync(kept))).toBe(true)
  })

  it('as MP4 that was killed between the appended moov and the 16 bytes is finished all the same', async () => {
    const { writes, index } = written(source, 'mp4')
    const path = join(folder.path, 'between.mp4')
    writeFileSync(path, Buffer.concat(writes))
    writeFileSync(join(folder.path, 'between.index'), index)
    finishMp4({ path, index: join(folder.path, 'between.index'), recover: false })
    const file = openSync(path, 'r+')
    writeSync(
      file,
      Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from('free'), Buffer.alloc(8)]),
      0,
      16,
      hybridMarkAt,
    )
    closeSync(file)
    truncateSync(path, statSync(path).size - 100)
    expect((await probePackets(path)).length).toBe(original.length)
    finishMp4({ path, index: join(folder.path, 'between.index'), recover: true })
    expect((await probePackets(path)).length).toBe(original.length)
    expect(await decodeFaults(path)).toBe('')
  })

  it('as FLV keeps every tag, and after the end says duration, size and key frames where they are', async () => {
    const { writes, duration, slice } = written(source, 'flv')
    const path = join(folder.path, 'slice.flv')
    writeFileSync(path, Buffer.concat(writes))
    expect((await probePackets(path)).length).toBe(original.length)
    const { bytes } = finishFlv({
      path,
      end: { duration, keyFrames: slice instanceof FlvSlice ? slice.keyFrames : [] },
    })
    near(times(await probePackets(path), 'video'), times(original, 'video'), 0.002)
    expect(await decodeFaults(path)).toBe('')
    const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path])
    expect(Math.abs(Number(stdout) * 1000 - duration)).toBeLessThan(2)
    const file = readFileSync(path)
    expect(bytes).toBe(file.length)
    const at = file.indexOf('filepositions') + 'filepositions'.length + 5
    const timesAt = file.indexOf('times') + 'times'.length + 5
    const index = Array.from(
      { length: 6 },
      (_, one) => [file.readDoubleBE(at + one * 9 + 1), file.readDoubleBE(timesAt + one * 9 + 1)] as const,
    )
    // The sequence header, then a key frame every two seconds.
    expect(index.map(([, time]) => Math.round(time))).toEqual([0, 0, 2, 4, 6, 8])
    for (const [place] of index.slice(1)) expect([file[place], file[place + 11]! >> 4]).toEqual([9, 1])
    expect(file.includes('unfilled!')).toBe(false)
  })

  it('as FLV that was torn anywhere ends with a whole tag and a right duration', async () => {
    const { writes, duration } = written(source, 'flv')
    const whole = Buffer.concat(writes)
    for (const share of [0.1, 0.42, 0.77, 0.995]) {
      const path = join(folder.path, 'torn.flv')
      writeFileSync(path, whole.subarray(0, Math.floor(whole.length * share)))
      const opened = (await probePackets(path)).length
      const result = finishFlv({ path })
      expect(Math.abs((await probePackets(path)).length - opened)).toBeLessThanOrEqual(1)
      expect(result.duration).toBeGreaterThan(duration * share - 1000)
      expect(await decodeFaults(path)).toBe('')
      const again = openSource(path)
      expect(scanFlvRecording(again)?.end).toBe(result.bytes)
      again.close()
    }
  })

  it.each(['mp4', 'flv'] as const)('as %s may have sound only or picture only', async (format) => {
    for (const part of [{ video: false }, { audio: false }]) {
      const only = await encodeFixture(folder.path, `only-${format}`, { duration: 4, ...part })
      const { writes, index, duration } = written(only, format)
      const path = join(folder.path, `only.${format}`)
      writeFileSync(path, Buffer.concat(writes))
      writeFileSync(join(folder.path, 'only.index'), index)
      const result =
        format === 'mp4'
          ? finishMp4({ path, index: join(folder.path, 'only.index'), recover: false })
          : finishFlv({ path })
      expect(Math.abs(result.duration - 4000)).toBeLessThan(60)
      expect(result.duration).toBe(duration)
      expect((await probePackets(path)).length).toBe((await probePackets(only)).length)
      expect(await decodeFaults(path)).toBe('')
    }
  })

  it('that is nothing but its head holds nothing', () => {
    const { writes } = written(source, 'mp4')
    const path = join(folder.path, 'head.mp4')
    writeFileSync(path, writes[0]!)
    expect(finishMp4({ path, index: join(folder.path, 'head.index'), recover: true })).toEqual({
      bytes: 0,
      duration: 0,
    })
    writeFileSync(path, writes[0]!.subarray(0, 30))
    expect(() => finishMp4({ path, index: join(folder.path, 'head.index'), recover: true })).toThrow(
      'does not begin as a recording',
    )
  })
})
