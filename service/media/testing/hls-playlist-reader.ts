import type { MediaPlaylist, PlaylistSegment } from '../hls-playlist.ts'

/** A parsed playlist. */
export interface ReadPlaylist extends MediaPlaylist {
  readonly version: number
  /** Has EXT-X-INDEPENDENT-SEGMENTS. */
  readonly independentSegments: boolean
}

const maxPlaylistBytes = 1024 * 1024

const whole = (text: string, tag: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${tag} is no decimal integer: ${text}`)
  return Number(text)
}

/** Parses a media playlist as {@link writeMediaPlaylist} writes it; throws on anything else. */
export function readMediaPlaylist(text: string): ReadPlaylist {
  if (text.length > maxPlaylistBytes) throw new Error('longer than 1 MiB')
  const [first, ...lines] = text.split('\n')
  if (first !== '#EXTM3U') throw new Error('the first line is not #EXTM3U')
  const header = new Map<string, string>()
  const segments: PlaylistSegment[] = []
  let map: string | undefined
  let next: { duration?: number; programDateTime?: number; discontinuity?: boolean; map?: boolean } = {}
  let ended = false
  for (const line of lines) {
    if (line === '') continue
    if (ended) throw new Error(`after EXT-X-ENDLIST: ${line}`)
    const colon = line.indexOf(':')
    const tag = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1)
    if (!line.startsWith('#')) {
      const { duration, programDateTime, discontinuity = false, map: mapped = false } = next
      if (duration === undefined) throw new Error(`${line} has no EXTINF`)
      if (programDateTime === undefined) throw new Error(`${line} has no EXT-X-PROGRAM-DATE-TIME`)
      if (map === undefined || (discontinuity && !mapped)) throw new Error(`${line} has no EXT-X-MAP`)
      segments.push({
        uri: line,
        duration,
        programDateTime,
        map,
        discontinuity,
        independent: header.has('#EXT-X-INDEPENDENT-SEGMENTS'),
      })
      next = {}
      continue
    }
    switch (tag) {
      case '#EXT-X-VERSION':
      case '#EXT-X-TARGETDURATION':
      case '#EXT-X-MEDIA-SEQUENCE':
      case '#EXT-X-DISCONTINUITY-SEQUENCE':
      case '#EXT-X-INDEPENDENT-SEGMENTS':
        if (header.has(tag)) throw new Error(`${tag} stands twice`)
        if (segments.length > 0) throw new Error(`${tag} stands after the first segment`)
        header.set(tag, value)
        break
      case '#EXT-X-DISCONTINUITY':
        next.discontinuity = true
        break
      case '#EXT-X-MAP': {
        const uri = /^URI="([^"]+)"$/.exec(value)?.[1]
        if (!uri) throw new Error(`EXT-X-MAP without URI: ${value}`)
        map = uri
        next.map = true
        break
      }
      case '#EXT-X-PROGRAM-DATE-TIME': {
        const at = Date.parse(value)
        if (Number.isNaN(at)) throw new Error(`no date: ${value}`)
        next.programDateTime = at
        break
      }
      case '#EXTINF': {
        const seconds = /^(\d+(?:\.\d+)?),/.exec(value)?.[1]
        if (seconds === undefined) throw new Error(`no length: ${line}`)
        next.duration = Math.round(Number(seconds) * 1000)
        break
      }
      case '#EXT-X-ENDLIST':
        ended = true
        break
      default:
        throw new Error(`unknown tag ${tag}`)
    }
  }
  if (Object.keys(next).length > 0) throw new Error('tags without a segment at the end')
  const number = (tag: string): number => whole(header.get(tag) ?? '', tag)
  return {
    version: number('#EXT-X-VERSION'),
    targetDuration: number('#EXT-X-TARGETDURATION'),
    mediaSequence: header.has('#EXT-X-MEDIA-SEQUENCE') ? number('#EXT-X-MEDIA-SEQUENCE') : 0,
    discontinuitySequence: header.has('#EXT-X-DISCONTINUITY-SEQUENCE') ? number('#EXT-X-DISCONTINUITY-SEQUENCE') : 0,
    independentSegments: header.has('#EXT-X-INDEPENDENT-SEGMENTS'),
    segments,
    ended,
  }
}

/** Violations within one playlist (RFC 8216 4.3, 6.2.1). */
export function playlistFaults({ version, targetDuration, segments }: ReadPlaylist): string[] {
  const faults: string[] = []
  if (version < 6) faults.push(`version ${version} has no EXT-X-MAP`)
  if (segments.length === 0) faults.push('lists no segment')
  for (const { uri, duration } of segments) {
    if (Math.round(duration / 1000) > targetDuration)
      faults.push(`${uri} lasts ${duration} ms, target ${targetDuration} s`)
    if (duration <= 0) faults.push(`${uri} has no length`)
  }
  segments.forEach((segment, index) => {
    const before = segments[index - 1]
    if (!before) return
    if (segment.programDateTime <= before.programDateTime) faults.push(`${segment.uri} is dated before ${before.uri}`)
    if (segment.map !== before.map && !segment.discontinuity)
      faults.push(`${segment.uri} changes the MAP without a discontinuity`)
    if (segments.findIndex(({ uri }) => uri === segment.uri) !== index) faults.push(`${segment.uri} is listed twice`)
  })
  return faults
}

/** Violations between two versions of a playlist (RFC 8216 6.2.1, 6.2.2). */
export function refreshFaults(before: ReadPlaylist, after: ReadPlaylist): string[] {
  const faults = playlistFaults(after)
  if (after.targetDuration !== before.targetDuration)
    faults.push(`target duration changed from ${before.targetDuration} to ${after.targetDuration}`)
  if (after.version !== before.version) faults.push(`version changed from ${before.version} to ${after.version}`)
  const gone = after.mediaSequence - before.mediaSequence
  if (gone < 0) faults.push(`media sequence fell from ${before.mediaSequence} to ${after.mediaSequence}`)
  if (gone < 0) return faults
  const removed = before.segments.slice(0, gone).filter(({ discontinuity }) => discontinuity).length
  // If no segment is in both, unseen discontinuities are possible.
  const expected = before.discontinuitySequence + removed
  if (
    gone <= before.segments.length ? after.discontinuitySequence !== expected : after.discontinuitySequence < expected
  )
    faults.push(`discontinuity sequence is ${after.discontinuitySequence}, expected ${expected}`)
  before.segments.slice(gone).forEach((old, index) => {
    const now = after.segments[index]
    if (!now) faults.push(`${old.uri} vanished from the end`)
    else if (
      now.uri !== old.uri ||
      now.duration !== old.duration ||
      now.programDateTime !== old.programDateTime ||
      now.map !== old.map
    )
      faults.push(`${old.uri} changed to ${now.uri} ${now.duration} ms ${now.map}`)
    // The first listed segment may lose its tag only when the previous segment is removed; it then counts in the
    // sequence.
    else if (now.discontinuity !== old.discontinuity) faults.push(`${old.uri} changed its discontinuity`)
  })
  if (before.ended && (!after.ended || after.segments.length !== before.segments.length || gone !== 0))
    faults.push('changed after EXT-X-ENDLIST')
  const kept = after.segments.reduce((sum, { duration }) => sum + duration, 0)
  if (gone > 0 && !after.ended && kept < after.targetDuration * 3000)
    faults.push(`only ${kept} ms are left after a removal, fewer than three target durations`)
  return faults
}
