import { describe, expect, it } from 'vitest'
import { ascii, box, fullBox, u16, u32, u64 } from './mp4-boxes.ts'
import { fragment } from './mp4-fragment.ts'
import { children, fileBoxes, fragments, Mp4Fault, readBox, readMovie, type ReadFragment } from './mp4-reader.ts'
import { mp4Sample, picture, recorded, sound, sourceOf } from './testing/movies.ts'

const long = (size: number): Buffer => Buffer.concat([u32(1), ascii('mdat'), u64(size)])

describe('readBox', () => {
  it('reads a box with a 32-bit or a 64-bit size at any offset', () => {
    const source = sourceOf(Buffer.concat([Buffer.alloc(3), box('free', Buffer.alloc(5))]))
    expect(readBox(source, 3)).toEqual({ type: 'free', at: 3, from: 11, end: 16 })
    expect(readBox(sourceOf(long(2 ** 40)), 0)).toEqual({ type: 'mdat', at: 0, from: 16, end: 2 ** 40 })
    expect(readBox(sourceOf(long(16)), 0)).toEqual({ type: 'mdat', at: 0, from: 16, end: 16 })
    expect(readBox(sourceOf(box('free')), 0)).toEqual({ type: 'free', at: 0, from: 8, end: 8 })
  })

  it('reads none that is incomplete, shorter than its header, or beyond what a number can hold', () => {
    for (const bytes of [
      box('free').subarray(0, 7),
      u32(7, 0, 0, 0),
      u32(0, 0, 0, 0),
      long(15),
      long(16).subarray(0, 15),
      long(2 ** 53),
    ])
      expect(readBox(sourceOf(bytes), 0), bytes.toString('hex')).toBeUndefined()
  })
})

describe('fileBoxes', () => {
  it('gives the boxes in order, up to the first that is not complete', () => {
    const whole = Buffer.concat([box('ftyp'), box('free', Buffer.alloc(8)), box('moov', Buffer.alloc(4))])
    const types = (bytes: Buffer): string[] => [...fileBoxes(sourceOf(bytes))].map(({ type }) => type)
    expect(types(whole)).toEqual(['ftyp', 'free', 'moov'])
    expect(types(whole.subarray(0, -1))).toEqual(['ftyp', 'free'])
    expect(types(Buffer.concat([box('ftyp'), u32(3, 0), box('moov')]))).toEqual(['ftyp'])
  })
})

describe('children', () => {
  it('are the inner boxes, whole and without their headers', () => {
    const [one, two] = [box('aaaa', u32(5)), box('bbbb')]
    expect(children(Buffer.concat([one, two]))).toEqual([
      { type: 'aaaa', whole: one, contents: u32(5) },
      { type: 'bbbb', whole: two, contents: Buffer.alloc(0) },
    ])
  })

  it('are refused when one is cut short or shorter than its header', () => {
    for (const bytes of [box('aaaa', u32(5)).subarray(0, 11), u32(7, 0), Buffer.alloc(3), u32(0, 0)])
      expect(() => children(bytes), bytes.toString('hex')).toThrow(new Mp4Fault('a box is broken'))
  })
})

describe('readMovie', () => {
  interface Parts {
    readonly mvhd?: Buffer
    readonly tkhd?: Buffer
    readonly edts?: Buffer
    readonly mdhd?: Buffer
    readonly handler?: string
    readonly stsd?: Buffer
    readonly more?: readonly Buffer[]
  }
  const none = Buffer.alloc(0)
  /** Contents of a moov with one track, old boxes (version 0) unless replaced. */
  const movie = ({
    mvhd = fullBox('mvhd', 0, 0, u32(0, 0, 600, 0)),
    tkhd = fullBox('tkhd', 0, 7, u32(0, 0, 4), u32(320 * 0x1_0000, 180 * 0x1_0000)),
    edts = none,
    mdhd = fullBox('mdhd', 0, 0, u32(0, 0, 30_000, 0)),
    handler = 'vide',
    stsd = box('stsd', Buffer.from('description')),
    more = [],
  }: Parts = {}): Buffer => {
    const hdlr = fullBox('hdlr', 0, 0, u32(0), ascii(handler), u32(0, 0, 0))
    const minf = box('minf', box('stbl', stsd, ...more))
    return Buffer.concat([mvhd, box('trak', tkhd, edts, box('mdia', mdhd, hdlr, minf))])
  }

  it('reads a track of boxes of version 0 and of version 1', () => {
    const track = {
      id: 4,
      kind: 'video',
      timescale: 30_000,
      width: 320 * 0x1_0000,
      height: 180 * 0x1_0000,
      description: box('stsd', Buffer.from('description')),
    }
    expect(readMovie(movie())).toEqual([{ track, pause: 0, tables: {}, offsetVersion: 0 }])
    const wide = movie({
      mvhd: fullBox('mvhd', 1, 0, u64(0), u64(0), u32(600), u64(0)),
      tkhd: fullBox('tkhd', 1, 7, u64(0), u64(0), u32(4), u32(320 * 0x1_0000, 180 * 0x1_0000)),
      mdhd: fullBox('mdhd', 1, 0, u64(0), u64(0), u32(30_000), u64(0)),
    })
    expect(readMovie(wide)).toEqual([{ track, pause: 0, tables: {}, offsetVersion: 0 }])
    expect(readMovie(movie({ handler: 'soun' }))[0]!.track.kind).toBe('audio')
  })

  it('has the tables without their version and flags, and the version of the composition offsets', () => {
    const names = ['stts', 'ctts', 'stss', 'stsc', 'stsz', 'stco', 'co64']
    const more = names.map((name, index) => fullBox(name, name === 'ctts' ? 1 : 0, 0, u32(index)))
    const [{ tables, offsetVersion } = { tables: {}, offsetVersion: -1 }] = readMovie(
      movie({ more: [...more, box('sgpd', u32(1))] }),
    )
    expect(tables).toEqual(Object.fromEntries(names.map((name, index) => [name, u32(index)])))
    expect(offsetVersion).toBe(1)
  })

  it('reads the tracks in their order', () => {
    const { finished, open } = recorded(
      [picture(), sound()],
      [
        [
          { trackId: 1, samples: [mp4Sample()] },
          { trackId: 2, samples: [mp4Sample({ duration: 1024 })] },
        ],
      ],
    )
    expect(readMovie(finished.subarray(open.length + 8)).map(({ track }) => [track.id, track.kind])).toEqual([
      [1, 'video'],
      [2, 'audio'],
    ])
  })

  it.each<[string, () => Buffer, string]>([
    ['without mvhd', () => movie({ mvhd: none }), 'the box mvhd is missing'],
    ['whose track has no tkhd', () => movie({ tkhd: none }), 'the box tkhd is missing'],
    ['whose track has no mdhd', () => movie({ mdhd: none }), 'the box mdhd is missing'],
    ['whose track has no stsd', () => movie({ stsd: none }), 'the box stsd is missing'],
    ['with a track of text', () => movie({ handler: 'text' }), 'a track is neither picture nor sound'],
    ['with a timescale of 0', () => movie({ mdhd: fullBox('mdhd', 0, 0, u32(0, 0, 0, 0)) }), 'a timescale is 0'],
    [
      'whose mvhd is cut short',
      () => movie({ mvhd: fullBox('mvhd', 0, 0, u32(0)) }),
      'a box of the movie is cut short',
    ],
    ['whose tkhd is empty', () => movie({ tkhd: box('tkhd') }), 'a box of the movie is cut short'],
    ['with a broken box', () => Buffer.concat([movie(), u32(5)]), 'a box is broken'],
  ])('refuses a movie %s', (_, moov, fault) => {
    expect(() => readMovie(moov())).toThrow(new Mp4Fault(fault))
  })

  const elst = (version: 0 | 1, ...edits: readonly (readonly [duration: number, media: number])[]): Buffer =>
    box(
      'edts',
      fullBox(
        'elst',
        version,
        0,
        u32(edits.length),
        ...edits.map(([duration, media]) =>
          version === 1
            ? Buffer.concat([u64(duration), media < 0 ? u32(0xffff_ffff, 0xffff_ffff) : u64(media), u16(1, 0)])
            : Buffer.concat([u32(duration, media >>> 0), u16(1, 0)]),
        ),
      ),
    )

  it.each<[string, Buffer, number]>([
    ['an empty edit of version 0', elst(0, [300, -1], [600, 0]), 500],
    ['an empty edit of version 1', elst(1, [300, -1], [600, 0]), 500],
    ['only the whole media', elst(1, [600, 0]), 0],
    ['no edits', elst(0), 0],
  ])('has the pause before a track in ms of the movie: %s', (_, edts, pause) => {
    expect(readMovie(movie({ edts }))[0]!.pause).toBe(pause)
  })

  it.each<[string, Buffer, object[]]>([
    ['a cut at the begin', elst(1, [600, 90]), [{ at: 0, from: 90, length: 1000 }]],
    [
      'a pause before a cut, and another between two',
      elst(1, [300, -1], [600, 90], [60, -1], [300, 900]),
      [
        { at: 500, from: 90, length: 1000 },
        { at: 1600, from: 900, length: 500 },
      ],
    ],
  ])('has what is played of a clip: %s', (_, edts, edits) => {
    expect(readMovie(movie({ edts }))[0]!.edits).toEqual(edits)
  })

  it.each<[string, Buffer]>([
    ['the media from its begin again', elst(1, [600, 0], [300, -1], [600, 0])],
    ['the media twice', elst(0, [600, 0], [600, 0])],
  ])('refuses edits that go back in the media: %s', (_, edts) => {
    expect(() => readMovie(movie({ edts }))).toThrow(new Mp4Fault('edits that go back in the media'))
  })

  it('refuses a box of edits without a list', () => {
    expect(() => readMovie(movie({ edts: box('edts') }))).toThrow(new Mp4Fault('the box elst is missing'))
  })
})

describe('fragments', () => {
  const parts = [
    [
      {
        trackId: 1,
        samples: [
          mp4Sample({ decodeTime: 2 ** 33, compositionOffset: 80 }),
          mp4Sample({
            data: Buffer.from('de'),
            decodeTime: 2 ** 33 + 3000,
            duration: 6000,
            compositionOffset: -40,
            sync: false,
          }),
        ],
      },
      { trackId: 2, samples: [mp4Sample({ data: Buffer.from('sound'), decodeTime: 7, duration: 1024 })] },
    ],
    [{ trackId: 2, samples: [mp4Sample({ data: Buffer.from('f'), decodeTime: 1031, duration: 1024 })] }],
  ]
  const { open, headLength } = recorded([picture(), sound()], parts)
  const all = (bytes: Buffer, from = headLength): ReadFragment[] => [...fragments(sourceOf(bytes), from)]

  it('have the runs with their times, sizes, offsets, sync samples and the place of their data', () => {
    const found = all(open)
    const secondAt = found[0]!.end
    expect(found).toEqual([
      {
        runs: [
          {
            trackId: 1,
            decodeTime: 2 ** 33,
            dataAt: open.indexOf('abc', headLength),
            samples: [
              { duration: 3000, size: 3, sync: true, compositionOffset: 80 },
              { duration: 6000, size: 2, sync: false, compositionOffset: -40 },
            ],
          },
          {
            trackId: 2,
            decodeTime: 7,
            dataAt: open.indexOf('sound', headLength),
            samples: [{ duration: 1024, size: 5, sync: true, compositionOffset: 0 }],
          },
        ],
        end: open.indexOf('sound', headLength) + 5,
      },
      {
        runs: [
          {
            trackId: 2,
            decodeTime: 1031,
            dataAt: open.length - 1,
            samples: [{ duration: 1024, size: 1, sync: true, compositionOffset: 0 }],
          },
        ],
        end: open.length,
      },
    ])
    expect(all(open, secondAt)).toEqual(found.slice(1))
  })

  it('end before the first that is incomplete', () => {
    const [first] = all(open)
    for (let length = first!.end; length < open.length; length++)
      expect(all(open.subarray(0, length)), String(length)).toEqual([first])
    expect(all(open.subarray(0, first!.end - 1))).toEqual([])
  })

  it('end before one that is not ours: other flags, an old time, another box', () => {
    const first = all(open).slice(0, 1)
    const second = first[0]!.end
    const changed = (name: string, more: number, value: number): ReadFragment[] => {
      const copy = Buffer.from(open)
      copy[copy.indexOf(name, second, 'latin1') + more] = value
      return all(copy)
    }
    // Flags of trun: 0x701, and 0x800 when there are composition offsets.
    expect(changed('trun', 6, 0x03)).toEqual(first)
    expect(changed('trun', 7, 0x05)).toEqual(first)
    expect(changed('tfdt', 4, 0)).toEqual(first)
    expect(changed('moof', 0, 0x58)).toEqual(first)
    expect(changed('mdat', 0, 0x58)).toEqual(first)
    expect(changed('tfhd', 0, 0x58)).toEqual(first)
    // More samples than its table has.
    expect(changed('trun', 11, 2)).toEqual(first)
    expect(changed('mfhd', 7, 9)).toHaveLength(2)
  })

  it('end before one whose description is longer than 4 MiB', () => {
    const whole = fragment(1, [{ trackId: 1, samples: [mp4Sample()] }])
    const moof = whole.subarray(8, whole.readUInt32BE(0))
    const sized = (length: number): Buffer =>
      Buffer.concat([
        box('moof', moof, box('free', Buffer.alloc(length - 16 - moof.length))),
        whole.subarray(moof.length + 8),
      ])
    const most = 4 * 1024 * 1024
    expect(all(sized(most), 0)).toHaveLength(1)
    expect(all(sized(most + 1), 0)).toEqual([])
  })
})
