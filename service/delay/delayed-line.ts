import { ContinuedLine } from '../hub/continued-line.ts'
import { ReaderFan, type ReaderKind } from '../hub/reader-fan.ts'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'
import type { DelayedLineOptions, LineState, Waiting } from './line-options.ts'
import { goesOn } from './goes-on.ts'
import { MediaQueue } from './media-queue.ts'
import { MemoryBound } from './memory-bound.ts'
import { SentMedia } from './sent-media.ts'
import type { WaitingPacket } from './segment-file.ts'

/** Delay that is kept in memory alone, in ms. */
export const memoryDelay = 20_000
/** How often delayed media is looked at, in ms. */
const sendEvery = 20

/**
 * What viewers and targets get of a channel: the push, later or held, on one timeline. It is one reader of the hub,
 * however many join here. Without delay and hold, packets pass at once and as they are.
 */
export class DelayedLine implements StreamReader {
  readonly #options: DelayedLineOptions
  readonly sent: SentMedia
  readonly #fan: ReaderFan
  readonly #line: ContinuedLine
  readonly #queue: MediaQueue
  #delay: number
  #isPushed = true
  #isOver = false
  /** The picture is held, or the beginning of a push awaited: by hand, or until a key frame is due. */
  #waiting: Waiting | undefined
  /** Since when it was last held by hand, in ms: the first picture of the push is not shown any more meanwhile. */
  #heldByHandAt: number | undefined
  /** The picture of `#line` is held. */
  #isHeld = false
  #head = 0
  #headAt = 0
  /** Monotonic time of the last packet sent. */
  #sentAt: number
  readonly #skipped = new Map<MediaPacket['kind'], MediaPacket>()
  /** Ends of pushes, by the number of the packet after them. */
  #ends: { readonly next: number; readonly at: number; readonly reason: 'lost' | 'closed' }[] = []
  readonly #bound = new MemoryBound()
  #cancel: (() => void) | undefined

  constructor(options: DelayedLineOptions) {
    const { cid, clock, log, files, name, delay, longGop } = options
    this.#options = options
    this.#fan = new ReaderFan(cid, longGop, log)
    this.sent = new SentMedia(this.#fan, clock)
    this.#line = new ContinuedLine((packet, held) => this.sent.give(packet, held, this.#delay > 0))
    this.#queue = new MediaQueue(name, files, (error) => {
      log?.warn({ err: error, cid }, 'the disk does not take delayed media: what memory does not hold is left out')
      this.#queue.usesDisk = false
      options.changed()
    })
    this.#delay = delay
    this.#queue.usesDisk = delay > memoryDelay
    this.#sentAt = clock.monotonic()
    if (delay > 0) this.#waiting = { byHand: undefined, isGrowing: true }
  }

  get video(): MediaPacket | undefined {
    return this.#fan.video
  }

  get audio(): MediaPacket | undefined {
    return this.#fan.audio
  }

  get viewers(): number {
    return this.#fan.viewers
  }

  /** A push is on air; otherwise the rest of one is sent. */
  get isPushed(): boolean {
    return this.#isPushed
  }

  /** Bytes of waiting media in memory, about. */
  get memory(): number {
    return this.#queue.memory
  }

  get state(): LineState {
    const first = this.#queue.firstAt((packet) => this.#line.begins(packet))
    return {
      byHand: this.#waiting?.byHand,
      noPictureSince: this.#waiting && !this.#isHeld ? this.#heldByHandAt : undefined,
      delay: this.#delay,
      isGrowing: this.#waiting?.isGrowing === true,
      goesOn: goesOn(this.#waiting, { first, delay: this.#delay, isPushed: this.#isPushed }, this.#options.clock),
      fault: this.#queue.isFaulty ? 'disk' : undefined,
    }
  }

  join(reader: StreamReader, kind: ReaderKind): () => void {
    return this.#fan.join(reader, kind)
  }

  packet(packet: MediaPacket): void {
    if (this.#isOver) return
    const now = this.#options.clock.monotonic()
    if (this.#delay === 0 && !this.#waiting && this.#queue.isEmpty) {
      this.#sentAt = now
      this.#line.pass(packet)
      return
    }
    if (this.#waiting?.byHand !== undefined) {
      // Who holds because of what happens now does not want it shown later either.
      if (packet.configuration) this.#skipped.set(packet.kind, packet)
      return this.#sendLater()
    }
    if (this.#isLeftOut(packet, now)) return this.#sendLater()
    const begins = (one: MediaPacket): boolean => this.#line.begins(one)
    const isFirst = this.#waiting !== undefined && begins(packet) && this.#queue.firstAt(begins) === undefined
    this.#queue.push(packet, now)
    if (this.#waiting && !this.#isHeld && this.#heldByHandAt === undefined) this.#prime(packet, now)
    if (isFirst) this.#options.changed()
    if (this.#delay === 0) this.#send()
    else this.#sendLater()
  }

  /** It is not in memory, and no disk takes it: the picture is held where it is missing. */
  #isLeftOut(packet: MediaPacket, at: number): boolean {
    if (this.#delay === 0) return this.#bound.forget()
    const missing = (): void => void this.#ends.push({ next: this.#queue.next, at, reason: 'lost' })
    return this.#bound.leavesOut(packet, this.#queue, this.#line.begins(packet), missing)
  }

  /** The push is over: what waits is still sent, unless the channel was cut or the picture is held by hand. */
  ended(reason: 'lost' | 'cut' | 'closed'): void {
    this.#isPushed = false
    if (reason === 'cut' || this.#delay === 0 || this.#queue.isEmpty || this.#waiting?.byHand !== undefined)
      return this.end(reason)
    this.#ends.push({ next: this.#queue.next, at: this.#options.clock.monotonic(), reason })
    this.#sendLater()
  }

  /** Another push begins while the rest of one is sent: it follows on the same timeline. */
  follow(): void {
    this.#isPushed = true
  }

  /** Ends it for all readers; nothing more is sent. */
  end(reason: 'lost' | 'cut' | 'closed'): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancel?.()
    this.#fan.end(reason)
    this.#options.over()
  }

  /** Ends and resolves when its files are removed. */
  async close(): Promise<void> {
    this.end('closed')
    await this.#queue.close()
  }

  /** Changes the delay: to a longer one the picture repeats, to a shorter one it jumps to a key frame. */
  setDelay(delay: number): void {
    this.#queue.usesDisk = delay > memoryDelay && !this.#queue.isFaulty
    if (delay > this.#delay) {
      this.#delay = delay
      this.#wait({ byHand: this.#waiting?.byHand, isGrowing: true })
    } else if (delay < this.#delay) this.#shorten(delay)
    this.#options.changed()
  }

  /** Holds the picture, if one was shown, until `back`: what waits and what comes meanwhile reaches nobody. */
  hold(since = this.#options.clock.now()): void {
    if (this.#waiting?.byHand === undefined) {
      this.#heldByHandAt = since
      this.#discard(this.#queue.next)
      this.#wait({ byHand: since, isGrowing: this.#delay > 0 })
    }
    this.#options.changed()
  }

  /** Goes on at the next key frame that comes, once its delay is reached. */
  back(): void {
    if (this.#waiting?.byHand === undefined) return
    this.#waiting = { byHand: undefined, isGrowing: this.#delay > 0 }
    this.#options.changed()
  }

  /** Discards what waits, and goes on without delay at the next key frame; returns the discarded ms. */
  dump(): number {
    const first = this.#queue.peek()?.at ?? this.#sentAt - this.#delay
    const discarded = this.#queue.isEmpty ? 0 : this.#options.clock.monotonic() - first
    if (this.#delay > 0 || !this.#queue.isEmpty) this.#shorten(0)
    if (!this.#isPushed) this.end(this.#ends.at(-1)?.reason ?? 'closed')
    this.#options.changed()
    return Math.max(0, Math.round(discarded))
  }

  #shorten(delay: number): void {
    const { clock } = this.#options
    this.#delay = delay
    this.#discard(this.#queue.keyFrom(clock.monotonic() - delay) ?? this.#queue.next)
    this.#wait({ byHand: this.#waiting?.byHand, isGrowing: false })
    this.#sendLater()
  }

  /** Discards what waits before a packet, but for the configurations. */
  #discard(first: number): void {
    for (const skipped of this.#queue.discard(first)) this.#skipped.set(skipped.kind, skipped)
    this.#ends = this.#ends.filter(({ next }) => next >= first)
  }

  /** The first picture of a push is shown while its delay is reached. */
  #prime(packet: MediaPacket, now: number): void {
    if (packet.configuration && !this.#fan.known(packet)) this.#line.pass(packet)
    if (packet.configuration || !packet.keyFrame) return
    this.#line.pass(packet)
    this.#sentAt = now
    this.#holdPicture()
  }

  #wait(waiting: Waiting): void {
    this.#waiting = waiting
    this.#holdPicture()
  }

  #holdPicture(): void {
    const { clock } = this.#options
    if (!this.#isHeld && this.#line.canHold) {
      this.#isHeld = true
      this.#head = this.#line.head
      this.#headAt = this.#sentAt
      this.#line.hold(this.#place(clock.monotonic()), clock.now())
    }
    this.#sendLater()
  }

  #place(now: number): number {
    return this.#head + now - this.#headAt
  }

  #sendLater(): void {
    if (!this.#cancel && !this.#isOver) this.#cancel = this.#options.clock.after(sendEvery, () => this.#timeToSend())
  }

  #timeToSend(): void {
    this.#cancel = undefined
    this.#send()
    if (this.#waiting || !this.#queue.isEmpty || this.#ends.length > 0) this.#sendLater()
  }

  /** Sends what is due, and repeats the picture while it is held. */
  #send(): void {
    const { clock } = this.#options
    const now = clock.monotonic()
    while (!this.#isOver) {
      const next = this.#queue.peek()
      if (this.#isEndDue(next, now)) {
        this.#afterEnd()
        continue
      }
      if (!next || next.at + this.#delay > now) break
      this.#queue.take()
      this.#take(next, now)
    }
    if (this.#isHeld && !this.#isOver) this.#line.advance(this.#place(now), clock.now())
  }

  #isEndDue(next: WaitingPacket | undefined, now: number): boolean {
    const [end] = this.#ends
    if (!end || now < end.at + this.#delay) return false
    return next ? next.number >= end.next : this.#queue.isEmpty
  }

  /** The end of a push is due: all is over, or the push that follows is waited for. */
  #afterEnd(): void {
    const end = this.#ends.shift()!
    if (!this.#isPushed && this.#ends.length === 0) this.end(end.reason)
    else this.#wait({ byHand: this.#waiting?.byHand, isGrowing: false })
  }

  #take({ packet }: WaitingPacket, now: number): void {
    const waiting = this.#waiting
    if (!waiting) {
      this.#sentAt = now
      this.#line.pass(packet)
      return
    }
    if (packet.configuration) this.#skipped.set(packet.kind, packet)
    if (packet.configuration || !this.#line.begins(packet)) return
    if (this.#isHeld) this.#line.resume(packet, this.#place(now))
    this.#waiting = undefined
    this.#isHeld = false
    for (const kind of ['data', 'video', 'audio'] as const) {
      const skipped = this.#skipped.get(kind)
      if (skipped) this.#line.pass({ ...skipped, timestamp: packet.timestamp })
    }
    this.#skipped.clear()
    this.#sentAt = now
    this.#line.pass(packet)
    this.#options.changed()
  }
}
