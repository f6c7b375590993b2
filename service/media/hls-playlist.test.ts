import { describe, expect, it } from 'vitest'
import { writeMediaPlaylist, type MediaPlaylist, type PlaylistSegment } from './hls-playlist.ts'
import { playlistFaults, readMediaPlaylist, refreshFaults } from './testing/hls-playlist-reader.ts'

const begin = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const segment = (number: number, over: Partial<PlaylistSegment> = {}): PlaylistSegment => ({
  uri: `a-${number}.m4s`,
  duration: 2000,
  programDateTime: begin + number * 2000,
  map: 'a-0.mp4',
  discontinuity: false,
  independent: true,
  ...over,
})
const playlist = (over: Partial<MediaPlaylist> = {}): MediaPlaylist => ({
  targetDuration: 2,
  mediaSequence: 0,
  discontinuitySequence: 0,
  segments: [segment(0), segment(1), segment(2)],
  ended: false,
  ...over,
})
const read = (over: Partial<MediaPlaylist> = {}): ReturnType<typeof readMediaPlaylist> =>
  readMediaPlaylist(writeMediaPlaylist(playlist(over)))

describe('writeMediaPlaylist', () => {
  it('writes every tag where RFC 8216 wants it', () => {
    const segments = [segment(4), segment(5, { discontinuity: true, map: 'a-1.mp4', duration: 1966.7 })]
    expect(
      writeMediaPlaylist({ targetDuration: 2, mediaSequence: 4, discontinuitySequence: 1, segments, ended: true }),
    ).toBe(
      `${[
        '#EXTM3U',
        '#EXT-X-VERSION:7',
        '#EXT-X-INDEPENDENT-SEGMENTS',
        '#EXT-X-TARGETDURATION:2',
        '#EXT-X-MEDIA-SEQUENCE:4',
        '#EXT-X-DISCONTINUITY-SEQUENCE:1',
        '#EXT-X-MAP:URI="a-0.mp4"',
        '#EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:13.678Z',
        '#EXTINF:2.000,',
        'a-4.m4s',
        '#EXT-X-DISCONTINUITY',
        '#EXT-X-MAP:URI="a-1.mp4"',
        '#EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:15.678Z',
        '#EXTINF:1.967,',
        'a-5.m4s',
        '#EXT-X-ENDLIST',
      ].join('\n')}\n`,
    )
  })

  it('does not call segments independent when one begins without a key frame', () => {
    expect(read().independentSegments).toBe(true)
    expect(read({ segments: [segment(0), segment(1, { independent: false })] }).independentSegments).toBe(false)
  })
})

describe('readMediaPlaylist', () => {
  it('reads back what was written', () => {
    const written = playlist({
      mediaSequence: 9,
      discontinuitySequence: 2,
      segments: [segment(9), segment(10, { discontinuity: true, map: 'a-7.mp4' })],
      ended: true,
    })
    expect(readMediaPlaylist(writeMediaPlaylist(written))).toEqual({
      ...written,
      version: 7,
      independentSegments: true,
    })
  })

  it.each([
    ['nothing', ''],
    [
      'no map',
      '#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:05Z\n#EXTINF:2.0,\na.m4s\n',
    ],
    ['no date', '#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI="m"\n#EXTINF:2.0,\na.m4s\n'],
    ['no target', '#EXTM3U\n#EXT-X-VERSION:7\n'],
    ['something after the end', '#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-ENDLIST\n#EXTINF:2.0,\n'],
    ['a tag twice', '#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n'],
  ])('refuses a playlist with %s', (_, text) => {
    expect(() => readMediaPlaylist(text)).toThrow(Error)
  })
})

describe('refreshFaults', () => {
  const before = read({
    segments: [segment(0), segment(1), segment(2), segment(3, { discontinuity: true, map: 'a-1.mp4' })],
  })
  const rest = [segment(2), segment(3, { discontinuity: true, map: 'a-1.mp4' }), segment(4, { map: 'a-1.mp4' })]

  it('accepts a window that moves on', () => {
    expect(refreshFaults(before, read({ mediaSequence: 2, segments: rest }))).toEqual([])
    const later = read({
      mediaSequence: 4,
      discontinuitySequence: 1,
      segments: [4, 5, 6].map((number) => segment(number, { map: 'a-1.mp4' })),
    })
    expect(refreshFaults(before, later)).toEqual([])
    expect(refreshFaults(before, { ...before, ended: true })).toEqual([])
  })

  it.each<[string, Partial<MediaPlaylist>, RegExp]>([
    ['the sequence falls', { mediaSequence: 0, segments: [] }, /lists no segment/],
    [
      'a segment changes its length',
      { segments: [segment(0), segment(1, { duration: 1900 }), segment(2), ...rest.slice(1)] },
      /a-1\.m4s changed/,
    ],
    [
      'a segment is renamed',
      { mediaSequence: 2, segments: [segment(2, { uri: 'b.m4s' }), ...rest.slice(1)] },
      /a-2\.m4s changed/,
    ],
    [
      'a discontinuity is forgotten',
      { mediaSequence: 4, segments: [4, 5, 6].map((number) => segment(number)) },
      /discontinuity sequence is 0, expected 1/,
    ],
    ['the target changes', { targetDuration: 3, mediaSequence: 2, segments: rest }, /target duration changed/],
    [
      'a segment is too long',
      { mediaSequence: 2, segments: [...rest, segment(5, { duration: 2500, map: 'a-1.mp4' })] },
      /lasts 2500 ms/,
    ],
    [
      'dates go backward',
      { mediaSequence: 2, segments: [...rest, segment(5, { programDateTime: begin, map: 'a-1.mp4' })] },
      /dated before/,
    ],
    [
      'the map changes silently',
      { mediaSequence: 2, segments: [...rest, segment(5, { map: 'a-2.mp4' })] },
      /changes the MAP/,
    ],
    ['too little is left', { mediaSequence: 3, segments: rest.slice(1) }, /fewer than three/],
  ])('notices when %s', (_, after, fault) => {
    expect(refreshFaults(before, read(after)).join('\n')).toMatch(fault)
  })

  it('notices a sequence that falls and a change after the end', () => {
    expect(refreshFaults(read({ mediaSequence: 5 }), read({ mediaSequence: 4 })).join()).toMatch(/fell/)
    expect(refreshFaults(read({ ended: true }), read()).join()).toMatch(/after EXT-X-ENDLIST/)
    expect(playlistFaults(read())).toEqual([])
  })
})
