import { hash } from 'node:crypto'
import { connect } from 'node:net'
import type { Amf0Value } from '../../service/media/amf0.ts'
import { writeAmf0 } from '../../service/media/amf0-writer.ts'
import { readAmf0 } from '../../service/media/amf0-reader.ts'
import { ChunkReader, publisherBounds } from '../../service/media/rtmp-chunk-reader.ts'
import { writeChunks } from '../../service/media/rtmp-chunk-writer.ts'
import { handshakeLength } from '../../service/media/rtmp-handshake.ts'
import { rtmpType } from '../../service/media/rtmp-message.ts'
import { FlvReader } from '../../service/media/flv-reader.ts'
import { readMediaPlaylist } from '../../service/media/testing/hls-playlist-reader.ts'

/** What a reader saw of a broadcast: times in ms. */
export interface Seen {
  readonly protocol: 'flv' | 'rtmp' | 'hls'
  packets: number
  /** Ends of the connection, or answers other than 200. */
  ends: number
  /** Longest time without media on the wire, and longest step of a track's timestamps. */
  longestGap: number
  longestStep: number
  /** Steps back of a track. */
  back: number
  /** Largest change of the tracks' distance from each other, against the pushed file; and how often it was seen. */
  drift: number
  drifts: number
  faults: string[]
}

/** Timestamps of the pushed file by the SHA-1 of a frame. */
export type KnownMedia = ReadonlyMap<string, number>

/** A running reader. */
export interface Reader {
  readonly seen: Seen
  stop(): Promise<void>
}

const seenOf = (protocol: Seen['protocol']): Seen => ({
  protocol,
  packets: 0,
  ends: 0,
  longestGap: 0,
  longestStep: 0,
  back: 0,
  drift: 0,
  drifts: 0,
  faults: [],
})

/** Differences this large are of two rounds of a file that is pushed in a loop; ms. */
const anotherRound = 5000

/** Checks the timestamps of a stream: never back, and both tracks moved alike against the pushed file. */
function createChecker(seen: Seen, media: KnownMedia) {
  const last = { video: -1, audio: -1 }
  const moved: { video: number | undefined; audio: number | undefined } = { video: undefined, audio: undefined }
  let heard = 0
  const compare = (kind: 'video' | 'audio', timestamp: number, body: Buffer): void => {
    // A key frame may be one that is held.
    if (kind === 'video' && body[0]! >> 4 === 1) return
    const made = media.get(hash('sha1', body, 'hex'))
    if (made === undefined) {
      // Silence of a hold: what comes after is moved otherwise.
      moved.video = undefined
      moved.audio = undefined
      return
    }
    moved[kind] = timestamp - made
    if (moved.video === undefined || moved.audio === undefined) return
    const drift = Math.abs(moved.video - moved.audio)
    if (drift > anotherRound) return
    seen.drifts += 1
    seen.drift = Math.max(seen.drift, drift)
  }
  return (kind: 'video' | 'audio' | 'data', timestamp: number, body: Buffer): void => {
    if (kind === 'data' || body[1] !== 1) return
    if (media.size > 0) compare(kind, timestamp, body)
    const now = performance.now()
    seen.packets += 1
    // The backlog on joining comes at once.
    if (heard > 0) seen.longestGap = Math.max(seen.longestGap, now - heard)
    heard = now
    const step = timestamp - last[kind]
    if (last[kind] >= 0) {
      if (step < 0) seen.back += 1
      seen.longestStep = Math.max(seen.longestStep, step)
    }
    last[kind] = timestamp
  }
}

/** Reads HTTP-FLV. */
export function readFlv(url: string, media: KnownMedia = new Map()): Reader {
  const seen = seenOf('flv')
  const check = createChecker(seen, media)
  const stopped = new AbortController()
  const reading = (async () => {
    const answer = await fetch(url, { signal: stopped.signal })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    const reader = new FlvReader(({ kind, timestamp, body }) => check(kind, timestamp, body))
    for await (const bytes of answer.body!) reader.push(Buffer.from(bytes as Uint8Array))
    if (!stopped.signal.aborted) seen.ends += 1
  })().catch((error: unknown) => {
    if (!stopped.signal.aborted) seen.faults.push(String(error))
  })
  return {
    seen,
    async stop() {
      stopped.abort()
      await reading
    },
  }
}

/** Plays over RTMP. */
export function readRtmp(host: string, port: number, stream: string, media: KnownMedia): Reader {
  const seen = seenOf('rtmp')
  const check = createChecker(seen, media)
  let isStopped = false
  let shaken = 0
  const socket = connect({ host, port })
  const command = (name: string, transaction: number, streamId: number, ...values: Amf0Value[]): void =>
    void socket.write(
      writeChunks(
        { type: rtmpType.command, streamId, timestamp: 0, body: writeAmf0(name, transaction, ...values) },
        3,
        128,
      ),
    )
  const chunks = new ChunkReader(({ type, timestamp, body }) => {
    if (type === rtmpType.command) {
      const [name, transaction, , status] = readAmf0(body)
      if (name === '_result' && transaction === 1) command('createStream', 2, 0, null)
      else if (name === '_result') command('play', 3, 1, null, stream)
      else if (name === 'onStatus' && (status as { level?: unknown }).level === 'error')
        seen.faults.push(String((status as { code?: unknown }).code))
    } else if (type === rtmpType.video) check('video', timestamp, body)
    else if (type === rtmpType.audio) check('audio', timestamp, body)
  }, publisherBounds)
  const greeting = 1 + 2 * handshakeLength
  socket.on('connect', () => socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(handshakeLength, 7)])))
  socket.on('data', (bytes: Buffer) => {
    const skip = Math.min(greeting - shaken, bytes.length)
    shaken += skip
    if (skip > 0 && shaken === greeting) {
      socket.write(Buffer.alloc(handshakeLength, 9))
      command('connect', 1, 0, { app: 'live', tcUrl: `rtmp://${host}:${port}/live` })
    }
    if (skip < bytes.length) chunks.push(bytes.subarray(skip))
  })
  socket.on('error', (error) => void (isStopped || seen.faults.push(String(error))))
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      if (!isStopped) seen.ends += 1
      resolve()
    })
  })
  return {
    seen,
    async stop() {
      isStopped = true
      socket.destroy()
      await closed
    },
  }
}

/** Polls a playlist and fetches its segments; the time between two new segments is its gap. */
export function readHls(url: string): Reader {
  const seen = seenOf('hls')
  let isStopped = false
  const known = new Set<string>()
  let next: number | undefined
  let heard = 0
  const look = async (): Promise<void> => {
    const answer = await fetch(url)
    if (!answer.ok) {
      seen.ends += 1
      return
    }
    const { segments, mediaSequence: sequence, ended } = readMediaPlaylist(await answer.text())
    if (ended) seen.ends += 1
    for (const [index, { uri, duration }] of segments.entries()) {
      if (known.has(uri)) continue
      const number = sequence + index
      if (next !== undefined && number !== next) seen.faults.push(`segment ${number} after ${next - 1}`)
      next = number + 1
      known.add(uri)
      const file = await fetch(new URL(uri, url))
      if (!file.ok) seen.faults.push(`${uri}: ${file.status}`)
      await file.arrayBuffer()
      const now = performance.now()
      // What is late beyond its own length.
      if (heard > 0) seen.longestGap = Math.max(seen.longestGap, now - heard - duration * 1000)
      heard = now
      seen.packets += 1
    }
  }
  const reading = (async () => {
    while (!isStopped) {
      await look().catch((error: unknown) => seen.faults.push(String(error)))
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  })()
  return {
    seen,
    async stop() {
      isStopped = true
      await reading
    },
  }
}
