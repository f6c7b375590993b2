import type { Clock } from '../../platform/clock.ts'
import { ContinuedLine } from '../hub/continued-line.ts'
import { ReaderFan, type ReaderKind } from '../hub/reader-fan.ts'
import type { Log } from '../log.ts'
import type { PushElsewhere } from '../onair/on-air.ts'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'

/** How often it is looked where the push is, while there is no connection, in ms. */
const lookEvery = 100
/** Between two connections to the same push, in ms. */
const againAfter = 500
/** A push that is at no node for so long is over: it may be on its way from one to another. In ms. */
const movesWithin = 1500
/** After so long without media it is over for its players, in ms. */
const lostAfter = 15_000
/** It is read on for so long after its last player, in ms. */
const idleFor = 5000

/** Where the push of a channel is, and how it is read from there. */
export interface PullSource {
  /** Reads it in this process, where the push came here; undefined while it is elsewhere. */
  readonly joinHere: (reader: StreamReader) => (() => void) | undefined
  readonly elsewhere: () => PushElsewhere | undefined
  readonly connect: (
    there: PushElsewhere,
    events: { readonly packet: (packet: MediaPacket) => void; readonly ended: (fault?: string) => void },
  ) => () => void
}

/**
 * A push of another node, for the players of this one: one connection however many they are. It follows the push to
 * other nodes, on one timeline; `over` is called as it ends, or some seconds after the last player.
 */
export class PulledPush {
  readonly #cid: string
  readonly #source: PullSource
  readonly #clock: Clock
  readonly #log: Log
  readonly #over: () => void
  readonly #fan: ReaderFan
  readonly #line: ContinuedLine
  readonly #skipped = new Map<MediaPacket['kind'], MediaPacket>()
  #leave: (() => void) | undefined
  #isOver = false
  /** Media was given out. */
  #hasMedia = false
  /** It was, by a connection that is over, and not yet by the one after it. */
  #isContinued = false
  #cancelLook: (() => void) | undefined
  #cancelIdle: (() => void) | undefined
  /** The push that was read last, and when its connection began; monotonic ms. */
  #read: { readonly node: string; readonly since: number; readonly at: number } | undefined
  /** What went wrong with the last connection; the same again is not logged again. */
  #fault: string | undefined
  /** Since when it is at no node; monotonic ms. */
  #goneSince: number | undefined
  /** Monotonic time of the last packet, at first of the begin. */
  #heard: number

  constructor(cid: string, source: PullSource, options: { clock: Clock; log: Log; over: () => void }) {
    this.#cid = cid
    this.#source = source
    this.#clock = options.clock
    this.#log = options.log
    this.#over = options.over
    this.#heard = options.clock.monotonic()
    this.#fan = new ReaderFan(cid, () => undefined, options.log)
    this.#line = new ContinuedLine((packet) => void this.#fan.packet(packet))
    this.#look()
  }

  get viewers(): number {
    return this.#fan.viewers
  }

  join(reader: StreamReader, kind: ReaderKind): () => void {
    this.#cancelIdle?.()
    this.#cancelIdle = undefined
    const leave = this.#fan.join(reader, kind)
    return () => {
      leave()
      if (this.#fan.viewers > 0 || this.#isOver) return
      this.#cancelIdle?.()
      this.#cancelIdle = this.#clock.after(idleFor, () => this.end('closed'))
    }
  }

  /** Ends it for all players. */
  end(reason: 'lost' | 'closed'): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelLook?.()
    this.#cancelIdle?.()
    this.#leave?.()
    this.#fan.end(reason)
    this.#over()
  }

  #look(): void {
    if (this.#isOver) return
    const now = this.#clock.monotonic()
    if (this.#connect(now)) return
    if (now - this.#heard > lostAfter) return this.end('lost')
    this.#cancelLook = this.#clock.after(lookEvery, () => this.#look())
  }

  /** Whether it reads, or is over. */
  #connect(now: number): boolean {
    this.#leave = this.#source.joinHere({
      packet: (packet) => this.#packet(packet),
      ended: () => this.#ended(),
    })
    if (this.#leave) {
      this.#goneSince = undefined
      return true
    }
    const there = this.#source.elsewhere()
    if (!there) {
      this.#goneSince ??= now
      if (now - this.#goneSince < movesWithin) return false
      this.end('closed')
      return true
    }
    this.#goneSince = undefined
    const { node, since } = there
    const last = this.#read
    if (last?.node === node && last.since === since && now - last.at < againAfter) return false
    this.#read = { node, since, at: now }
    this.#leave = this.#source.connect(there, {
      packet: (packet) => this.#packet(packet),
      ended: (fault) => this.#ended(fault),
    })
    return true
  }

  #ended(fault?: string): void {
    this.#leave = undefined
    if (this.#isOver) return
    if (fault !== undefined && fault !== this.#fault)
      this.#log.warn({ cid: this.#cid, node: this.#read?.node, fault }, 'a push could not be read from its node')
    this.#fault = fault
    this.#isContinued = this.#hasMedia
    this.#skipped.clear()
    this.#cancelLook = this.#clock.after(lookEvery, () => this.#look())
  }

  #packet(packet: MediaPacket): void {
    if (this.#isOver) return
    const now = this.#clock.monotonic()
    if (this.#isContinued) {
      if (packet.configuration) this.#skipped.set(packet.kind, packet)
      if (packet.configuration || !this.#line.begins(packet)) return
      this.#resume(packet, now)
    }
    this.#heard = now
    if (!packet.configuration) this.#hasMedia = true
    this.#line.pass(packet)
  }

  /** The next part follows on the same timeline, after the time that passed. */
  #resume(packet: MediaPacket, now: number): void {
    const place = this.#line.head + now - this.#heard
    if (this.#line.canHold) this.#line.hold(place, this.#clock.now())
    this.#line.resume(packet, place)
    this.#isContinued = false
    for (const kind of ['data', 'video', 'audio'] as const) {
      const skipped = this.#skipped.get(kind)
      if (skipped) this.#line.pass({ ...skipped, timestamp: packet.timestamp })
    }
    this.#skipped.clear()
  }
}
