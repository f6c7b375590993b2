import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { initSegment, movieBox, type Mp4Track } from './mp4-init.ts'
import { children, fileBoxes, readMovie } from './mp4-reader.ts'
import { picture, sound, sourceOf } from './testing/movies.ts'

const inside = (track: Mp4Track, ...path: readonly string[]): Buffer =>
  path.reduce(
    (contents, type) => children(contents).find((one) => one.type === type)!.contents,
    movieBox([track]).subarray(8),
  )
/** The first sample entry: its type and contents. */
const entry = (track: Mp4Track): { readonly type: string; readonly contents: Buffer } =>
  children(inside(track, 'trak', 'mdia', 'minf', 'stbl', 'stsd').subarray(8))[0]!

describe('initSegment', () => {
  it('is ftyp and moov, with the tracks in order and a trex for each', () => {
    const bytes = initSegment([picture(), sound()])
    expect(bytes.toString('latin1', 4, 32)).toBe('ftypiso6\0\0\u0002\0iso6cmfcavc1mp41')
    expect([...fileBoxes(sourceOf(bytes))].map(({ type, end }) => [type, end])).toEqual([
      ['ftyp', 32],
      ['moov', bytes.length],
    ])
    const moov = children(bytes.subarray(40))
    expect(moov.map(({ type }) => type)).toEqual(['mvhd', 'trak', 'trak', 'mvex'])
    const trex = children(moov[3]!.contents)
    expect(trex.map(({ type, contents }) => [type, contents.toString('hex')])).toEqual([
      ['trex', '000000000000000100000001000000000000000000000000'],
      ['trex', '000000000000000200000001000000000000000000000000'],
    ])
    expect(readMovie(bytes.subarray(40)).map(({ track, pause }) => [{ ...track, description: '' }, pause])).toEqual([
      [
        {
          id: 1,
          kind: 'video',
          timescale: 90_000,
          width: 1280 * 0x1_0000,
          height: 720 * 0x1_0000,
          description: '',
        },
        0,
      ],
      [{ id: 2, kind: 'audio', timescale: 48_000, width: 0, height: 0, description: '' }, 0],
    ])
  })

  it('has a movie without a duration, in ms, whose next track follows the highest', () => {
    const mvhd = inside(sound({ id: 5 }), 'mvhd')
    expect(mvhd[0]).toBe(0)
    expect([mvhd.readUInt32BE(12), mvhd.readUInt32BE(16), mvhd.readUInt32BE(mvhd.length - 4)]).toEqual([1000, 0, 6])
  })

  it('says of sound its volume and group, and of picture none', () => {
    const shown = (track: Mp4Track): number[] => {
      const tkhd = inside(track, 'trak', 'tkhd')
      return [tkhd.readUInt32BE(0), tkhd.readUInt16BE(34), tkhd.readUInt16BE(36)]
    }
    expect(shown(picture())).toEqual([7, 0, 0])
    expect(shown(sound())).toEqual([7, 1, 0x100])
  })

  it('describes H.264 with its size and its whole configuration', () => {
    const { type, contents } = entry(picture({ width: 638, height: 358 }))
    expect([type, contents.readUInt16BE(6), contents.readUInt16BE(24), contents.readUInt16BE(26)]).toEqual([
      'avc1',
      1,
      638,
      358,
    ])
    expect(children(contents.subarray(78)).map(({ type: inner, contents: data }) => [inner, data.toString()])).toEqual([
      ['avcC', 'avc configuration'],
    ])
  })

  it('describes AAC with channels, rate and its configuration in an esds of exact lengths', () => {
    const { type, contents } = entry(sound({ channels: 6 }))
    expect([type, contents.readUInt16BE(6), contents.readUInt16BE(16), contents.readUInt16BE(18)]).toEqual([
      'mp4a',
      1,
      6,
      16,
    ])
    expect(contents.readUInt32BE(24)).toBe(48_000 * 0x1_0000)
    const esds = children(contents.subarray(28))[0]!
    expect(esds.type).toBe('esds')
    expect(esds.contents.toString('hex')).toBe(
      ['00000000', '0319000000', '04114015000000', '0000000000000000', '05021190', '060102'].join(''),
    )
  })

  it('leaves the rate of more than 65,535 Hz to the configuration', () => {
    expect(entry(sound({ timescale: 96_000 })).contents.readUInt32BE(24)).toBe(0)
    expect(entry(sound({ timescale: 65_535 })).contents.readUInt32BE(24)).toBe(65_535 * 0x1_0000)
    expect(inside(sound({ timescale: 96_000 }), 'trak', 'mdia', 'mdhd').readUInt32BE(20)).toBe(96_000)
  })

  it('has at most 64 bytes of an audio configuration', () => {
    const { contents } = entry(sound({ configuration: Buffer.alloc(70, 9) }))
    const esds = children(contents.subarray(28))[0]!.contents
    const at = esds.indexOf(Buffer.from([5, 64, 9]))
    expect(esds.subarray(at + 2, -3)).toEqual(Buffer.alloc(64, 9))
  })
  it('is the same to the byte as ever, in each field that no other test names', () => {
    expect(hash('sha256', movieBox([picture(), sound()]), 'hex')).toBe(
      'd806903b85a5d134a1bbfaeb44ded1637808b7bbf5ed14ed743c11c671ca8d49',
    )
  })
})
