import { writeMediaPlaylist, type PlaylistSegment } from '../media/hls-playlist.ts'
import type { HlsMap, HlsSegment } from './hls-delivery-run.ts'

/** A file of a stream, in memory. */
export interface HlsFile {
  readonly data: Buffer
  readonly type: string
  /** Of the media in it, in ms. */
  readonly duration: number
}

/** Minimum of listed segments, and of listed media in ms (RFC 8216 6.2.2: three target durations). */
const minListed = 4
const listedDuration = 12_000
/** Bytes kept per stream: delisted segments go first, then the oldest; three target durations stay. */
const maxBytes = 128 * 1024 * 1024

interface Listed extends PlaylistSegment {
  readonly bytes: number
}

/** A playlist in memory: listed segments, and recently delisted ones that players may still fetch. */
export class HlsPlaylist {
  readonly #tag: string
  readonly #files = new Map<string, { readonly data: () => Buffer; readonly type: string; readonly duration: number }>()
  #listed: Listed[] = []
  #gone: Listed[] = []
  #map: string | undefined
  #maps = 0
  #count = 0
  #bytes = 0
  #discontinuitySequence = 0
  #fresh = false
  #ended = false
  #text: string | undefined
  #targetDuration = 0

  /** `tag` makes file names unique over all playlists of the channel, so that caches may keep them. */
  constructor(tag: string) {
    this.#tag = tag
  }

  get targetDuration(): number {
    return this.#targetDuration
  }

  /** Bytes of the segments in memory. */
  get bytes(): number {
    return this.#bytes
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Undefined until there is a segment. */
  get text(): string | undefined {
    if (this.#listed.length === 0) return undefined
    this.#text ??= writeMediaPlaylist({
      targetDuration: this.#targetDuration,
      mediaSequence: this.#count - this.#listed.length,
      discontinuitySequence: this.#discontinuitySequence,
      segments: this.#listed,
      ended: this.#ended,
    })
    return this.#text
  }

  file(name: string): HlsFile | undefined {
    const found = this.#files.get(name)
    return found && { ...found, data: found.data() }
  }

  map({ data, codecs }: HlsMap): void {
    this.#fresh = this.#map !== undefined
    this.#map = `${this.#tag}-${this.#maps++}.mp4`
    this.#files.set(this.#map, { data: () => data, type: `video/mp4; codecs="${codecs}"`, duration: 0 })
  }

  segment({ data, bytes, duration, programDateTime, independent }: HlsSegment, targetDuration: number): void {
    if (this.#map === undefined || this.#ended) return
    this.#targetDuration = targetDuration
    const uri = `${this.#tag}-${this.#count++}.m4s`
    this.#files.set(uri, { data, type: 'video/iso.segment', duration })
    this.#listed.push({
      uri,
      duration,
      programDateTime,
      map: this.#map,
      discontinuity: this.#fresh,
      independent,
      bytes,
    })
    this.#fresh = false
    this.#bytes += bytes
    this.#text = undefined
    this.#trim()
  }

  /** Another show begins: lists nothing of the one before any more, whose files stay for who still plays them. */
  renew(): void {
    this.#discontinuitySequence += this.#listed.filter(({ discontinuity }) => discontinuity).length
    this.#gone.push(...this.#listed)
    this.#listed = []
    this.#text = undefined
  }

  /** Adds EXT-X-ENDLIST. */
  end(): void {
    this.#ended = true
    this.#text = undefined
  }

  #trim(): void {
    let listed = this.#listed.reduce((sum, { duration }) => sum + duration, 0)
    const least = this.#targetDuration * 3000
    for (;;) {
      const [first] = this.#listed
      const left = listed - (first?.duration ?? 0)
      const enough = this.#listed.length > minListed && left >= listedDuration
      if (!first || left < least || !(enough || this.#bytes > maxBytes)) break
      this.#listed.shift()
      this.#gone.push(first)
      listed = left
      if (first.discontinuity) this.#discontinuitySequence += 1
    }
    // A delisted segment stays for its own duration plus that of the longest playlist that listed it (RFC 8216 6.2.2).
    const longest = Math.max(listed, listedDuration)
    let kept = this.#gone.reduce((sum, { duration }) => sum + duration, 0)
    while (this.#gone.length > 0 && (kept - 2 * this.#gone[0]!.duration > longest || this.#bytes > maxBytes)) {
      const gone = this.#gone.shift()!
      kept -= gone.duration
      this.#bytes -= gone.bytes
      this.#files.delete(gone.uri)
      if (![...this.#gone, ...this.#listed].some(({ map }) => map === gone.map)) this.#files.delete(gone.map)
    }
  }
}
