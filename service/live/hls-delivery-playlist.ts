import { writeMediaPlaylist, type PlaylistSegment } from '../media/hls-playlist.ts'
import type { HlsMap, HlsSegment } from './hls-delivery-run.ts'

/** A file of a stream, complete in memory. */
export interface HlsFile {
  readonly data: Buffer
  /** Content-Type. */
  readonly type: string
}

/** Segments listed: at least this many, and at least this much media (RFC 8216 6.2.2 asks for three target durations); ms. */
const listedMin = 4
const listedDuration = 12_000
/** Bytes kept per stream; what left the playlist goes first, then the oldest listed as long as three target durations stay. */
const bytesMax = 128 * 1024 * 1024

interface Listed extends PlaylistSegment {
  readonly bytes: number
}

/** One playlist in memory: a window of listed segments, and those that just left it for players that are about to fetch them. */
export class HlsPlaylist {
  readonly #tag: string
  readonly #files = new Map<string, { readonly data: () => Buffer; readonly type: string }>()
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

  /** `tag` makes the names differ from those of any earlier playlist of the channel, so that caches may keep them. */
  constructor(tag: string) {
    this.#tag = tag
  }

  get targetDuration(): number {
    return this.#targetDuration
  }

  get ended(): boolean {
    return this.#ended
  }

  /** The playlist as text; undefined until a segment is in it. */
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

  /** A segment or MAP by name, while it is kept. */
  file(name: string): HlsFile | undefined {
    const found = this.#files.get(name)
    return found && { data: found.data(), type: found.type }
  }

  map({ data, codecs }: HlsMap): void {
    this.#fresh = this.#map !== undefined
    this.#map = `${this.#tag}-${this.#maps++}.mp4`
    this.#files.set(this.#map, { data: () => data, type: `video/mp4; codecs="${codecs}"` })
  }

  segment({ data, bytes, duration, programDateTime, independent }: HlsSegment, targetDuration: number): void {
    if (this.#map === undefined || this.#ended) return
    this.#targetDuration = targetDuration
    const uri = `${this.#tag}-${this.#count++}.m4s`
    this.#files.set(uri, { data, type: 'video/iso.segment' })
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

  /** No segment follows. */
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
      const enough = this.#listed.length > listedMin && left >= listedDuration
      if (!first || left < least || !(enough || this.#bytes > bytesMax)) break
      this.#listed.shift()
      this.#gone.push(first)
      listed = left
      if (first.discontinuity) this.#discontinuitySequence += 1
    }
    // A removed segment stays as long as the longest playlist that listed it, plus itself (RFC 8216 6.2.2).
    let kept = this.#gone.reduce((sum, { duration }) => sum + duration, 0)
    while (this.#gone.length > 0 && (kept - 2 * this.#gone[0]!.duration > listed || this.#bytes > bytesMax)) {
      const gone = this.#gone.shift()!
      kept -= gone.duration
      this.#bytes -= gone.bytes
      this.#files.delete(gone.uri)
      if (![...this.#gone, ...this.#listed].some(({ map }) => map === gone.map)) this.#files.delete(gone.map)
    }
  }
}
