import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeFaults, encodeFixture, requireEncoder, fixturePackets, probePackets } from '../hub/testing/fixture.ts'
import { readAacConfiguration } from './aac.ts'
import { readAvcConfiguration } from './avc.ts'
import { fragment, fragmentParts, type Mp4Sample } from './mp4-fragment.ts'
import { initSegment, type Mp4Track } from './mp4-init.ts'
import { createAudioTimeline, createVideoTimeline, videoTimescale } from './mp4-timeline.ts'

await requireEncoder()
const run = promisify(execFile)
const sample = (over: Partial<Mp4Sample> = {}): Mp4Sample => ({
  data: Buffer.from('abc'),
  decodeTime: 0,
  duration: 1,
  compositionOffset: 0,
  sync: true,
  ...over,
})

/** Remuxes an FLV file with a fragment every `every` ms, regardless of key frames, as a recorder does. */
function remux(path: string, every: number): Buffer {
  const packets = fixturePackets(path)
  const record = (kind: string, skip: number): Buffer | undefined =>
    packets.find((packet) => packet.kind === kind && packet.configuration)?.body.subarray(skip)
  const avcC = record('video', 5)
  const asc = record('audio', 2)
  const tracks: Mp4Track[] = []
  if (avcC) {
    const { width, height } = readAvcConfiguration(avcC)!
    tracks.push({ kind: 'video', id: 1, timescale: videoTimescale, width, height, configuration: avcC })
  }
  const aac = asc && readAacConfiguration(asc)
  if (asc && aac)
    tracks.push({ kind: 'audio', id: 2, timescale: aac.sampleRate, channels: aac.channels ?? 2, configuration: asc })
  const video = createVideoTimeline()
  const audio = createAudioTimeline(aac?.sampleRate ?? 48_000)
  const parts = [initSegment(tracks)]
  let pictures: Mp4Sample[] = []
  let sounds: Mp4Sample[] = []
  let sequence = 1
  let begun = 0
  const flush = (): void => {
    parts.push(
      fragment(sequence++, [
        { trackId: 1, samples: pictures },
        { trackId: 2, samples: sounds },
      ]),
    )
    pictures = []
    sounds = []
  }
  for (const { kind, body, timestamp, keyFrame, configuration } of packets) {
    if (configuration || kind === 'data' || body[1] !== 1) continue
    if (timestamp - begun >= every) {
      flush()
      begun = timestamp
    }
    const done =
      kind === 'video'
        ? video.push(body.subarray(5), timestamp, { offset: body.readIntBE(2, 3), sync: keyFrame })
        : audio.push(body.subarray(2), timestamp)
    if (done) (kind === 'video' ? pictures : sounds).push(done)
  }
  for (const [list, last] of [
    [pictures, video.flush()],
    [sounds, audio.flush()],
  ] as const)
    if (last) list.push(last)
  flush()
  return Buffer.concat(parts)
}

describe('fragment', () => {
  it('writes styp only when asked, and says where the data begins', () => {
    const plain = fragment(7, [{ trackId: 1, samples: [sample()] }])
    expect(plain.toString('latin1', 4, 8)).toBe('moof')
    const withType = fragment(7, [{ trackId: 1, samples: [sample()] }], { styp: true })
    expect(withType.toString('latin1', 4, 8)).toBe('styp')
    expect(withType.subarray(withType.readUInt32BE(0))).toEqual(plain)
    const at = plain.indexOf('trun', 0, 'latin1') + 4
    const offset = plain.readInt32BE(at + 8)
    expect(plain.toString('latin1', offset, offset + 3)).toBe('abc')
    expect(plain.readUInt32BE(plain.indexOf('mfhd', 0, 'latin1') + 8)).toBe(7)
  })

  it('leaves out runs without samples', () => {
    const bytes = fragment(1, [
      { trackId: 1, samples: [] },
      { trackId: 2, samples: [sample()] },
    ])
    expect(bytes.toString('latin1').split('traf')).toHaveLength(2)
  })

  it('signs composition offsets only where one is negative', () => {
    const version = (offset: number): number => {
      const bytes = fragment(1, [{ trackId: 1, samples: [sample(), sample({ compositionOffset: offset })] }])
      return bytes[bytes.indexOf('trun', 0, 'latin1') + 4]!
    }
    expect(version(100)).toBe(0)
    expect(version(-100)).toBe(1)
  })

  it('writes decode times beyond 32 bits and clamps an absurd duration', () => {
    const bytes = fragment(1, [{ trackId: 1, samples: [sample({ decodeTime: 2 ** 40 + 5, duration: 2 ** 40 })] }])
    expect(bytes.readBigUInt64BE(bytes.indexOf('tfdt', 0, 'latin1') + 8)).toBe(BigInt(2 ** 40 + 5))
    expect(bytes.readUInt32BE(bytes.indexOf('trun', 0, 'latin1') + 16)).toBe(0xffff_ffff)
  })
})

describe('a fragment of two tracks', () => {
  const first = sample({ decodeTime: 9, duration: 5, sync: true })
  const second = sample({ data: Buffer.from('de'), duration: 6, compositionOffset: 80, sync: false })
  const third = sample({ data: Buffer.from('f'), decodeTime: 7, duration: 1024 })
  const runs = [
    { trackId: 1, samples: [first, second] },
    { trackId: 2, samples: [third] },
  ]
  /** 32-bit numbers after the type of the box. */
  const after = (bytes: Buffer, type: string, count: number, from = 0): number[] => {
    const at = bytes.indexOf(type, from, 'latin1') + 4
    return Array.from({ length: count }, (_, index) => bytes.readUInt32BE(at + index * 4))
  }

  it('has for each sample its duration, size, kind, and where needed its composition offset', () => {
    const bytes = fragment(1, runs)
    const data = bytes.indexOf('abcdef', 0, 'latin1')
    expect(after(bytes, 'trun', 11)).toEqual(
      [
        [0x0f01, 2, data],
        [5, 3, 0x0200_0000, 0],
        [6, 2, 0x0101_0000, 80],
      ].flat(),
    )
    expect(after(bytes, 'trun', 6, bytes.indexOf('trun', 0, 'latin1') + 4)).toEqual(
      [
        [0x0701, 1, data + 5],
        [1024, 1, 0x0200_0000],
      ].flat(),
    )
  })

  it('has for each track its number, places from the begin of the fragment, and the time of its first sample', () => {
    const bytes = fragment(1, runs)
    const later = bytes.indexOf('tfhd', 0, 'latin1') + 4
    expect([after(bytes, 'tfhd', 2), after(bytes, 'tfdt', 3)]).toEqual([
      [0x0002_0000, 1],
      [0x0100_0000, 0, 9],
    ])
    expect([after(bytes, 'tfhd', 2, later), after(bytes, 'tfdt', 3, bytes.indexOf('tfdt', 0, 'latin1') + 4)]).toEqual([
      [0x0002_0000, 2],
      [0x0100_0000, 0, 7],
    ])
  })

  it('is the same to the byte as ever, in each field that no other test names', () => {
    expect(fragment(1, runs, { styp: true }).toString('latin1', 4, 24)).toBe('stypmsdh\0\0\0\0msdhmsix')
    expect(hash('sha256', fragment(1, runs, { styp: true }), 'hex')).toBe(
      'acd388f590b9cf07b107bd68aa5252f507551dc2d9a08fc843b11b358a17d1ea',
    )
  })

  it('can be had as its head and its data, which are not copied', () => {
    const { head, data, runs: kept } = fragmentParts(1, [{ trackId: 3, samples: [] }, ...runs])
    expect(kept).toEqual(runs)
    expect(data.map((bytes, index) => bytes === [first, second, third][index]!.data)).toEqual([true, true, true])
    expect(Buffer.concat([head, ...data])).toEqual(fragment(1, runs))
    expect(head.subarray(-8).toString('hex')).toBe('0000000e6d646174')
  })
})

describe('a movie in fragments', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sidestage-mp4-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    ['B-frames, 44.1 kHz', { duration: 8, bFrames: 3, gop: 100 }],
    ['no B-frames, 48 kHz', { duration: 6, bFrames: 0, sampleRate: 48_000 }],
    ['picture only', { duration: 4, audio: false }],
    ['sound only', { duration: 4, video: false }],
  ] as const)('keeps every packet at its time: %s', async (name, options) => {
    const source = await encodeFixture(folder, name.replaceAll(/\W/g, ''), options)
    const path = `${source}.mp4`
    writeFileSync(path, remux(source, 500))
    const [expected, found] = await Promise.all([probePackets(source), probePackets(path)])
    for (const kind of ['video', 'audio'] as const) {
      const before = expected.filter(({ codec_type }) => codec_type === kind)
      const after = found.filter(({ codec_type }) => codec_type === kind)
      expect(after).toHaveLength(before.length)
      // FLV has whole milliseconds.
      after.forEach((packet, index) => {
        expect(Math.abs(Number(packet.pts_time) - Number(before[index]!.pts_time))).toBeLessThanOrEqual(0.0015)
        expect(packet.flags.includes('K')).toBe(before[index]!.flags.includes('K'))
      })
    }
    expect(await decodeFaults(path)).toBe('')
    const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path])
    expect(Math.abs(Number(stdout) - options.duration)).toBeLessThan(0.15)
  })
})
