import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMediaPlaylist, refreshFaults, type ReadPlaylist } from '../media/testing/hls-playlist-reader.ts'
import { HlsPlaylist } from './hls-delivery-playlist.ts'
import { HlsSegmenter } from './hls-delivery-segmenter.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import {
  decodeFaults,
  encodeFixture,
  requireEncoder,
  fixturePackets,
  probePackets,
  temporaryFolder,
} from '../hub/testing/fixture.ts'

await requireEncoder()

describe('HlsSegmenter', () => {
  const folder = temporaryFolder()
  afterAll(() => folder.remove())
  const fixtures = new Map<string, MediaPacket[]>()
  const fixture = (name: string): MediaPacket[] => fixtures.get(name)!
  beforeAll(async () => {
    const make = async (name: string, options: Parameters<typeof encodeFixture>[2]): Promise<void> => {
      fixtures.set(name, fixturePackets(await encodeFixture(folder.path, name, options)))
    }
    await make('gop2', { duration: 12, gop: 60 })
    await make('gop4', { duration: 14, gop: 120, size: '160x90' })
    await make('gop05', { duration: 6, gop: 15 })
    await make('ntsc', { duration: 9, gop: 60, rate: 29.97 })
    await make('picture', { duration: 7, audio: false })
    await make('sound', { duration: 7, video: false, sampleRate: 48_000 })
    await make('endless', { duration: 50, gop: 10_000, size: '64x36', rate: 10 })
  })

  interface Made {
    readonly playlist: HlsPlaylist
    readonly read: () => ReadPlaylist
    readonly bytes: () => Buffer
    readonly durations: number[]
    readonly left: string[]
    readonly segmenter: HlsSegmenter
  }

  /** A segmenter that compares every playlist with its predecessor and keeps all bytes. */
  function make(): Made {
    const playlist = new HlsPlaylist('t')
    const parts: Buffer[] = []
    const durations: number[] = []
    const left: string[] = []
    let before: ReadPlaylist | undefined
    const segmenter = new HlsSegmenter({
      map(map) {
        parts.push(map.data)
        playlist.map(map)
      },
      segment(segment, targetDuration) {
        parts.push(segment.data())
        durations.push(segment.duration)
        playlist.segment(segment, targetDuration)
        const after = readMediaPlaylist(playlist.text ?? '')
        expect(before ? refreshFaults(before, after) : []).toEqual([])
        before = after
      },
      leftOut: (loss) => left.push(loss),
    })
    return {
      playlist,
      segmenter,
      durations,
      left,
      bytes: () => Buffer.concat(parts),
      read: () => readMediaPlaylist(playlist.text ?? ''),
    }
  }
  const feed = (made: Made, packets: readonly MediaPacket[]): void => {
    for (const packet of packets) made.segmenter.packet(packet)
  }
  const shifted = (packets: readonly MediaPacket[], by: number, clock = by): MediaPacket[] =>
    packets.map((packet) => ({ ...packet, timestamp: packet.timestamp + by, arrived: packet.arrived + clock }))

  it.each(['gop2', 'gop4', 'gop05', 'ntsc', 'picture', 'sound', 'endless'])(
    'loses and moves no packet: %s',
    async (name) => {
      const made = make()
      feed(made, fixture(name))
      made.segmenter.end()
      const path = join(folder.path, `${name}.mp4`)
      writeFileSync(path, made.bytes())
      const [expected, found] = await Promise.all([probePackets(join(folder.path, `${name}.flv`)), probePackets(path)])
      const first = Number(
        expected.find(({ codec_type }) => codec_type === (name === 'sound' ? 'audio' : 'video'))!.dts_time,
      )
      for (const kind of ['video', 'audio'] as const) {
        const before = expected.filter(({ codec_type }) => codec_type === kind)
        const after = found.filter(({ codec_type }) => codec_type === kind)
        expect(after).toHaveLength(before.length)
        after.forEach((packet, index) =>
          expect(Math.abs(Number(packet.pts_time) + first - Number(before[index]!.pts_time))).toBeLessThan(0.0025),
        )
      }
      expect(await decodeFaults(path)).toBe('')
    },
  )

  it.each([
    ['gop2', 2, 2000, true],
    ['gop4', 4, 4000, true],
    ['gop05', 2, 2000, true],
    ['ntsc', 2, 2002, true],
    ['endless', 20, 20_000, false],
  ] as const)('takes the target from the first GOP: %s', (name, target, duration, independent) => {
    const made = make()
    feed(made, fixture(name))
    expect(made.read()).toMatchObject({ targetDuration: target, independentSegments: independent, mediaSequence: 0 })
    for (const found of made.durations) expect(Math.abs(found - duration)).toBeLessThanOrEqual(1)
  })

  it('cuts sound alone at two seconds, never beyond', () => {
    const made = make()
    feed(made, fixture('sound'))
    expect(made.read().targetDuration).toBe(2)
    for (const duration of made.durations) expect(duration).toBeGreaterThan(1900)
    expect(Math.max(...made.durations)).toBeLessThanOrEqual(2000)
  })

  it('cuts a longer GOP at the target once that is fixed, and no longer calls segments independent', () => {
    const made = make()
    const last = fixture('gop2').at(-1)!.timestamp
    feed(made, fixture('gop2'))
    feed(
      made,
      shifted(
        fixture('gop4').filter(({ configuration, kind }) => !configuration || kind !== 'video'),
        last + 33,
      ),
    )
    const { targetDuration, independentSegments, segments } = made.read()
    expect(targetDuration).toBe(2)
    expect(independentSegments).toBe(false)
    for (const { duration } of segments) expect(duration).toBeLessThanOrEqual(2034)
  })

  it('goes on after the publisher returned: same sequence, a discontinuity and a MAP', async () => {
    const made = make()
    feed(made, fixture('gop2'))
    made.segmenter.end()
    const before = made.read()
    feed(made, shifted(fixture('gop2').slice(0, 400), 0, 20_000))
    made.segmenter.end()
    const after = made.read()
    expect(after.mediaSequence).toBeGreaterThan(before.mediaSequence)
    expect(after.segments.filter(({ discontinuity }) => discontinuity)).toHaveLength(1)
    expect(new Set(after.segments.map(({ map }) => map)).size).toBe(2)
    expect(after.segments.find(({ discontinuity }) => discontinuity)?.map).toBe('t-1.mp4')
    // A player that ignores discontinuities sees one rising time line.
    const path = join(folder.path, 'twice.mp4')
    writeFileSync(path, made.bytes())
    const times = (await probePackets(path))
      .filter(({ codec_type }) => codec_type === 'video')
      .map(({ dts_time }) => Number(dts_time))
    expect(times).toHaveLength(
      360 +
        fixture('gop2')
          .slice(0, 400)
          .filter(({ kind, configuration }) => kind === 'video' && !configuration).length,
    )
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it('begins a new run when the configuration changes during a push, at a key frame', () => {
    const made = make()
    const last = fixture('gop2').at(-1)!.timestamp
    feed(made, fixture('gop2'))
    feed(made, shifted(fixture('gop4'), last + 33))
    const { segments, targetDuration } = made.read()
    const marked = segments.filter(({ discontinuity }) => discontinuity)
    expect(marked).toHaveLength(1)
    expect(targetDuration).toBe(2)
    const map = made.playlist.file(marked[0]!.map)!.data
    const entry = map.indexOf('avc1', map.indexOf('stsd', 0, 'latin1'), 'latin1')
    expect([map.readUInt16BE(entry + 28), map.readUInt16BE(entry + 30)]).toEqual([160, 90])
    // A repeated configuration changes nothing.
    const again = make()
    const packets = fixture('gop2')
    feed(
      again,
      packets.flatMap((packet) =>
        packet.keyFrame
          ? [
              {
                ...packets.find(({ configuration, kind }) => configuration && kind === 'video')!,
                timestamp: packet.timestamp,
              },
              packet,
            ]
          : [packet],
      ),
    )
    expect(again.read().segments.some(({ discontinuity }) => discontinuity)).toBe(false)
  })

  it('declares only what came within two seconds, and begins anew when sound comes later', () => {
    const made = make()
    const late = fixture('gop2').filter(
      ({ kind, timestamp, configuration }) => kind !== 'audio' || (!configuration && timestamp > 7000),
    )
    const sound = fixture('gop2').find(({ kind, configuration }) => kind === 'audio' && configuration)!
    feed(
      made,
      late.flatMap((packet) =>
        packet === late.find(({ kind }) => kind === 'audio')
          ? [{ ...sound, timestamp: packet.timestamp }, packet]
          : [packet],
      ),
    )
    const { segments } = made.read()
    expect(segments.filter(({ discontinuity }) => discontinuity)).toHaveLength(1)
    expect(made.playlist.file('t-0.mp4')?.type).not.toContain('mp4a')
    expect(made.playlist.file('t-1.mp4')?.type).toContain('mp4a.40.2')
  })

  it('makes a gap in the publisher’s time a discontinuity instead of a long segment', () => {
    const made = make()
    const packets = fixture('gop2')
    feed(
      made,
      packets.map((packet) =>
        packet.timestamp > 5000 ? { ...packet, timestamp: packet.timestamp + 36_000_000 } : packet,
      ),
    )
    made.segmenter.end()
    const { segments, targetDuration } = made.read()
    expect(segments.filter(({ discontinuity }) => discontinuity)).toHaveLength(1)
    for (const { duration } of segments) expect(Math.round(duration / 1000)).toBeLessThanOrEqual(targetDuration)
    expect(made.durations.reduce((sum, duration) => sum + duration, 0)).toBeLessThan(13_000)
  })

  it('keeps going when the picture or the sound stops half way', () => {
    for (const kind of ['video', 'audio'] as const) {
      const made = make()
      feed(
        made,
        fixture('gop2').filter((packet) => packet.kind !== kind || packet.timestamp < 4500),
      )
      made.segmenter.end()
      const sum = made.durations.reduce((all, duration) => all + duration, 0)
      expect(sum).toBeGreaterThan(11_500)
      expect(Math.max(...made.durations)).toBeLessThan(2500)
    }
  })

  it('dates segments by arrival and follows a slow clock', () => {
    const made = make()
    const packets = fixture('gop2')
    feed(
      made,
      packets.map((packet) => ({ ...packet, arrived: packets[0]!.arrived + packet.timestamp * 1.001 })),
    )
    const { segments } = made.read()
    for (const [index, { programDateTime }] of segments.entries()) {
      const expected = packets[0]!.arrived + index * 2000 * 1.001
      expect(Math.abs(programDateTime - expected)).toBeLessThan(80)
    }
  })

  it('dates nothing ahead of its arrival when media come faster than time passes', () => {
    const made = make()
    const packets = fixture('gop2')
    const begin = packets[0]!.arrived
    let now = begin
    let segments = 0
    for (const packet of packets) {
      now = begin + packet.timestamp / 4
      made.segmenter.packet({ ...packet, arrived: now })
      if (made.durations.length === segments) continue
      segments = made.durations.length
      expect(made.read().segments.at(-1)!.programDateTime + made.durations.at(-1)!).toBeLessThanOrEqual(now)
    }
    expect(segments).toBeGreaterThan(3)
  })

  it('makes nothing of frames without a configuration, other codecs and broken bodies', () => {
    const made = make()
    feed(
      made,
      fixture('gop2').filter(({ configuration }) => !configuration),
    )
    feed(made, [
      { kind: 'video', timestamp: 0, body: Buffer.from([0x17, 0]), keyFrame: false, configuration: true, arrived: 0 },
    ])
    feed(made, [
      { kind: 'video', timestamp: 0, body: Buffer.from([0x1c]), keyFrame: true, configuration: false, arrived: 0 },
    ])
    feed(made, [
      {
        kind: 'audio',
        timestamp: 3000,
        body: Buffer.from([0x2f, 1, 1, 1]),
        keyFrame: false,
        configuration: false,
        arrived: 3000,
      },
    ])
    made.segmenter.end()
    expect(made.playlist.text).toBeUndefined()
  })

  it('keeps a bounded number of segments, those just gone among them', () => {
    const made = make()
    const packets = fixture('gop2')
    const period = packets.at(-1)!.timestamp + 33
    feed(
      made,
      packets.filter(({ configuration }) => configuration),
    )
    for (let round = 0; round < 20; round++)
      feed(
        made,
        shifted(
          packets.filter(({ configuration }) => !configuration),
          round * period,
        ),
      )
    const { mediaSequence, segments } = made.read()
    expect(segments.length).toBeLessThanOrEqual(7)
    expect(made.playlist.file(`t-${mediaSequence - 1}.m4s`)).toBeDefined()
    expect(made.playlist.file('t-0.mp4')).toBeDefined()
    const kept = Array.from({ length: mediaSequence }, (_, number) => made.playlist.file(`t-${number}.m4s`)).filter(
      (file) => file !== undefined,
    )
    expect(kept.length).toBeGreaterThanOrEqual(segments.length)
    expect(kept.length).toBeLessThanOrEqual(segments.length + 3)
  })
})

describe('the begin of a playlist', () => {
  const base = 1_700_000_000_000
  const picture = (at: number, key = false): MediaPacket => videoFrame(at, key, base + at)
  const sound = (at: number): MediaPacket => ({
    ...audioConfiguration,
    body: Buffer.from('af0121', 'hex'),
    timestamp: at,
    arrived: base + at,
    configuration: false,
  })
  const at = (packet: MediaPacket, time: number): MediaPacket => ({ ...packet, timestamp: time, arrived: base + time })
  /** Pictures with a key frame every 2 s, from and to a time, both included. */
  const pictures = (from: number, to: number): MediaPacket[] =>
    Array.from({ length: (to - from) / 40 + 1 }, (_, index) =>
      picture(from + index * 40, (from + index * 40) % 2000 === 0),
    )

  /** What a segmenter gave, in order: codecs of maps, durations of segments. */
  function segmented() {
    const got: (string | number)[] = []
    const targets: number[] = []
    const lost: string[] = []
    const segmenter = new HlsSegmenter({
      map: ({ codecs }) => got.push(codecs),
      segment({ duration }, target) {
        got.push(duration)
        targets.push(target)
      },
      leftOut: (loss) => lost.push(loss),
    })
    return {
      got,
      targets,
      lost,
      segmenter,
      feed(...packets: readonly MediaPacket[]) {
        for (const packet of packets) segmenter.packet(packet)
        return got
      },
    }
  }
  const both = 'avc1.64001f,mp4a.40.2'
  const video = 'avc1.64001f'

  it('gives the map before the first segment of a run and not before, and the target with each segment', () => {
    const made = segmented()
    expect(made.feed(at(videoConfiguration, 0), at(audioConfiguration, 0), ...pictures(0, 1960))).toEqual([])
    expect(made.feed(...pictures(2000, 4000))).toEqual([both, 2000, 2000])
    expect(made.targets).toEqual([2, 2])
  })

  it('waits less than 2 s of media for the other configuration, and then declares what is there', () => {
    const within = segmented()
    within.feed(at(videoConfiguration, 0), ...pictures(0, 1960), at(picture(0), 1999), at(audioConfiguration, 1999))
    expect(within.feed(...pictures(2000, 2040))).toEqual([both, 2000])
    const beyond = segmented()
    beyond.feed(at(videoConfiguration, 0), ...pictures(0, 2000))
    expect(beyond.got).toEqual([video, 2000])
    beyond.feed(at(audioConfiguration, 2040), ...pictures(2040, 4000))
    // The rest of the run with one track, then a run with both from the next key frame.
    expect(beyond.got).toEqual([video, 2000, 40])
    expect(beyond.feed(...pictures(4040, 6000))).toEqual([video, 2000, 40, both, 2000])
  })

  it('waits no longer than 2 s of the clock either', () => {
    const first = (last: number): unknown => {
      const slow = (time: number): MediaPacket => ({ ...picture(time, time === 0), arrived: base + time * 10 })
      const made = segmented()
      made.feed(at(videoConfiguration, 0), ...[0, 40, 80, 120, 160].map(slow), {
        ...picture(199),
        arrived: base + last,
      })
      return made.feed(at(audioConfiguration, 240), ...pictures(2000, 4000))[0]
    }
    expect([first(1999), first(2000)]).toEqual([both, video])
  })

  it('counts the wait from the first packet of the push, whatever it was, but for data', () => {
    const early = segmented()
    early.feed(at(videoConfiguration, 0), picture(2000, true), at(audioConfiguration, 2040), ...pictures(2080, 6000))
    expect(early.got).toEqual([video, 40, both, 2000])
    const data = segmented()
    data.feed({ ...at(videoConfiguration, 0), kind: 'data' }, at(videoConfiguration, 2000), ...pictures(2000, 3960))
    data.feed(at(audioConfiguration, 3999))
    expect(data.feed(...pictures(4000, 4040))).toEqual([both, 2000])
  })

  it('begins with a key frame: pictures and sound before it are left out', () => {
    const made = segmented()
    made.feed(at(videoConfiguration, 0), at(audioConfiguration, 0), sound(0), picture(1000), sound(1020), picture(1040))
    expect(made.feed(...pictures(2000, 4000))).toEqual([both, 2000])
    expect(made.lost).toEqual([])
  })

  it('begins with sound when there is no picture', () => {
    const made = segmented()
    made.feed(
      at(audioConfiguration, 0),
      ...Array.from({ length: 189 }, (_, index) => sound(Math.round((index * 1024) / 48))),
    )
    expect(made.got).toEqual(['mp4a.40.2', 1984, 1984])
  })

  it('forgets what it held for another configuration of the picture', () => {
    const made = segmented()
    const other = Buffer.concat([videoConfiguration.body, Buffer.from([0])])
    made.feed(at(videoConfiguration, 0), ...pictures(0, 1000), at({ ...videoConfiguration, body: other }, 1000))
    made.feed(at(audioConfiguration, 1000), ...pictures(2000, 4000))
    expect(made.got).toEqual([both, 2000])
  })

  it('makes segments of what it held at the end of a push, and waits anew for the configurations of the next', () => {
    const made = segmented()
    made.feed(at(videoConfiguration, 0), ...pictures(0, 1000))
    made.segmenter.end()
    expect(made.got).toEqual([video, 1040])
    made.feed(...pictures(2000, 4000))
    made.segmenter.end()
    expect(made.got).toEqual([video, 1040])
    made.feed(at(audioConfiguration, 5000), at(videoConfiguration, 5000), ...pictures(6000, 8000))
    made.segmenter.end()
    expect(made.got).toEqual([video, 1040, both, 2000, 40])
  })

  it('ends a run at a gap, and begins the next with the next key frame', () => {
    const made = segmented()
    made.feed(at(videoConfiguration, 0), at(audioConfiguration, 0), ...pictures(0, 2000))
    made.feed(...pictures(61_000, 61_960))
    expect(made.got).toEqual([both, 2000, 40])
    expect(made.feed(...pictures(62_000, 64_000))).toEqual([both, 2000, 40, both, 2000])
  })

  it('reports what its runs leave out', () => {
    const made = segmented()
    made.feed(at(audioConfiguration, 0), sound(0), sound(2000), ...Array.from({ length: 20 }, () => sound(2000)))
    expect(made.lost.length).toBeGreaterThan(0)
    expect(new Set(made.lost)).toEqual(new Set(['sound']))
  })

  it('holds 20,000 packets at most while it waits', () => {
    const begun = (count: number): unknown[] => {
      const made = segmented()
      made.feed(at(videoConfiguration, 0), picture(0, true), ...Array.from({ length: count - 1 }, () => picture(1)))
      // A configuration that comes later ends the run that has begun without it.
      return made.feed(at(audioConfiguration, 1), ...pictures(2000, 4000)).slice(0, 1)
    }
    expect([begun(19_999), begun(20_000)]).toEqual([[both], [video]])
  })

  it('holds 32 MiB at most while it waits', () => {
    const begun = (bytes: number): unknown[] => {
      const made = segmented()
      const body = Buffer.alloc(bytes - 256)
      body.set([0x17, 1, 0, 0, 0])
      made.feed(at(videoConfiguration, 0), { ...picture(0, true), body })
      return made.feed(at(audioConfiguration, 1), ...pictures(2000, 4000)).slice(0, 1)
    }
    expect([begun(32 * 1024 * 1024 - 1), begun(32 * 1024 * 1024)]).toEqual([[both], [video]])
  })
})
