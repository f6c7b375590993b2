import { existsSync, openSync, closeSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { trySmallDisk } from '../../platform/testing/small-disk.ts'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { hybridMarkAt, hybridMarkLength } from '../media/mp4-hybrid.ts'
import { fileBoxes } from '../media/mp4-reader.ts'
import { FlvSlice } from './slice-flv.ts'
import { Mp4Slice } from './slice-mp4.ts'
import { bothTracks, pictureAt, soundAt, sourceOf, writtenSlice } from './testing/written-slice.ts'
import { finishFlv, finishMp4, writeAll, writePiece } from './work-finish.ts'
import { openSource } from './work.ts'

const folder = temporaryFolder()
const disk = trySmallDisk(join(folder.path, 'small'), 1)
afterAll(() => {
  if (typeof disk !== 'string') disk.remove()
  folder.remove()
})

const place = (name: string): string => join(folder.path, name)
const packets = Array.from({ length: 60 }, (_, count) => [
  pictureAt(count * 40, count % 25 === 0, count),
  soundAt(count * 40),
  soundAt(count * 40 + 20),
]).flat()
const mp4 = () => {
  const slice = new Mp4Slice(bothTracks)
  return { slice, ...writtenSlice(slice, packets) }
}
/** Writes what there is of a recording; returns its path and that of its index. */
function placed(name: string, media: Buffer, index?: Buffer): { readonly path: string; readonly index: string } {
  const paths = { path: place(`${name}.mp4`), index: place(`${name}.index`) }
  writeFileSync(paths.path, media)
  if (index) writeFileSync(paths.index, index)
  return paths
}
const typesOf = (path: string): string[] => [...fileBoxes(sourceOf(readFileSync(path)))].map(({ type }) => type)

it('finishes an MP4 from its index: the media stays where it is, a movie follows, and the index is removed', () => {
  const { slice, media, index } = mp4()
  const paths = placed('whole', media, index)
  const result = finishMp4({ ...paths, recover: false })
  expect(result).toEqual({ bytes: statSync(paths.path).size, duration: slice.duration })
  expect(typesOf(paths.path)).toEqual(['ftyp', 'mdat', 'moov'])
  const head = hybridMarkAt + hybridMarkLength
  expect(readFileSync(paths.path).subarray(head, media.length).equals(media.subarray(head))).toBe(true)
  expect(existsSync(paths.index)).toBe(false)
})

it('makes the index of an MP4 from the file where it is lost', () => {
  const { media, index } = mp4()
  const kept = placed('kept', media, index)
  const lost = placed('lost', media)
  const result = finishMp4({ ...kept, recover: false })
  expect(finishMp4({ ...lost, recover: false })).toEqual(result)
  expect(readFileSync(lost.path).equals(readFileSync(kept.path))).toBe(true)
  expect(existsSync(lost.index)).toBe(false)
})

it('believes no index of an MP4 that was left by a crash, but the file', () => {
  const { media, index } = mp4()
  const good = placed('good', media, index)
  const stale = placed('stale', media, index.subarray(0, 160))
  const result = finishMp4({ ...good, recover: false })
  expect(finishMp4({ ...stale, recover: true })).toEqual(result)
  expect(readFileSync(stale.path).equals(readFileSync(good.path))).toBe(true)
})

it('keeps of a torn MP4 what is before its last whole fragment, and cuts off the rest', () => {
  const slice = new Mp4Slice(bothTracks)
  // A fragment is larger than the movie that follows.
  const large = Array.from({ length: 60 }, (_, count) => pictureAt(count * 40, count % 25 === 0, 5000))
  const { parts, media } = writtenSlice(slice, large)
  const whole = slice.head.length + parts.slice(0, 2).reduce((sum, part) => sum + Buffer.concat(part.media).length, 0)
  const torn = placed('torn', media.subarray(0, whole + 50_000))
  const cut = placed('cut', media.subarray(0, whole))
  const result = finishMp4({ ...cut, recover: true })
  expect(result.bytes).toBeLessThan(whole + 50_000)
  expect(finishMp4({ ...torn, recover: true })).toEqual(result)
  expect(readFileSync(torn.path).equals(readFileSync(cut.path))).toBe(true)
})

it('finds the figures of an MP4 that was finished before, and changes nothing of it', () => {
  const { media, index } = mp4()
  const paths = placed('twice', media, index)
  const result = finishMp4({ ...paths, recover: false })
  const before = readFileSync(paths.path)
  expect(finishMp4({ ...paths, recover: true })).toEqual(result)
  expect(readFileSync(paths.path).equals(before)).toBe(true)
  truncateSync(paths.path, before.length - 1)
  expect(() => finishMp4({ ...paths, recover: true })).toThrow('the file does not end with its moov')
})

it('finds nothing in an MP4 of a head alone, and refuses one whose head is not whole', () => {
  const { slice } = mp4()
  const { head } = slice
  expect(finishMp4({ ...placed('head', head), recover: true })).toEqual({ bytes: 0, duration: 0 })
  const swapped = Buffer.from(head)
  swapped.write('skip', hybridMarkAt + 4, 'latin1')
  const other = Buffer.from(head)
  other.write('meta', hybridMarkAt + hybridMarkLength + 4, 'latin1')
  for (const bytes of [head.subarray(0, -1), swapped, other, Buffer.alloc(0), Buffer.from('no film')])
    expect(() => finishMp4({ ...placed('broken', bytes), recover: true })).toThrow(
      'the file does not begin as a recording',
    )
})

it.skipIf(typeof disk === 'string')('leaves an MP4 as it was where there is no room for its movie', () => {
  const slice = new Mp4Slice(bothTracks)
  const { media, index } = writtenSlice(
    slice,
    // Enough for a movie of several pages.
    Array.from({ length: 5000 }, (_, count) => pictureAt(count, count === 0, count % 7)),
  )
  if (typeof disk === 'string') return
  const paths = { path: place('small/full.mp4'), index: place('full.index') }
  writeFileSync(paths.path, media)
  writeFileSync(paths.index, index)
  disk.fill()
  expect(() => finishMp4({ ...paths, recover: false })).toThrow(expect.objectContaining({ code: 'ENOSPC' }))
  expect(readFileSync(paths.path).equals(media)).toBe(true)
  expect(existsSync(paths.index)).toBe(true)
  disk.empty()
  expect(finishMp4({ ...paths, recover: false })).toEqual({
    bytes: statSync(paths.path).size,
    duration: slice.duration,
  })
})

const flvSlice = new FlvSlice(bothTracks, 60_000)
const flv = writtenSlice(flvSlice, packets).media
const numberAt = (bytes: Buffer, name: string): number =>
  bytes.readDoubleBE(bytes.indexOf(`${name}\0`) + name.length + 1)
const placedFlv = (name: string, bytes: Buffer): string => {
  const path = place(`${name}.flv`)
  writeFileSync(path, bytes)
  return path
}

it('writes the known figures of an FLV into its head, in seconds and bytes', () => {
  const path = placedFlv('known', flv)
  const end = { duration: 2417, keyFrames: flvSlice.keyFrames }
  expect(finishFlv({ path, end })).toEqual({ bytes: flv.length, duration: 2417 })
  const bytes = readFileSync(path)
  expect([numberAt(bytes, 'duration'), numberAt(bytes, 'filesize')]).toEqual([2.417, flv.length])
  expect(bytes.includes('keyframes')).toBe(true)
  expect(bytes.subarray(flvSlice.head.length).equals(flv.subarray(flvSlice.head.length))).toBe(true)
})

it('finds the figures of an FLV in the file, and cuts off a tag that is not whole', () => {
  const path = placedFlv('cut', flv)
  const whole = finishFlv({ path })
  expect(whole).toEqual({ bytes: flv.length, duration: 2400 })
  expect(readFileSync(path).includes('keyframes')).toBe(true)
  const torn = placedFlv('torn', flv.subarray(0, -1))
  const { bytes, duration } = finishFlv({ path: torn })
  // The last frame of sound: 20 bytes with what is around it.
  expect([bytes, duration]).toEqual([flv.length - 20, 2400])
  expect([statSync(torn).size, numberAt(readFileSync(torn), 'filesize')]).toEqual([bytes, bytes])
})

it('finds nothing in an FLV that is none, and leaves it as it is', () => {
  const path = placedFlv('none', Buffer.from('no film at all, but a few words that are long enough'))
  const before = readFileSync(path)
  expect(finishFlv({ path })).toEqual({ bytes: 0, duration: 0 })
  expect(readFileSync(path).equals(before)).toBe(true)
})

it('writes bytes and pieces at their place, pieces over many blocks, and tells the end', () => {
  const path = place('blocks')
  writeFileSync(path, 'abcdefgh')
  const descriptor = openSync(path, 'r+')
  writeAll(descriptor, Buffer.from('XY'), 2)
  expect(readFileSync(path, 'utf8')).toBe('abXYefgh')
  const blocks = [100_000, 300_000, 1, 200_000, 5].map((length, index) => Buffer.alloc(length, index + 1))
  const size = blocks.reduce((sum, { length }) => sum + length, 0)
  expect(writePiece(descriptor, { size, bytes: () => blocks }, 8)).toBe(8 + size)
  expect(writePiece(descriptor, { size: 0, bytes: () => [] }, 7)).toBe(7)
  closeSync(descriptor)
  expect(readFileSync(path).equals(Buffer.concat([Buffer.from('abXYefgh'), ...blocks]))).toBe(true)
})

it('reads a source at any place, less only at its end, and sees it grow', () => {
  const path = place('source')
  writeFileSync(path, '0123456789')
  const source = openSource(path)
  expect([source.size, source.read(2, 3).toString(), source.read(8, 5).toString(), source.read(10, 1).length]).toEqual([
    10,
    '234',
    '89',
    0,
  ])
  writeFileSync(path, '0123456789ab')
  expect(source.size).toBe(12)
  source.close()
  expect(() => source.size).toThrow('EBADF')
  expect(() => openSource(place('missing'))).toThrow('ENOENT')
})
