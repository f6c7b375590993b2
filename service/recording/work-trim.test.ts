import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeFaults, encodeFixture, fixturePackets, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { configured, isFrame, type SliceTracks } from '../timeline/tracks.ts'
import { Mp4Slice } from './slice-mp4.ts'
import { finishMp4 } from './work-finish.ts'
import { mergeFiles } from './work-merge.ts'

const run = promisify(execFile)
await requireEncoder()
const folder = temporaryFolder()
afterAll(() => folder.remove())

/** A recording of packets, finished. */
function record(name: string, packets: readonly MediaPacket[]): string {
  let tracks: SliceTracks = {}
  for (const packet of packets) if (packet.configuration && packet.kind !== 'data') tracks = configured(tracks, packet)
  const slice = new Mp4Slice(tracks)
  const media = [slice.head]
  const index: Buffer[] = []
  const take = (part: ReturnType<Mp4Slice['packet']>): void => {
    if (!part) return
    media.push(...part.media)
    index.push(part.index!)
  }
  for (const packet of packets)
    if (!packet.configuration && isFrame(tracks, packet)) take(slice.packet(packet, packet.timestamp))
  take(slice.end())
  const path = join(folder.path, `${name}.mp4`)
  writeFileSync(path, Buffer.concat(media))
  writeFileSync(`${path}.index`, Buffer.concat(index))
  finishMp4({ path, index: `${path}.index`, recover: false })
  return path
}
const trim = async (name: string, sources: readonly string[], from: number, to: number) => {
  const target = join(folder.path, `${name}.mp4`)
  const made = await mergeFiles({ sources, temporary: `${target}.part`, target, range: { from, to } }, () => undefined)
  return { target, ...made }
}
/** Digests of the pictures that a decoder shows, with their times in ms. */
async function pictures(path: string, ...more: readonly string[]): Promise<{ at: number; digest: string }[]> {
  const { stdout, stderr } = await run('ffmpeg', [
    '-v',
    'error',
    ...more,
    '-i',
    path,
    '-map',
    '0:v',
    '-copyts',
    '-fps_mode',
    'passthrough',
    '-enc_time_base',
    '1:1000',
    '-f',
    'framemd5',
    '-',
  ])
  expect(stderr).toBe('')
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').map((part) => part.trim()))
    .map(([, , pts, , , digest]) => ({ at: Number(pts), digest: digest! }))
}
/** Samples of the decoded sound, mono. */
async function sound(path: string): Promise<Int16Array> {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a', '-ac', '1', '-f', 's16le', '-'], {
    encoding: 'buffer',
    maxBuffer: 1 << 26,
  })
  return new Int16Array(new Uint8Array(stdout).buffer)
}

describe('a trim', () => {
  let whole: string
  let second: string
  beforeAll(async () => {
    const fixture = async (name: string, duration: number): Promise<string> =>
      record(
        name,
        fixturePackets(await encodeFixture(folder.path, name, { duration, gop: 60, bFrames: 2, sampleRate: 48_000 })),
      )
    whole = await fixture('whole', 12)
    second = await fixture('second', 6)
  })

  it.each([
    [2500, 9100],
    [3999, 4700],
    [4000, 8000],
    [0, 1234],
    [5033, 11_000],
  ])('has exactly the pictures from %i to %i ms, and begins with the one that is shown then', async (from, to) => {
    const before = readFileSync(whole)
    const { target, duration, early, bytes } = await trim(`t${from}`, [whole], from, to)
    const [all, cut] = [await pictures(whole), await pictures(target)]
    const begin = all.findLastIndex(({ at }) => at <= from)
    const wanted = all.slice(Math.max(0, begin)).filter(({ at }) => at < to)
    expect(cut.map(({ digest }) => digest)).toEqual(wanted.map(({ digest }) => digest))
    const shift = wanted[0]!.at - cut[0]!.at
    for (const [index, { at }] of cut.entries()) expect(Math.abs(at + shift - wanted[index]!.at)).toBeLessThan(2)
    expect(await decodeFaults(target)).toBe('')
    expect(Math.abs(duration - (to - wanted[0]!.at))).toBeLessThan(2)
    // Sound and picture have moved by the same time.
    expect(Math.abs((await sound(target)).length / 48 - duration)).toBeLessThan(45)
    // What ignores the edits begins at the key frame.
    const plain = await pictures(target, '-ignore_editlist', '1')
    const key = all.findIndex(({ digest }) => digest === plain[0]!.digest)
    expect(Math.abs(early! - (wanted[0]!.at - all[key]!.at))).toBeLessThan(2)
    expect(bytes).toBe(readFileSync(target).length)
    expect(readFileSync(whole).equals(before)).toBe(true)
    expect(existsSync(`${target}.part`)).toBe(false)
  })

  it('goes over a seam, from within one file to within the next', async () => {
    const { target, duration } = await trim('seam', [whole, second], 10_500, 1_700)
    const [one, two, cut] = [await pictures(whole), await pictures(second), await pictures(target)]
    const first = one.slice(one.findLastIndex(({ at }) => at <= 10_500))
    const wanted = [...first, ...two.filter(({ at }) => at < 1_700)]
    expect(cut.map(({ digest }) => digest)).toEqual(wanted.map(({ digest }) => digest))
    expect(await decodeFaults(target)).toBe('')
    expect(Math.abs(duration - (12_000 - 10_500 + 1_700))).toBeLessThan(120)
    expect(Math.abs((await sound(target)).length / 48 - duration)).toBeLessThan(90)
  })

  it('can be merged with other files, and cut again', async () => {
    const { target: clip } = await trim('clip', [whole], 2_500, 5_500)
    const merged = join(folder.path, 'merged.mp4')
    const made = await mergeFiles(
      { sources: [clip, second, clip], temporary: `${merged}.part`, target: merged },
      () => undefined,
    )
    const [of, other, all] = [await pictures(clip), await pictures(second), await pictures(merged)]
    const wanted = [...of, ...other, ...of]
    expect(all.map(({ digest }) => digest)).toEqual(wanted.map(({ digest }) => digest))
    expect(Math.abs((await sound(merged)).length / 48 - made.duration)).toBeLessThan(120)

    const { target: again } = await trim('again', [merged], 1_000, 10_000)
    const inner = all.slice(all.findLastIndex(({ at }) => at <= 1_000)).filter(({ at }) => at < 10_000)
    expect((await pictures(again)).map(({ digest }) => digest)).toEqual(inner.map(({ digest }) => digest))
  })

  it('copies no more than what lies between the key frame and the end', async () => {
    const { bytes } = await trim('short', [whole], 6_100, 6_900)
    expect(bytes).toBeLessThan(readFileSync(whole).length / 6)
  })

  it('of nothing is a fault, and leaves no file', async () => {
    await expect(trim('none', [whole], 50_000, 60_000)).rejects.toThrow('nothing lies within the range')
    expect(existsSync(join(folder.path, 'none.mp4.part'))).toBe(false)
    expect(existsSync(join(folder.path, 'none.mp4'))).toBe(false)
  })
})
