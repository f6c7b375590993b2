import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { readMergePart } from '../media/mp4-merge.ts'
import { Mp4Fault } from '../media/mp4-reader.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import type { SliceTracks } from '../timeline/tracks.ts'
import { Mp4Slice } from './slice-mp4.ts'
import { bothTracks, pictureAt, pictureTracks, soundAt, sourceOf, writtenSlice } from './testing/written-slice.ts'
import { finishMp4 } from './work-finish.ts'
import { mergeFiles } from './work-merge.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())
const place = (name: string): string => join(folder.path, name)
const mebibyte = 1024 * 1024

/** A finished MP4 of some packets. */
function finished(name: string, packets: readonly MediaPacket[], tracks: SliceTracks = bothTracks): string {
  const { media, index } = writtenSlice(new Mp4Slice(tracks), packets)
  const paths = { path: place(`${name}.mp4`), index: place(`${name}.index`) }
  writeFileSync(paths.path, media)
  writeFileSync(paths.index, index)
  finishMp4({ ...paths, recover: false })
  return paths.path
}
const pictures = (count: number, bytes: number, from = 0): MediaPacket[] =>
  Array.from({ length: count }, (_, index) => pictureAt(index * 40, index % 25 === 0, bytes + index + from))
/** The media of a file, without its head and movie. */
function mediaOf(path: string): Buffer {
  const bytes = readFileSync(path)
  const { mediaFrom, mediaEnd } = readMergePart(sourceOf(bytes))
  return bytes.subarray(mediaFrom, mediaEnd)
}
const outputs = (name: string) => ({ temporary: place(`${name}.part`), target: place(`${name}.merged.mp4`) })

it('puts the media of its sources one after the other, a repeated one too, and leaves only the result', async () => {
  const a = finished('a', [...pictures(30, 0), soundAt(0)])
  const b = finished('b', [...pictures(50, 10), soundAt(0)])
  const { temporary, target } = outputs('ab')
  const told: number[] = []
  const result = await mergeFiles({ sources: [b, a, b], temporary, target }, (done) => void told.push(done))
  expect(mediaOf(target).equals(Buffer.concat([mediaOf(b), mediaOf(a), mediaOf(b)]))).toBe(true)
  expect(result).toEqual({ bytes: statSync(target).size, duration: 2 * 50 * 40 + 30 * 40 })
  expect(told).toEqual([result.bytes])
  expect(existsSync(temporary)).toBe(false)
  if (process.platform !== 'win32') expect(statSync(target).mode & 0o777).toBe(0o600)
})

it('tells how far it is for every 16 MiB, and at the end', async () => {
  const large = finished('large', pictures(40, mebibyte), pictureTracks)
  const told: number[] = []
  const { bytes } = await mergeFiles({ sources: [large], ...outputs('progress') }, (done) => void told.push(done))
  expect(told).toHaveLength(3)
  expect(told[0]).toBeGreaterThanOrEqual(16 * mebibyte)
  expect(told[0]).toBeLessThan(18 * mebibyte)
  expect(told[1]! - told[0]!).toBeGreaterThanOrEqual(16 * mebibyte)
  expect(told[2]).toBe(bytes)
})

it('fails where a source becomes shorter while it is read, and leaves nothing', async () => {
  const shrinks = finished('shrinks', pictures(20, mebibyte), pictureTracks)
  const { temporary, target } = outputs('shorter')
  await expect(
    mergeFiles({ sources: [shrinks], temporary, target }, () => truncateSync(shrinks, 17 * mebibyte)),
  ).rejects.toMatchObject({ code: 'SOURCE' })
  expect([existsSync(temporary), existsSync(target)]).toEqual([false, false])
})

it('refuses sources whose tracks differ, and one that is not finished, and leaves nothing', async () => {
  const both = finished('both', [...pictures(30, 0), soundAt(0)])
  const silent = finished('silent', pictures(30, 0), pictureTracks)
  const open = place('open.mp4')
  writeFileSync(open, writtenSlice(new Mp4Slice(bothTracks), pictures(30, 0)).media)
  const { temporary, target } = outputs('refused')
  for (const sources of [[both, silent], [open]])
    await expect(mergeFiles({ sources, temporary, target }, () => undefined)).rejects.toBeInstanceOf(Mp4Fault)
  await expect(
    mergeFiles({ sources: [both, place('missing.mp4')], temporary, target }, () => undefined),
  ).rejects.toMatchObject({ code: 'ENOENT' })
  expect([existsSync(temporary), existsSync(target)]).toEqual([false, false])
})

it('writes over what an earlier try left', async () => {
  const a = finished('again', pictures(30, 0))
  const { temporary, target } = outputs('again')
  writeFileSync(temporary, Buffer.alloc(mebibyte, 1))
  const { bytes } = await mergeFiles({ sources: [a], temporary, target }, () => undefined)
  expect([statSync(target).size, existsSync(temporary)]).toEqual([bytes, false])
})
