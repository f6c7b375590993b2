/** A segment in the playlist; times in ms. */
export interface PlaylistSegment {
  /** Relative to the playlist. */
  readonly uri: string
  readonly duration: number
  /** Wall clock of its first sample, in ms since 1970. */
  readonly programDateTime: number
  /** URI of its initialization section, relative to the playlist. */
  readonly map: string
  /** Time line, tracks or configuration differ from the previous segment. */
  readonly discontinuity: boolean
  /** It begins with a key frame. */
  readonly independent: boolean
}

/** A live media playlist (RFC 8216 4.3.3). */
export interface MediaPlaylist {
  /** Upper bound of the rounded segment durations, in s; constant. */
  readonly targetDuration: number
  /** Number of the first listed segment. */
  readonly mediaSequence: number
  /** Discontinuities among removed segments. */
  readonly discontinuitySequence: number
  readonly segments: readonly PlaylistSegment[]
  readonly ended: boolean
}

/** EXT-X-MAP outside of I-frame playlists needs version 6, fragmented MP4 version 7 (RFC 8216 7, bis 8). */
const version = 7

/** Writes a media playlist (behaviour.md#hls-playlists), with a MAP after each discontinuity. */
export function writeMediaPlaylist(options: MediaPlaylist): string {
  const { targetDuration, mediaSequence, discontinuitySequence, segments, ended } = options
  const lines = ['#EXTM3U', `#EXT-X-VERSION:${version}`]
  if (segments.every(({ independent }) => independent)) lines.push('#EXT-X-INDEPENDENT-SEGMENTS')
  lines.push(
    `#EXT-X-TARGETDURATION:${targetDuration}`,
    `#EXT-X-MEDIA-SEQUENCE:${mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}`,
  )
  let map: string | undefined
  for (const segment of segments) {
    if (segment.discontinuity) lines.push('#EXT-X-DISCONTINUITY')
    if (segment.discontinuity || segment.map !== map) lines.push(`#EXT-X-MAP:URI="${segment.map}"`)
    map = segment.map
    lines.push(
      `#EXT-X-PROGRAM-DATE-TIME:${new Date(segment.programDateTime).toISOString()}`,
      `#EXTINF:${(segment.duration / 1000).toFixed(3)},`,
      segment.uri,
    )
  }
  if (ended) lines.push('#EXT-X-ENDLIST')
  return `${lines.join('\n')}\n`
}
