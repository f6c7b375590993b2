import type { Clock } from '../../platform/clock.ts'
import type { WayCounts } from './media-counts.ts'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'
import type { ReaderQueueLimits, ReaderOutput } from './reader-queue-output.ts'

/** Up to this many readers a batch is short, for low latency. */
const fewReaders = 8
/** Size at which a batch is written early; bytes. */
const batchBytes = 512 * 1024
/** A queue of at most this size counts as drained; bytes. */
const drainedBelow = 64 * 1024

/** `direct`: packet by packet; `member`: shared batches; `dropping`: waits for a key frame and a drained queue. */
type Mode = 'direct' | 'member' | 'dropping'

/** The readers of a stream over one protocol. Packets are batched once, and the batch is written to every socket. */
export type ReaderGroup = ReturnType<typeof createReaderGroup>

/** What the places of a group share. */
interface Shared {
  readonly counts: WayCounts | undefined
  /** The packet that was put into the batch last. */
  last: MediaPacket | undefined
  readonly take: (place: Place, packet: MediaPacket) => void
  readonly end: (place: Place, reason: 'lost' | 'cut' | 'closed') => void
}

/** A reader and its place in the group; one object, as each packet passes every reader. */
class Place implements StreamReader {
  readonly #shared: Shared
  readonly output: ReaderOutput
  readonly limits: ReaderQueueLimits
  mode: Mode = 'direct'
  /** When it joined, or resumed after a drop. */
  since: number
  video = false
  begun = false
  joined = false
  own: Buffer[] = []
  /** Configurations received while dropping. */
  readonly missed = new Map<MediaPacket['kind'], MediaPacket>()
  droppingSince = 0
  #total = 0
  #marks: { at: number; total: number }[] = []
  /** Size of the GOP cache, which may exceed the queue limit; applies until the queue has drained once. */
  #allowance: number | undefined

  constructor(shared: Shared, output: ReaderOutput, limits: ReaderQueueLimits, now: number) {
    this.#shared = shared
    this.output = output
    this.limits = limits
    this.since = now
  }

  packet(packet: MediaPacket): void {
    // Fast path: another reader has put the packet into the batch.
    if (packet === this.#shared.last && this.mode === 'member' && (this.video || packet.kind !== 'video')) return
    this.#shared.take(this, packet)
  }

  ended(reason: 'lost' | 'cut' | 'closed'): void {
    this.#shared.end(this, reason)
  }

  /** Writes to the socket; false if the reader is too slow. */
  write(bytes: readonly Buffer[], now: number): boolean {
    const { sink } = this.output
    const { counts } = this.#shared
    if (bytes.length > 1) sink.cork()
    for (const part of bytes) {
      sink.write(part)
      this.#total += part.length
      if (counts) counts.bytes += part.length
    }
    if (bytes.length > 1) sink.uncork()
    this.#allowance ??= this.#total
    const waiting = sink.writableLength
    if (waiting === 0) {
      if (this.#marks.length > 0) this.#marks = []
      this.#allowance = 0
      return true
    }
    this.#marks.push({ at: now, total: this.#total })
    while (this.#marks[0] && this.#marks[0].total <= this.#total - waiting) this.#marks.shift()
    return (
      waiting <= Math.max(this.limits.bytes, this.#allowance + this.limits.bytes / 2) &&
      now - (this.#marks[0]?.at ?? now) <= this.limits.age
    )
  }

  get drained(): boolean {
    if (this.output.sink.writableLength > drainedBelow) return false
    this.#marks = []
    return true
  }
}

/** Makes the group of a stream; `empty` is called when the last reader left. */
export function createReaderGroup(options: {
  /** Serialised once and kept with the packet, for `direct` readers. */
  readonly frame: (packet: MediaPacket) => Buffer
  /** Serialised for a batch; not kept, to spare the garbage collector. */
  readonly piece: (packet: MediaPacket) => Buffer
  /** The same for the packets of a whole batch, where a protocol can write them to one Buffer. */
  readonly pack?: ((packets: readonly MediaPacket[]) => Buffer) | undefined
  readonly clock: Clock
  readonly dropped: (packets: number) => void
  readonly limits: ReaderQueueLimits
  readonly counts?: WayCounts | undefined
  readonly empty: () => void
}) {
  const { frame, piece, clock, dropped, limits, counts, empty } = options
  const { pack = (packets) => (packets.length === 1 ? piece(packets[0]!) : Buffer.concat(packets.map(piece))) } =
    options
  const places = new Set<Place>()
  let pending: MediaPacket[] = []
  let pendingBytes = 0
  let timer: NodeJS.Timeout | undefined
  let soon = false
  let urgent = false

  const put = (place: Place, bytes: readonly Buffer[], now: number): void => {
    if (place.write(bytes, now)) return
    place.mode = 'dropping'
    place.droppingSince = now
  }
  const flushOwn = (place: Place, now: number): void => {
    if (place.own.length === 0) return
    const bytes = place.own
    place.own = []
    put(place, bytes, now)
  }
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = []
    pendingBytes = 0
    if (batch.length === 0) return
    const now = clock.monotonic()
    let bytes: Buffer[] | undefined
    for (const place of places) {
      if (place.mode === 'member') put(place, (bytes ??= [pack(batch)]), now)
      else if (place.mode === 'direct' && now - place.since >= limits.direct && (place.begun || !place.video)) {
        flushOwn(place, now)
        if (place.mode === 'direct') place.mode = 'member'
      }
    }
  }
  /** After the hub has passed the packet to every reader, so that all are in step. */
  const flushSoon = (): void => {
    if (soon) return
    soon = true
    queueMicrotask(() => {
      soon = false
      const now = clock.monotonic()
      for (const place of places) flushOwn(place, now)
      if (!urgent) return
      urgent = false
      flush()
    })
  }

  const gather = (packet: MediaPacket): void => {
    shared.last = packet
    pending.push(packet)
    pendingBytes += packet.body.length
    if (packet.keyFrame || pendingBytes >= batchBytes) {
      urgent = true
      flushSoon()
    } else timer ??= setTimeout(flush, places.size <= fewReaders ? limits.batchFew : limits.batchMany)
  }
  const resume = (place: Place, packet: MediaPacket): boolean => {
    const now = clock.monotonic()
    if (packet.configuration) {
      place.missed.set(packet.kind, packet)
      return false
    }
    if (place.video ? packet.keyFrame : packet.kind === 'audio') {
      if (place.drained) {
        place.mode = 'direct'
        place.since = now
        for (const missed of place.missed.values()) place.own.push(frame(missed))
        place.missed.clear()
        return true
      }
    }
    dropped(1)
    if (counts) counts.dropped += 1
    place.output.dropped?.(packet)
    if (now - place.droppingSince >= limits.stuck && !place.drained) {
      remove(place)
      if (counts) counts.stuck += 1
      place.output.stuck()
    }
    return false
  }
  const remove = (place: Place): void => {
    if (!places.delete(place)) return
    if (counts) counts.readers -= 1
    if (places.size > 0) return
    clearTimeout(timer)
    timer = undefined
    pending = []
    pendingBytes = 0
    empty()
  }

  const shared: Shared = {
    counts,
    last: undefined,
    take(place, packet) {
      if (!places.has(place)) return
      if (packet.kind === 'video') {
        place.video = true
        place.begun ||= packet.keyFrame
      }
      if (place.joined && packet !== shared.last) gather(packet)
      if (place.mode === 'member') return
      if (place.mode === 'dropping' && !resume(place, packet)) return
      place.own.push(frame(packet))
      flushSoon()
    },
    end(place, reason) {
      if (!places.has(place)) return
      flushOwn(place, clock.monotonic())
      flush()
      remove(place)
      place.output.over(reason)
    },
  }

  return {
    open(output: ReaderOutput) {
      const place = new Place(shared, output, limits, clock.monotonic())
      places.add(place)
      if (counts) counts.readers += 1
      const reader: StreamReader = place
      return {
        reader,
        /** The backlog is delivered: later packets are live. */
        joined: () => {
          place.joined = true
        },
        close: () => remove(place),
      }
    },
  }
}
