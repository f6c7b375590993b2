import { describe, expect, it } from 'vitest'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import { initSegment } from '../media/mp4-init.ts'
import { children, fragments } from '../media/mp4-reader.ts'
import { sourceOf } from '../media/testing/movies.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { configured, mp4Tracks, type SliceTracks } from '../timeline/tracks.ts'
import { HlsRun, maxSegmentBytes, type HlsClock, type HlsSegment } from './hls-delivery-run.ts'

const video = configured({}, videoConfiguration)
const audio = configured({}, audioConfiguration)
const both = configured(video, audioConfiguration)
/** Wall clock of time 0. */
const base = 1_700_000_000_000
const picture = (at: number, key = false, body?: Buffer): MediaPacket => ({
  ...videoFrame(at, key, base + at),
  ...(body && { body }),
})
const sound = (at: number, body: Buffer = Buffer.from('af0121', 'hex')): MediaPacket => ({
  ...audioConfiguration,
  body,
  timestamp: at,
  arrived: base + at,
  configuration: false,
})
/** Pictures with a key frame every `gop` ms, up to and with `until`. */
function pictures(gop: number, until: number, step = 40): MediaPacket[] {
  const all: MediaPacket[] = []
  for (let begin = 0; begin <= until; begin += gop)
    for (let at = begin; at < begin + gop && at <= until; at += step) all.push(picture(at, at === begin))
  return all
}
/** Sound of 48 kHz in whole ms, as a publisher sends it. */
const sounds = (until: number): MediaPacket[] =>
  Array.from({ length: Math.floor((until * 48) / 1024) + 1 }, (_, index) => sound(Math.round((index * 1024) / 48)))
const fresh = (over: Partial<HlsClock> = {}): HlsClock => ({
  targetDuration: undefined,
  position: 0,
  date: 0,
  fragment: 1,
  ...over,
})

/** A run over packets, with what it gave. */
function made(tracks: SliceTracks, packets: readonly MediaPacket[], clock = fresh()) {
  const segments: HlsSegment[] = []
  const lost: string[] = []
  const run = new HlsRun(tracks, packets[0]!, clock, {
    segment: (segment) => segments.push(segment),
    leftOut: (loss) => lost.push(loss),
  })
  const taken = packets.map((packet) => run.packet(packet))
  return {
    run,
    clock,
    segments,
    lost,
    taken,
    durations: () => segments.map(({ duration }) => duration),
    independent: () => segments.map(({ independent }) => independent),
    /** Dates after `base`. */
    dates: () => segments.map(({ programDateTime }) => programDateTime - base),
  }
}
/** Runs of a segment: track, decode time, samples. */
const contents = ({ data }: HlsSegment): [number, number, number][] => {
  const bytes = data()
  return [...fragments(sourceOf(bytes), bytes.readUInt32BE(0))].flatMap(({ runs }) =>
    runs.map(({ trackId, decodeTime, samples }): [number, number, number] => [trackId, decodeTime, samples.length]),
  )
}

describe('the map of a run', () => {
  it.each([
    ['picture and sound', both, 'avc1.64001f,mp4a.40.2'],
    ['picture', video, 'avc1.64001f'],
    ['sound', audio, 'mp4a.40.2'],
  ])('has the codecs and the initialization of %s', (_, tracks, codecs) => {
    const { map } = made(tracks, [picture(0, true)]).run
    expect(map).toEqual({ codecs, data: initSegment(mp4Tracks(tracks)) })
  })
})

describe('a run of pictures', () => {
  it.each([
    [500, 40, 2, 2000],
    [1000, 40, 2, 2000],
    [2000, 40, 2, 2000],
    [2020, 20, 2, 2020],
    [2021, 43, 3, 2021],
    [4000, 40, 4, 4000],
    [20_000, 500, 20, 20_000],
  ])(
    'of GOPs of %d ms, a picture every %d ms, has a target of %d s and segments of %d ms',
    (gop, step, target, length) => {
      const { clock, durations, independent } = made(video, pictures(gop, 3 * length, step))
      expect(clock.targetDuration).toBe(target)
      expect(durations()).toEqual([length, length, length])
      expect(independent()).toEqual([true, true, true])
    },
  )

  it.each([
    [750, 30, 2250],
    [533, 33, 2132],
    [1125, 45, 2250],
  ])(
    'joins GOPs of %d ms, a picture every %d ms, to segments of %d ms that end with a key frame',
    (gop, step, length) => {
      const { clock, durations, independent } = made(video, pictures(gop, 3 * length, step))
      expect(clock.targetDuration).toBe(2)
      expect(durations()).toEqual([length, length, length])
      expect(independent()).toEqual([true, true, true])
    },
  )

  it('does not join GOPs that would exceed the target by more than 250 ms', () => {
    const { durations, independent } = made(video, pictures(1126, 3 * 1126, 40))
    expect([durations(), independent()]).toEqual([
      [1126, 1126, 1126],
      [true, true, true],
    ])
  })

  it('waits for no key frame that is later than the one before it promised', () => {
    const late = pictures(750, 3000, 30).map((packet) =>
      packet.timestamp > 1500 ? { ...packet, keyFrame: false } : packet,
    )
    const { durations, independent } = made(video, late)
    expect(durations()).toEqual([2250])
    expect(independent()).toEqual([true])
    expect(made(video, pictures(3000, 6000), fresh({ targetDuration: 2 })).durations()).toEqual([
      2000, 1000, 2000, 1000,
    ])
  })

  it('is cut after 20 s of a longer first GOP, then without a key frame and at the next one', () => {
    const { clock, durations, independent } = made(video, pictures(25_000, 45_000, 500))
    expect(clock.targetDuration).toBe(20)
    expect(durations()).toEqual([20_000, 5000, 20_000])
    expect(independent()).toEqual([true, false, true])
  })

  it('is cut at a target that is fixed before, whatever its own GOPs are', () => {
    const clock = fresh({ targetDuration: 3 })
    const { durations, independent } = made(video, pictures(4000, 8000), clock)
    expect(durations()).toEqual([3000, 1000, 3000, 1000])
    expect(independent()).toEqual([true, false, true, false])
    expect(clock.targetDuration).toBe(3)
  })

  it('has every picture in its segment: the key frame that cuts is the first of the next', () => {
    const { segments, run } = made(video, pictures(2000, 4080))
    run.close()
    expect(segments.map(contents)).toEqual([[[1, 0, 50]], [[1, 180_000, 50]], [[1, 360_000, 3]]])
    expect(segments.map(({ data }) => data().toString('latin1', 4, 8))).toEqual(['styp', 'styp', 'styp'])
    const sequence = ({ data }: HlsSegment): number => {
      const bytes = data()
      const moof = children(bytes).find(({ type }) => type === 'moof')!.contents
      return children(moof)[0]!.contents.readUInt32BE(4)
    }
    expect(segments.map(sequence)).toEqual([1, 2, 3])
  })

  it('keeps the composition time of each picture, before and after its decoding, and which are key frames', () => {
    const offset = (at: number, hex: string, key = false): MediaPacket =>
      picture(at, key, Buffer.from(`${key ? '17' : '27'}01${hex}${'65'.repeat(8)}`, 'hex'))
    const [segment] = made(video, [
      offset(0, '000050', true),
      offset(40, 'ffffd8'),
      offset(80, '010000'),
      picture(2000, true),
    ]).segments
    const bytes = segment!.data()
    const [{ runs } = { runs: [] }] = fragments(sourceOf(bytes), bytes.readUInt32BE(0))
    expect(runs[0]!.samples).toEqual([
      { duration: 3600, size: 8, sync: true, compositionOffset: 7200 },
      { duration: 3600, size: 8, sync: false, compositionOffset: -3600 },
      { duration: 172_800, size: 8, sync: false, compositionOffset: 65_536 * 90 },
    ])
  })

  it('closes with the rest as a segment, and tells the clock where it ended', () => {
    const { run, clock, durations } = made(video, pictures(2000, 2400))
    run.close()
    expect([durations(), clock.position, clock.fragment]).toEqual([[2000, 440], 2440, 3])
    run.close()
    expect(durations()).toHaveLength(2)
  })

  it('goes on where the run before it ended, whatever the timestamps of the publisher', () => {
    const clock = fresh({ position: 10_000, targetDuration: 2, fragment: 6 })
    const moved = pictures(2000, 2000).map((packet) => ({ ...packet, timestamp: packet.timestamp + 777_000 }))
    const { segments, durations } = made(video, moved, clock)
    expect(durations()).toEqual([2000])
    expect(contents(segments[0]!)).toEqual([[1, 900_000, 50]])
  })

  it('ends, untaken, at a picture more than 490 ms beyond the target of what one picture can fill', () => {
    const at = (last: number) =>
      made(video, [picture(0, true), picture(1900), picture(last)], fresh({ targetDuration: 2 }))
    const within = at(1900 + 2490)
    expect([within.taken, within.durations()]).toEqual([
      [true, true, true],
      [1900, 2490],
    ])
    const beyond = at(1900 + 2491)
    // The picture before the gap is as long as the one before it.
    expect([beyond.taken, beyond.durations(), beyond.clock.position]).toEqual([[true, true, false], [1900, 1900], 3800])
  })

  it('has no limit but 20.49 s before its first segment', () => {
    const at = (last: number) => made(video, [picture(0, true), picture(last)])
    expect([at(20_490).taken, at(20_490).durations()]).toEqual([[true, true], [20_490]])
    expect(at(20_491).taken).toEqual([true, false])
  })

  it('takes no sound, and one of sound no pictures', () => {
    const one = made(video, [...pictures(2000, 2000), sound(2000)])
    one.run.close()
    expect(one.segments.flatMap(contents).map(([track]) => track)).toEqual([1, 1])
    const other = made(audio, [sound(0), picture(0, true), picture(40)])
    other.run.close()
    expect([other.taken, other.segments.flatMap(contents)]).toEqual([[true, true, true], [[2, 0, 1]]])
  })
})

describe('a run of sound', () => {
  it('has independent segments of as many frames as fit in 2 s', () => {
    const { clock, durations, independent, segments } = made(audio, sounds(6000))
    expect(clock.targetDuration).toBe(2)
    expect(durations()).toEqual([1984, 1984, 1984])
    expect(independent()).toEqual([true, true, true])
    expect(segments.map(contents)).toEqual([[[2, 0, 93]], [[2, 93 * 1024, 93]], [[2, 186 * 1024, 93]]])
  })

  it('ends, untaken, at a gap beyond its limit', () => {
    const packets = (gap: number): MediaPacket[] => [...sounds(2000), sound(1984 + gap)]
    expect(made(audio, packets(2490)).taken.at(-1)).toBe(true)
    const { taken, durations, clock } = made(audio, packets(2491))
    expect(taken.at(-1)).toBe(false)
    expect([durations(), clock.position]).toEqual([[1984, 21], 2005])
  })

  it('reports sound that exceeds its time', () => {
    const { lost, run, segments } = made(audio, [
      sound(1000),
      sound(1000),
      ...Array.from({ length: 20 }, () => sound(1000)),
    ])
    expect(lost.length).toBeGreaterThan(5)
    expect(new Set(lost)).toEqual(new Set(['sound']))
    run.close()
    expect(segments.flatMap(contents)[0]![2]).toBe(22 - lost.length)
  })
})

describe('a run of picture and sound', () => {
  it('cuts sound with the pictures, at the frame that begins at the cut or after it', () => {
    // Sound is 200 ms ahead.
    const order = ({ kind, timestamp }: MediaPacket): number => timestamp - (kind === 'audio' ? 200 : 0)
    const packets = [...pictures(2000, 4000), ...sounds(4000)].sort((a, b) => order(a) - order(b))
    const { segments, run } = made(both, packets)
    run.close()
    const first = Math.ceil((2000 * 48) / 1024)
    expect(segments.slice(0, 2).map((segment) => contents(segment)[1])).toEqual([
      [2, 0, first],
      [2, first * 1024, expect.any(Number)],
    ])
    const counts = segments.flatMap(contents).filter(([track]) => track === 2)
    expect(counts.reduce((sum, [, , count]) => sum + count, 0)).toBe(sounds(4000).length)
  })

  it('leaves out sound from before its first picture without a report', () => {
    const { segments, lost, run, taken } = made(both, [
      picture(5000, true),
      sound(4999),
      sound(5000),
      picture(5040),
      sound(5021),
    ])
    run.close()
    expect([taken.every(Boolean), lost, segments.flatMap(contents)]).toEqual([
      true,
      [],
      [
        [1, 0, 2],
        [2, 0, 2],
      ],
    ])
  })

  it('is cut at the target when the picture stalls for 2 s beyond the limit, and at its end as often as needed', () => {
    const clock = fresh({ targetDuration: 2 })
    const stalled = made(both, [picture(0, true), ...sounds(4490)], clock)
    expect(stalled.durations()).toEqual([])
    const { durations, independent, segments, run } = made(
      both,
      [picture(0, true), ...sounds(7000)],
      fresh({ targetDuration: 2 }),
    )
    expect(durations()).toEqual([2000, 2000])
    expect(independent()).toEqual([true, false])
    expect(segments.map((segment) => contents(segment).map(([track]) => track))).toEqual([[1, 2], [2]])
    run.close()
    expect(durations()).toEqual([2000, 2000, 2000, 1019])
  })
})

describe('the date of a segment', () => {
  const arriving = (until: number, late: (at: number) => number) =>
    made(
      video,
      pictures(2000, until).map((packet) => ({ ...packet, arrived: packet.arrived + late(packet.timestamp) })),
    ).dates()

  it('is that of the arrival of its first picture, and follows its time', () => {
    expect(arriving(8000, () => 0)).toEqual([0, 2000, 4000, 6000])
    expect(arriving(4000, () => 300)).toEqual([300, 2300])
  })

  it('follows another clock by 10 ms a segment, by the packet that was least late', () => {
    expect(arriving(8000, (at) => at / 100)).toEqual([0, 2000, 4010, 6020])
    expect(arriving(8000, (at) => (at > 2000 && at !== 3000 ? 500 : 0))).toEqual([0, 2000, 4000, 6010])
  })

  it('follows at once when the clocks differ by more than 1 s', () => {
    const after = (late: number): number[] => arriving(6000, (at) => (at > 2000 ? late : 0))
    expect(after(1000)).toEqual([0, 2000, 4010])
    expect(after(1001)).toEqual([0, 2000, 5001])
  })

  it('is never after its arrival less its duration, and otherwise not before the end of the segment before it', () => {
    // Everything arrives at once.
    expect(arriving(6000, (at) => -at)).toEqual([-2000, -2000, -2000])
    const clock = fresh({ date: base + 700 })
    expect(
      made(
        video,
        pictures(2000, 2000).map((packet) => ({ ...packet, arrived: packet.arrived + 50 })),
        clock,
      ).dates(),
    ).toEqual([50])
    const later = made(
      video,
      pictures(2000, 2000).map((packet) => ({ ...packet, arrived: base + packet.timestamp * 2 })),
      fresh({ date: base + 700 }),
    )
    expect(later.dates()).toEqual([700])
    expect(later.clock.date - base).toBe(2700)
  })
})

describe('the memory of a segment', () => {
  const most = maxSegmentBytes
  const body = (bytes: number, first = 0x27): Buffer => {
    const whole = Buffer.alloc(bytes)
    whole.set([first, 1, 0, 0, 0])
    return whole
  }

  it('is at most 32 MiB', () => {
    expect(most).toBe(32 * 1024 * 1024)
    const half = body(most / 2)
    const packets = [0, 40, 80, 120, 160].map((at) => picture(at, at === 0, half))
    const { durations, clock } = made(video, packets)
    expect(durations()).toEqual([80, 80])
    expect(clock.targetDuration).toBe(2)
  })

  it('leaves out pictures of the same millisecond beyond it, and reports them', () => {
    const half = body(most / 2)
    const { taken, lost, durations } = made(
      video,
      [0, 0, 0, 0, 0].map((at, index) => picture(at, index === 0, half)),
    )
    expect([taken, lost, durations()]).toEqual([[true, true, true, true, true], ['segment', 'segment'], []])
  })

  it('leaves out sound of the same millisecond beyond it, and with pictures beyond 1 MiB more', () => {
    const half = body(most / 2, 0xaf)
    const alone = made(
      audio,
      Array.from({ length: 5 }, () => sound(0, half)),
    )
    expect(alone.lost).toEqual(['segment', 'segment'])
    const more = body(most / 2 + 300_000, 0xaf)
    const withPicture = (one: Buffer): string[] =>
      made(both, [picture(0, true), ...[0, 21, 43, 64, 85].map((at) => sound(at, one))]).lost
    expect(withPicture(half)).toEqual(['segment'])
    expect(withPicture(more)).toEqual(['segment'])
    expect(withPicture(body(most / 2 + 600_000, 0xaf))).toEqual(['segment', 'segment'])
  })

  it('is that of its pictures with 256 bytes for each, and its bytes are made once', () => {
    const packets = [0, 1000, 2000].map((at) => picture(at, at !== 1000, body(1000)))
    const [segment] = made(video, packets).segments
    expect(segment!.bytes).toBe(2 * (1000 + 256))
    expect(segment!.data()).toBe(segment!.data())
  })

  it('is copied at once where the pictures are small parts of what they hold, and counts as what it has', () => {
    const block = Buffer.alloc(100_000)
    block.set([0x17, 1, 0, 0, 0, 0xaa, 0xbb, 0xcc])
    const packets = [0, 1000, 2000].map((at) => picture(at, at !== 1000, block.subarray(0, 8)))
    const [segment] = made(video, packets).segments
    block.fill(0)
    expect(segment!.bytes).toBe(6)
    expect(segment!.data().subarray(-6).toString('hex')).toBe('aabbccaabbcc')
  })
})
