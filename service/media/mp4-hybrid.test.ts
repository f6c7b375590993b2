import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { box } from './mp4-boxes.ts'
import { hybridHead, hybridMark, hybridMarkAt, hybridMarkLength, indexRecords, plainHead } from './mp4-hybrid.ts'
import { movieOfIndex, type MovieTrack } from './mp4-hybrid-movie.ts'
import { indexTables, tallyTrack, type IndexPass } from './mp4-hybrid-tables.ts'
import { children, fileBoxes, readMovie } from './mp4-reader.ts'
import { bytesOf, mp4Sample, picture, recorded, sound, sourceOf } from './testing/movies.ts'

const boxes = (bytes: Buffer): unknown[] => [...fileBoxes(sourceOf(bytes))].map(({ type, at, end }) => [type, at, end])
/** 32-bit numbers. */
const numbers = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32BE(index * 4))

describe('a hybrid file', () => {
  it('begins with ftyp, 16 free bytes and the moov of a fragmented movie', () => {
    const head = hybridHead([picture(), sound()])
    expect([hybridMarkAt, hybridMarkLength]).toEqual([32, 16])
    expect(head.toString('latin1', 0, 32)).toBe('\0\0\0\u0020ftypisom\0\0\u0002\0isomiso6avc1mp41')
    expect(boxes(head)).toEqual([
      ['ftyp', 0, 32],
      ['free', 32, 48],
      ['moov', 48, head.length],
    ])
    expect(children(head.subarray(56)).map(({ type }) => type)).toEqual(['mvhd', 'trak', 'trak', 'mvex'])
  })

  it('becomes ftyp, mdat and moov by its mark, which covers everything up to the new moov', () => {
    expect(hybridMark(2 ** 33 + 32).toString('hex')).toBe('000000016d6461740000000200000000')
    const { open, finished } = recorded([picture()], [[{ trackId: 1, samples: [mp4Sample()] }]])
    expect(boxes(finished)).toEqual([
      ['ftyp', 0, 32],
      ['mdat', 32, open.length],
      ['moov', open.length, finished.length],
    ])
    expect(finished.subarray(48, open.length)).toEqual(open.subarray(48))
  })

  it('has a head of the same layout when its length is known before', () => {
    const head = plainHead(1000)
    expect(head).toHaveLength(48)
    expect(boxes(Buffer.concat([head, Buffer.alloc(1000)]))).toEqual([
      ['ftyp', 0, 32],
      ['mdat', 32, 1048],
    ])
  })
})

describe('indexRecords', () => {
  it('writes the start of a track once, then for each run its chunk and its samples', () => {
    const started = new Set<number>()
    const samples = [
      { size: 3, duration: 2 ** 40, compositionOffset: -2, sync: true },
      { size: 4, duration: 3000, compositionOffset: 0, sync: false },
    ]
    const first = indexRecords([{ trackId: 1, decodeTime: 2 ** 33 + 5, dataAt: 2 ** 32 + 7, samples }], started)
    expect(first.toString('hex').match(/.{32}/g)).toEqual([
      '02010000000000000000000200000005',
      '01010000000000020000000100000007',
      '0001010000000003fffffffffffffffe',
      '000100000000000400000bb800000000',
    ])
    expect([...started]).toEqual([1])
    const second = indexRecords(
      [
        { trackId: 1, decodeTime: 9, dataAt: 10, samples: samples.slice(1) },
        { trackId: 2, decodeTime: 8, dataAt: 11, samples: samples.slice(1) },
      ],
      started,
    )
    expect(second.toString('hex').match(/.{32}/g)).toEqual([
      '0101000000000001000000000000000a',
      '000100000000000400000bb800000000',
      '02020000000000000000000000000008',
      '0102000000000001000000000000000b',
      '000200000000000400000bb800000000',
    ])
    expect([...started]).toEqual([1, 2])
  })
})

/** Runs of track 1, each of samples of [size, duration, offset, sync], at offsets of 1000 each. */
type Short = readonly [size: number, duration: number, offset?: number, sync?: boolean]
const passOf = (...runs: readonly (readonly Short[])[]): IndexPass => {
  const started = new Set<number>()
  const blocks = runs.map((samples, index) =>
    indexRecords(
      [
        {
          trackId: 1,
          decodeTime: 500 + index,
          dataAt: 1000 * (index + 1),
          samples: samples.map(([size, duration, compositionOffset = 0, sync = true]) => ({
            size,
            duration,
            compositionOffset,
            sync,
          })),
        },
        // Another track between, which is to be left out.
        {
          trackId: 2,
          decodeTime: 7,
          dataAt: 5,
          samples: [{ size: 9, duration: 9, compositionOffset: 9, sync: false }],
        },
      ],
      started,
    ),
  )
  return () => blocks
}
const tables = (pass: IndexPass): Record<string, number[]> =>
  Object.fromEntries(
    indexTables(pass, 1, tallyTrack(pass, 1)).map((piece) => {
      const bytes = bytesOf(piece)
      expect(bytes).toHaveLength(piece.size)
      const [{ type, whole, contents } = { type: '', whole: bytes, contents: bytes }] = children(bytes)
      expect(whole).toHaveLength(piece.size)
      return [type, numbers(contents)]
    }),
  )

describe('tallyTrack', () => {
  it('counts samples, chunks, sync samples and runs of one track, and has its start and duration', () => {
    const pass = passOf(
      [
        [10, 3000],
        [20, 3000, 0, false],
        [30, 3000, 6000, false],
      ],
      [[40, 6000]],
      [[50, 3000, -1]],
    )
    expect(tallyTrack(pass, 1)).toEqual({
      samples: 5,
      chunks: 3,
      syncSamples: 3,
      durationRuns: 3,
      offsetRuns: 4,
      chunkRuns: 2,
      offsets: true,
      negative: true,
      start: 500,
      duration: 18_000,
    })
    expect(tallyTrack(pass, 3)).toMatchObject({ samples: 0, chunks: 0, start: 0, duration: 0 })
  })
})

describe('indexTables', () => {
  it('are stts, stsc, stsz and co64 of equal sync samples, without ctts and stss', () => {
    expect(
      tables(
        passOf(
          [
            [10, 3000],
            [20, 3000],
          ],
          [[30, 3000]],
        ),
      ),
    ).toEqual({
      stts: [0, 1, 3, 3000],
      stsc: [0, 2, 1, 2, 1, 2, 1, 1],
      stsz: [0, 0, 3, 10, 20, 30],
      co64: [0, 2, 0, 1000, 0, 2000],
    })
  })

  it('begin a run of durations where one differs, and of chunks where the number of samples differs', () => {
    const { stts, stsc } = tables(
      passOf(
        [
          [1, 5],
          [1, 5],
        ],
        [
          [1, 6],
          [1, 5],
        ],
        [[1, 5]],
        [[1, 5]],
      ),
    )
    expect(stts).toEqual([0, 3, 2, 5, 1, 6, 3, 5])
    expect(stsc).toEqual([0, 2, 1, 2, 1, 3, 1, 1])
  })

  it('have the numbers of the sync samples from 1 in stss when some sample is none', () => {
    const { stss } = tables(
      passOf(
        [
          [1, 5],
          [1, 5, 0, false],
        ],
        [
          [1, 5, 0, false],
          [1, 5],
        ],
      ),
    )
    expect(stss).toEqual([0, 2, 1, 4])
  })

  it('have runs of composition offsets in ctts, signed only when one is negative', () => {
    expect(
      tables(
        passOf([
          [1, 5, 0],
          [1, 5, 80],
          [1, 5, 80],
        ]),
      )['ctts'],
    ).toEqual([0, 2, 1, 0, 2, 80])
    expect(
      tables(
        passOf([
          [1, 5, 0],
          [1, 5, -80],
        ]),
      )['ctts'],
    ).toEqual([0x0100_0000, 2, 1, 0, 1, 0x1_0000_0000 - 80])
  })

  it('have offsets beyond 32 bits in co64', () => {
    const records = indexRecords(
      [
        {
          trackId: 1,
          decodeTime: 0,
          dataAt: 2 ** 32 + 7,
          samples: [{ size: 1, duration: 1, compositionOffset: 0, sync: true }],
        },
      ],
      new Set(),
    )
    expect(tables(() => [records])['co64']).toEqual([0, 1, 1, 7])
  })

  it('are complete when they are longer than a block', () => {
    const samples = Array.from({ length: 40_000 }, (_, index): Short => [
      index + 1,
      (index % 2) + 1,
      index,
      index % 2 === 0,
    ])
    const { stts, ctts, stss, stsz } = tables(passOf(samples))
    expect(stsz).toEqual([0, 0, 40_000, ...samples.map(([size]) => size)])
    expect(stts).toEqual([0, 40_000, ...samples.flatMap(([, duration]) => [1, duration])])
    expect(ctts).toEqual([0, 40_000, ...samples.flatMap((_, index) => [1, index])])
    expect(stss).toEqual([0, 20_000, ...samples.flatMap((_, index) => (index % 2 === 0 ? [index + 1] : []))])
  })
})

describe('movieOfIndex', () => {
  const video: MovieTrack = {
    id: 1,
    kind: 'video',
    timescale: 90_000,
    width: 1280 * 0x1_0000,
    height: 720 * 0x1_0000,
    description: box('stsd', Buffer.alloc(4)),
  }
  const audio: MovieTrack = { ...video, id: 2, kind: 'audio', timescale: 48_000, width: 0, height: 0 }
  const passAt = (videoStart: number, audioStart: number): IndexPass => {
    const one = { size: 1, compositionOffset: 0, sync: true }
    const records = indexRecords(
      [
        { trackId: 1, decodeTime: videoStart, dataAt: 48, samples: [{ ...one, duration: 90_001 }] },
        { trackId: 2, decodeTime: audioStart, dataAt: 49, samples: [{ ...one, duration: 24_000 }] },
      ],
      new Set(),
    )
    return () => [records]
  }
  const made = (pass: IndexPass, tracks = [video, audio]): { moov: Buffer; duration: number } => {
    const { moov, duration } = movieOfIndex(tracks, pass)
    const bytes = bytesOf(moov)
    expect(bytes).toHaveLength(moov.size)
    expect(bytes.readUInt32BE(0)).toBe(moov.size)
    return { moov: bytes.subarray(8), duration }
  }
  /** Contents of a box by its path; of the nth track. */
  const inside = (moov: Buffer, track: number, ...path: readonly string[]): Buffer | undefined => {
    const trak = children(moov).filter(({ type }) => type === 'trak')[track]!.contents
    return path.reduce<Buffer | undefined>(
      (contents, type) => contents && children(contents).find((one) => one.type === type)?.contents,
      trak,
    )
  }

  it('says the length of the longest track in ms, rounded up in the boxes and to the nearest for the caller', () => {
    const { moov, duration } = made(passAt(0, 0))
    expect(duration).toBe(1000)
    const mvhd = children(moov)[0]!.contents
    expect([mvhd[0], mvhd.readUInt32BE(20), Number(mvhd.readBigUInt64BE(24))]).toEqual([1, 1000, 1001])
    // The next track number, after the highest.
    expect(mvhd.readUInt32BE(mvhd.length - 4)).toBe(3)
    expect(made(passAt(0, 96_000)).duration).toBe(2500)
  })

  it('describes picture and sound: number, length, volume, group, size and unit of time', () => {
    const { moov } = made(passAt(0, 48_000))
    const heads = [0, 1].map((track) => {
      const tkhd = inside(moov, track, 'tkhd')!
      const mdhd = inside(moov, track, 'mdia', 'mdhd')!
      return {
        flags: tkhd.readUInt32BE(0),
        id: tkhd.readUInt32BE(20),
        length: Number(tkhd.readBigUInt64BE(28)),
        group: tkhd.readUInt16BE(46),
        volume: tkhd.readUInt16BE(48),
        size: [tkhd.readUInt32BE(tkhd.length - 8) / 0x1_0000, tkhd.readUInt32BE(tkhd.length - 4) / 0x1_0000],
        timescale: mdhd.readUInt32BE(20),
        duration: Number(mdhd.readBigUInt64BE(24)),
        language: mdhd.readUInt16BE(32),
        handler: inside(moov, track, 'mdia', 'hdlr')!.toString('latin1', 8, 12),
        name: inside(moov, track, 'mdia', 'hdlr')!.toString('latin1', 24),
        media: children(inside(moov, track, 'mdia', 'minf')!).map(({ type }) => type),
      }
    })
    expect(heads).toEqual([
      {
        flags: 0x0100_0007,
        id: 1,
        length: 1001,
        group: 0,
        volume: 0,
        size: [1280, 720],
        timescale: 90_000,
        duration: 90_001,
        language: 0x55c4,
        handler: 'vide',
        name: 'Video\0',
        media: ['vmhd', 'dinf', 'stbl'],
      },
      {
        flags: 0x0100_0007,
        id: 2,
        length: 1500,
        group: 1,
        volume: 0x100,
        size: [0, 0],
        timescale: 48_000,
        duration: 24_000,
        language: 0x55c4,
        handler: 'soun',
        name: 'Sound\0',
        media: ['smhd', 'dinf', 'stbl'],
      },
    ])
    expect(children(inside(moov, 0, 'mdia', 'minf', 'stbl')!).map(({ type }) => type)).toEqual([
      'stsd',
      'stts',
      'stsc',
      'stsz',
      'co64',
    ])
  })

  it('gives only a track that begins late an edit list: nothing for the pause, then all of its media', () => {
    const { moov } = made(passAt(0, 12_000))
    expect(inside(moov, 0, 'edts')).toBeUndefined()
    const elst = inside(moov, 1, 'edts', 'elst')!
    expect(numbers(elst)).toEqual(
      [
        [0x0100_0000, 2],
        [0, 250, 0xffff_ffff, 0xffff_ffff, 0x1_0000],
        [0, 500, 0, 0, 0x1_0000],
      ].flat(),
    )
    expect(readMovie(moov).map(({ pause }) => pause)).toEqual([0, 250])
  })

  it('is the same to the byte as ever, in each field that no other test names', () => {
    expect(hash('sha256', made(passAt(0, 12_000)).moov, 'hex')).toBe(
      '1bfb19bb258e0eb166926c6c9373eec7b6dc8f9e3ecd707b5d84b7447ba0403a',
    )
  })

  it('leaves out a track without samples', () => {
    const pass = passAt(0, 0)
    const records = [...pass()][0]!
    const alone = (): Iterable<Buffer> => [records.subarray(0, 48)]
    const { moov, duration } = made(alone)
    expect(readMovie(moov).map(({ track }) => track.id)).toEqual([1])
    expect(duration).toBe(1000)
    const mvhd = children(moov)[0]!.contents
    expect(mvhd.readUInt32BE(mvhd.length - 4)).toBe(2)
  })
})
