import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { box, u32 } from './mp4-boxes.ts'
import type { Mp4Run } from './mp4-fragment.ts'
import type { Mp4Track } from './mp4-init.ts'
import { canFollow, planMerge, readMergePart } from './mp4-merge.ts'
import { Mp4Fault, type ReadTrack } from './mp4-reader.ts'
import { bytesOf, mp4Sample, picture, recorded, sound, sourceOf } from './testing/movies.ts'

const numbers = (bytes: Buffer | undefined): number[] | undefined =>
  bytes && Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32BE(index * 4))

/** Samples of equal duration, one after the other from `begin`; each of one byte of its own. */
const samples = (begin: number, duration: number, text: string, sync: (index: number) => boolean = () => true) =>
  [...text].map((letter, index) =>
    mp4Sample({ data: Buffer.from(letter), decodeTime: begin + index * duration, duration, sync: sync(index) }),
  )
const file = (tracks: readonly Mp4Track[], ...parts: readonly (readonly Mp4Run[])[]): Buffer =>
  recorded(tracks, parts).finished
const partOf = (bytes: Buffer): ReturnType<typeof readMergePart> => readMergePart(sourceOf(bytes))

/** The merged file, and what a reader finds in it. */
function merged(...files: readonly Buffer[]): {
  readonly bytes: Buffer
  readonly tracks: readonly ReadTrack[]
  readonly duration: number
  readonly tables: (track: number) => Record<string, number[] | undefined>
  /** Bytes of the samples of a track, in order, where its tables say. */
  readonly text: (track: number) => string
} {
  const { head, copies, moov, duration, size } = planMerge(files.map(partOf))
  const media = copies.map(({ part, from, length }) => files[part]!.subarray(from, from + length))
  const bytes = Buffer.concat([head, ...media, bytesOf(moov)])
  expect(bytes).toHaveLength(size)
  const { tracks } = partOf(bytes)
  return {
    bytes,
    tracks,
    duration,
    tables: (track) =>
      Object.fromEntries(Object.entries(tracks[track]!.tables).map(([name, table]) => [name, numbers(table)])),
    text(track) {
      const { co64, stsc, stsz } = tracks[track]!.tables
      const sizes = numbers(stsz)!.slice(2)
      const places = numbers(co64)!.slice(1)
      const runs = numbers(stsc)!.slice(1)
      let found = ''
      let sample = 0
      let perChunk = 0
      for (let chunk = 1; chunk <= places.length / 2; chunk++) {
        const run = runs.findIndex((first, index) => index % 3 === 0 && first === chunk)
        if (run >= 0) perChunk = runs[run + 1]!
        let at = places[chunk * 2 - 2]! * 0x1_0000_0000 + places[chunk * 2 - 1]!
        for (let index = 0; index < perChunk; index++) {
          found += bytes.toString('latin1', at, at + sizes[sample]!)
          at += sizes[sample++]!
        }
      }
      return found
    },
  }
}

describe('readMergePart', () => {
  it('finds the tracks and the place of the media in a finished movie', () => {
    const { open, finished } = recorded([picture()], [[{ trackId: 1, samples: samples(0, 3000, 'ab') }]])
    const part = partOf(finished)
    expect([part.mediaFrom, part.mediaEnd]).toEqual([48, open.length])
    expect(part.tracks.map(({ track }) => track.id)).toEqual([1])
  })

  it('refuses a movie that is not finished, has two of a box, or something after its end', () => {
    const { open, finished } = recorded([picture()], [[{ trackId: 1, samples: samples(0, 3000, 'ab') }]])
    const fault = new Mp4Fault('the file is not a finished movie')
    const moov = finished.subarray(open.length)
    for (const bytes of [
      finished.subarray(0, open.length),
      finished.subarray(0, -1),
      Buffer.concat([finished, Buffer.alloc(3)]),
      Buffer.concat([finished, moov]),
      Buffer.concat([finished, box('mdat')]),
      Buffer.concat([box('ftyp'), moov]),
      Buffer.alloc(0),
    ])
      expect(() => partOf(bytes), String(bytes.length)).toThrow(fault)
  })

  it('refuses a moov of more than 128 MiB without reading it', () => {
    const size = 128 * 1024 * 1024 + 8
    const read = (moov: number): unknown =>
      readMergePart({
        size: 8 + moov,
        read(at, length) {
          if (length > 16) throw new Error('the moov is read')
          return at === 0 ? box('mdat') : Buffer.concat([u32(moov), Buffer.from('moov'), Buffer.alloc(8)])
        },
      })
    expect(() => read(size + 1)).toThrow(new Mp4Fault('the moov is too long'))
    expect(() => read(size)).toThrow('the moov is read')
  })
})

describe('canFollow', () => {
  const run = (trackId: number): Mp4Run => ({ trackId, samples: samples(0, 3000, 'a') })
  const one = (...tracks: readonly Mp4Track[]): ReturnType<typeof readMergePart> =>
    partOf(
      file(
        tracks,
        tracks.map(({ id }) => run(id)),
      ),
    )

  it('is true for equal tracks, and false for other tracks, sizes, rates and configurations', () => {
    const first = one(picture(), sound())
    expect(canFollow(first, one(picture(), sound()))).toBe(true)
    expect(canFollow(first, one(picture()))).toBe(false)
    expect(canFollow(one(picture()), first)).toBe(false)
    expect(canFollow(first, one(picture({ width: 640 }), sound()))).toBe(false)
    expect(canFollow(first, one(picture({ timescale: 1000 }), sound()))).toBe(false)
    expect(canFollow(first, one(picture(), sound({ channels: 1 })))).toBe(false)
    expect(canFollow(first, one(picture({ configuration: Buffer.from('other') }), sound()))).toBe(false)
    const other = one(picture(), sound())
    const swapped = {
      ...other,
      tracks: other.tracks.map((track) => ({ ...track, track: { ...track.track, kind: 'audio' as const } })),
    }
    expect(canFollow(first, swapped)).toBe(false)
  })

  it('is asked for every part before a merge', () => {
    const fault = new Mp4Fault('the files do not have the same codecs')
    expect(() => planMerge([one(picture()), one(picture()), one(picture({ height: 360 }))])).toThrow(fault)
    expect(() => planMerge([])).toThrow(new Mp4Fault('nothing to merge'))
  })
})

describe('planMerge', () => {
  it('joins the samples of all parts in order, with their media unchanged at the places that the tables say', () => {
    const one = file(
      [picture(), sound({ timescale: 48_000 })],
      [
        { trackId: 1, samples: samples(0, 45_000, 'ab') },
        { trackId: 2, samples: samples(0, 24_000, 'AB') },
      ],
    )
    const two = file(
      [picture(), sound({ timescale: 48_000 })],
      [
        { trackId: 1, samples: samples(0, 30_000, 'c') },
        { trackId: 2, samples: samples(0, 16_000, 'C') },
      ],
      [
        { trackId: 1, samples: samples(30_000, 30_000, 'de') },
        { trackId: 2, samples: samples(16_000, 16_000, 'DE') },
      ],
    )
    const { bytes, tracks, duration, tables, text } = merged(one, two, one)
    expect([text(0), text(1)]).toEqual(['abcdeab', 'ABCDEAB'])
    expect(duration).toBe(3000)
    expect(tracks.map(({ track, pause }) => [track.id, track.kind, pause])).toEqual([
      [1, 'video', 0],
      [2, 'audio', 0],
    ])
    expect(tables(0)).toMatchObject({
      stts: [3, 2, 45_000, 3, 30_000, 2, 45_000],
      stsc: [4, 1, 2, 1, 2, 1, 1, 3, 2, 1, 4, 2, 1],
      stsz: [0, 7, 1, 1, 1, 1, 1, 1, 1],
    })
    expect(Object.keys(tables(0)).sort()).toEqual(['co64', 'stsc', 'stsz', 'stts'])
    expect(bytes.toString('latin1', 36, 40)).toBe('mdat')
  })

  it('begins a part at the later end of picture and sound, and stretches the shorter track up to it', () => {
    const tracks = [picture(), sound({ timescale: 48_000 })]
    const one = file(tracks, [
      { trackId: 1, samples: samples(0, 45_000, 'ab') },
      { trackId: 2, samples: samples(0, 12_000, 'ABC') },
    ])
    const { duration, tables } = merged(one, one)
    expect(duration).toBe(2000)
    expect(tables(0)['stts']).toEqual([2, 2, 45_000, 2, 45_000])
    // The last sample before the seam is 250 ms longer.
    expect(tables(1)['stts']).toEqual([3, 2, 12_000, 1, 24_000, 3, 12_000])
  })

  it('stretches a last sample that is the only one of its duration in place', () => {
    const tracks = [picture(), sound({ timescale: 48_000 })]
    const one = file(tracks, [
      { trackId: 1, samples: samples(0, 90_000, 'a') },
      { trackId: 2, samples: samples(0, 12_000, 'A') },
    ])
    expect(merged(one, one).tables(1)['stts']).toEqual([2, 1, 48_000, 1, 12_000])
  })

  it('keeps the pause of a track that begins late, in the first part and in those that follow', () => {
    const tracks = [picture(), sound({ timescale: 48_000 })]
    const late = file(tracks, [
      { trackId: 1, samples: samples(0, 90_000, 'a') },
      { trackId: 2, samples: samples(12_000, 12_000, 'ABC') },
    ])
    const { tracks: found, duration, tables } = merged(late, late)
    expect(found.map(({ pause }) => pause)).toEqual([0, 250])
    expect(tables(1)['stts']).toEqual([3, 2, 12_000, 1, 24_000, 3, 12_000])
    expect(duration).toBe(2000)
  })

  it('numbers sync samples on over the parts, all of a part that has no list of them', () => {
    const tracks = [picture()]
    const some = file(tracks, [{ trackId: 1, samples: samples(0, 3000, 'abc', (index) => index === 0) }])
    const every = file(tracks, [{ trackId: 1, samples: samples(0, 3000, 'de') }])
    expect(merged(some, every, some).tables(0)['stss']).toEqual([4, 1, 4, 5, 6])
    expect(merged(every, every).tables(0)['stss']).toBeUndefined()
  })

  it('has composition offsets of 0 for a part without any, and signs them when those of one part are signed', () => {
    const tracks = [picture()]
    const file1 = (offsets: readonly number[]): Buffer =>
      file(tracks, [
        {
          trackId: 1,
          samples: offsets.map((compositionOffset, index) =>
            mp4Sample({ decodeTime: index * 3000, compositionOffset }),
          ),
        },
      ])
    const mixed = merged(file1([0, 0]), file1([80, 80]))
    expect(mixed.tables(0)['ctts']).toEqual([2, 2, 0, 2, 80])
    expect(mixed.tracks[0]!.offsetVersion).toBe(0)
    const signed = merged(file1([80]), file1([-80]))
    expect(signed.tables(0)['ctts']).toEqual([2, 1, 80, 1, 0x1_0000_0000 - 80])
    expect(signed.tracks[0]!.offsetVersion).toBe(1)
    expect(merged(file1([0]), file1([0])).tables(0)['ctts']).toBeUndefined()
  })

  it('reads places of 32 bits, and refuses a part without a table or with samples of one size', () => {
    const part = partOf(file([picture()], [{ trackId: 1, samples: samples(0, 3000, 'ab') }]))
    const [track] = part.tracks
    const changed = (tables: Readonly<Record<string, Buffer | undefined>>): ReturnType<typeof readMergePart> => ({
      ...part,
      tracks: [{ ...track!, tables: { ...track!.tables, ...tables } as ReadTrack['tables'] }],
    })
    const place = numbers(track!.tables.co64)![2]!
    const old = planMerge([part, changed({ co64: undefined, stco: u32(1, place) })])
    const same = planMerge([part, part])
    expect(bytesOf(old.moov)).toEqual(bytesOf(same.moov))
    const fault = new Mp4Fault('a table of samples is missing')
    for (const name of ['stts', 'stsc', 'stsz', 'co64'] as const)
      expect(() => planMerge([changed({ [name]: undefined })]), name).toThrow(fault)
    expect(() => planMerge([changed({ stsz: u32(5, 2) })])).toThrow(fault)
  })

  it('has the same moov to the byte as ever, in each field that no other test names', () => {
    const tracks = [picture(), sound()]
    const one = file(tracks, [
      { trackId: 1, samples: samples(0, 45_000, 'ab', (index) => index === 0) },
      { trackId: 2, samples: samples(0, 24_000, 'AB') },
    ])
    const { moov } = planMerge([one, one].map(partOf))
    expect(hash('sha256', bytesOf(moov), 'hex')).toBe(
      '47dfdb5c0f386890d578f91dc85b77661643d60a3cd530b89a7368a034399a57',
    )
  })

  it('leaves the tables of its parts as they are', () => {
    const part = partOf(
      file(
        [picture(), sound()],
        [
          { trackId: 1, samples: samples(0, 90_000, 'a', () => false) },
          { trackId: 2, samples: samples(0, 12_000, 'A') },
        ],
      ),
    )
    const shown = (): unknown =>
      part.tracks.map(({ tables }) => Object.entries(tables).map(([name, table]) => [name, numbers(table)]))
    const before = shown()
    planMerge([part, part])
    expect(shown()).toEqual(before)
  })
})
