import { fragmentParts, type Mp4Run, type Mp4Sample } from '../mp4-fragment.ts'
import { hybridHead, hybridMark, hybridMarkAt, hybridMarkLength, indexRecords } from '../mp4-hybrid.ts'
import { movieOfIndex } from '../mp4-hybrid-movie.ts'
import type { Piece } from '../mp4-hybrid-tables.ts'
import type { Mp4Track } from '../mp4-init.ts'
import { readMovie, type ByteSource } from '../mp4-reader.ts'

/** Bytes in memory as a file. */
export const sourceOf = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: (at, length) => bytes.subarray(at, at + length),
})

/** All bytes of a piece. */
export const bytesOf = (piece: Piece): Buffer => Buffer.concat([...piece.bytes()])

/** A sync sample of three bytes and 3000 units, unless said otherwise. */
export const mp4Sample = (over: Partial<Mp4Sample> = {}): Mp4Sample => ({
  data: Buffer.from('abc'),
  decodeTime: 0,
  duration: 3000,
  compositionOffset: 0,
  sync: true,
  ...over,
})

/** A video track. */
export const picture = (over: Partial<Extract<Mp4Track, { kind: 'video' }>> = {}): Mp4Track => ({
  kind: 'video',
  id: 1,
  timescale: 90_000,
  width: 1280,
  height: 720,
  configuration: Buffer.from('avc configuration'),
  ...over,
})
/** An audio track. */
export const sound = (over: Partial<Extract<Mp4Track, { kind: 'audio' }>> = {}): Mp4Track => ({
  kind: 'audio',
  id: 2,
  timescale: 48_000,
  channels: 2,
  configuration: Buffer.from('1190', 'hex'),
  ...over,
})

/** A recording in its two forms: as written, and finished as an ordinary movie; and its sample index. */
export function recorded(
  tracks: readonly Mp4Track[],
  parts: readonly (readonly Mp4Run[])[],
): { readonly open: Buffer; readonly finished: Buffer; readonly index: Buffer; readonly headLength: number } {
  const head = hybridHead(tracks)
  const started = new Set<number>()
  const records: Buffer[] = []
  const written = [head]
  let place = head.length
  parts.forEach((part, number) => {
    const { head: before, data, runs } = fragmentParts(number + 1, part)
    place += before.length
    records.push(
      indexRecords(
        runs.map(({ trackId, samples }) => {
          const dataAt = place
          for (const { data: bytes } of samples) place += bytes.length
          return {
            trackId,
            decodeTime: samples[0]!.decodeTime,
            dataAt,
            samples: samples.map(({ data: { length: size }, ...rest }) => ({ size, ...rest })),
          }
        }),
        started,
      ),
    )
    written.push(before, ...data)
  })
  const open = Buffer.concat(written)
  const index = Buffer.concat(records)
  const described = readMovie(head.subarray(hybridMarkAt + hybridMarkLength + 8)).map(({ track }) => track)
  const finished = Buffer.concat([open, bytesOf(movieOfIndex(described, () => [index]).moov)])
  hybridMark(open.length).copy(finished, hybridMarkAt)
  return { open, finished, index, headLength: head.length }
}
