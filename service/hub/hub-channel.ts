import type { IngestFigures } from '../../contract/local-events.ts'
import { aacName, readAacConfiguration, type AacConfiguration } from '../media/aac.ts'
import { avcName, readAvcConfiguration, type AvcConfiguration } from '../media/avc.ts'
import { ContinuedLine } from './continued-line.ts'
import { createIngestHealth } from '../timeline/ingest-health.ts'
import { createIngestMeter } from '../timeline/ingest-meter.ts'
import type { MediaLoss, MediaPacket, StreamReader } from '../timeline/packet.ts'
import { ReaderFan, type HubLog, type ReaderKind } from './reader-fan.ts'

export { gopCacheBounds } from './reader-fan.ts'
export type { HubLog, ReaderKind }

/** A channel on air. */
export type LiveStream = Readonly<
  Pick<
    LiveChannel,
    'cid' | 'startedAt' | 'remote' | 'lastPacketAt' | 'heard' | 'video' | 'audio' | 'metadata' | 'cached'
  >
>

/** What a channel reports to the hub. */
export interface ChannelReport {
  notice(type: 'codecs' | 'firstKeyFrame' | 'returned', detail: string): void
  leftOut(loss: MediaLoss): void
}

/** Where an encoder is, and what it calls itself. */
export interface PushSource {
  readonly remote: string
  readonly encoder?: string
}

/** A moment: ms since 1970, and monotonic ms. */
export interface PushTime {
  readonly wall: number
  readonly monotonic: number
}

/** Bytes before the configuration record in an AVC and an AAC body (FLV specification E.4.3.1, E.4.2.1). */
const avcHeader = 5
const aacHeader = 2
/** A returned encoder that sends sound and no picture for this long, in ms of media, goes on without one. */
const pictureWait = 3000

/** A channel on air: readers, GOP cache and figures. Holds the picture while its encoder is lost. */
export class LiveChannel {
  readonly cid: string
  /** Start of the push, in ms. */
  readonly startedAt: number
  remote: string
  encoder: string | undefined
  /** Frames per 1,000 s, as declared by the publisher. */
  declared: number | undefined
  /** Time of the last packet in ms; at first that of the start. */
  lastPacketAt: number
  /** Monotonic time of the last packet; ms. */
  heard: number
  droppedForReaders = 0
  /** Monotonic time, and ms since 1970, at which the picture began to be held; undefined while it is not. */
  held: PushTime | undefined
  #meter = createIngestMeter()
  #health = createIngestHealth()
  /** Bitrate of the encoder before, until that of the one that returned is measured. */
  #kbpsBefore: number | undefined
  readonly #fan: ReaderFan
  readonly #line: ContinuedLine
  readonly #report: ChannelReport
  #avc: AvcConfiguration | undefined
  #aac: AacConfiguration | undefined
  #begun = false
  /** Names of the codecs, and those last announced. */
  #codecs = ''
  #said = ''
  /** Configurations of an encoder that returned, until its first key frame; and its first sound. */
  readonly #returning = new Map<MediaPacket['kind'], MediaPacket>()
  #firstSound: number | undefined
  /** Monotonic time at which the line was at its head, while held. */
  #headAt = 0
  #head = 0

  constructor(cid: string, source: PushSource, now: PushTime, report: ChannelReport, log: HubLog | undefined) {
    this.cid = cid
    this.startedAt = now.wall
    this.lastPacketAt = now.wall
    this.heard = now.monotonic
    this.remote = source.remote
    this.encoder = source.encoder
    this.#report = report
    this.#fan = new ReaderFan(cid, () => report.leftOut('longGop'), log)
    this.#line = new ContinuedLine((packet, held) => this.#out(packet, held))
  }

  get video(): MediaPacket | undefined {
    return this.#fan.video
  }

  get audio(): MediaPacket | undefined {
    return this.#fan.audio
  }

  get metadata(): MediaPacket | undefined {
    return this.#fan.metadata
  }

  /** Media that a reader gets as it joins, in ms. */
  get cached(): number {
    return this.#fan.cached
  }

  /** Memory of that, in bytes. */
  get cachedBytes(): number {
    return this.#fan.cachedBytes
  }

  get viewers(): number {
    return this.#fan.viewers
  }

  packet(packet: MediaPacket, now: number): void {
    this.lastPacketAt = packet.arrived
    this.heard = now
    this.#meter.add(packet, now)
    this.#health.add(packet, now)
    if (this.held && !this.#returns(packet, now)) return
    this.#line.pass(packet)
  }

  join(reader: StreamReader, kind: ReaderKind): () => void {
    return this.#fan.join(reader, kind)
  }

  end(reason: 'lost' | 'cut' | 'closed'): void {
    this.#fan.end(reason)
  }

  /** There is a picture or sound that can be held. */
  get canHold(): boolean {
    return this.#line.canHold
  }

  /** The encoder is lost: repeats its last key frame, with silence, from where the push would be now. */
  hold(now: PushTime): void {
    if (this.held) return
    this.held = now
    this.#head = this.#line.head
    this.#headAt = this.heard
    this.#line.hold(this.#place(now.monotonic), now.wall)
  }

  /** Gives out what is due of a held picture. */
  advance(now: PushTime): void {
    if (this.held) this.#line.advance(this.#place(now.monotonic), now.wall)
  }

  /** Another encoder goes on with this push, at its first key frame. */
  adopt({ remote, encoder }: PushSource, now: PushTime): void {
    this.remote = remote
    this.encoder = encoder
    this.declared = undefined
    this.heard = now.monotonic
    this.lastPacketAt = now.wall
    this.#returning.clear()
    this.#firstSound = undefined
    this.#kbpsBefore = this.lastKbps
    this.#meter = createIngestMeter()
    this.#health = createIngestHealth()
  }

  /** Last measured bitrate of this push in kbit/s, also while nothing arrives; undefined in its first 2 s. */
  get lastKbps(): number | undefined {
    return this.#meter.lastKbps() ?? this.#kbpsBefore
  }

  figures(now: number): Omit<IngestFigures, 'viewers'> {
    return {
      ...this.#meter.figures(now),
      ...this.#health.figures(now),
      ...(this.declared !== undefined && { millifpsDeclared: this.declared }),
      ...(this.#avc && { width: this.#avc.width, height: this.#avc.height, videoCodec: avcName(this.#avc) }),
      ...(this.#aac && {
        audioCodec: this.#aac.name,
        sampleRate: this.#aac.sampleRate,
        ...(this.#aac.channels !== undefined && { audioChannels: this.#aac.channels }),
      }),
      ...(this.encoder !== undefined && { encoder: this.encoder }),
      droppedForReaders: this.droppedForReaders,
    }
  }

  #place(now: number): number {
    return this.#head + now - this.#headAt
  }

  /** Whether the hold ends with this packet of an encoder that returned; its configurations are passed on then. */
  #returns(packet: MediaPacket, now: number): boolean {
    if (packet.configuration) {
      this.#returning.set(packet.kind, packet)
      return false
    }
    if (packet.kind === 'audio') this.#firstSound ??= packet.timestamp
    const isSoundOnly =
      packet.kind === 'audio' &&
      !this.#returning.has('video') &&
      packet.timestamp - (this.#firstSound ?? packet.timestamp) >= pictureWait
    if (!this.#line.begins(packet) && !isSoundOnly) return false
    this.#line.resume(packet, this.#place(now))
    this.held = undefined
    for (const kind of ['data', 'video', 'audio'] as const) {
      const configuration = this.#returning.get(kind)
      if (configuration) this.#line.pass({ ...configuration, timestamp: packet.timestamp })
    }
    this.#returning.clear()
    this.#report.notice('returned', this.#codecs)
    return true
  }

  #out(packet: MediaPacket, held: boolean): void {
    if (!this.#fan.packet(packet)) return
    if (packet.configuration) this.#configure(packet)
    else if (!held) this.#announce(packet)
  }

  #configure(packet: MediaPacket): void {
    if (packet.kind === 'video') this.#avc = readAvcConfiguration(packet.body.subarray(avcHeader))
    else if (packet.kind === 'audio') this.#aac = readAacConfiguration(packet.body.subarray(aacHeader))
    this.#codecs = [
      this.#avc && `${avcName(this.#avc)} ${this.#avc.width}x${this.#avc.height}`,
      this.#aac && aacName(this.#aac),
    ]
      .filter((part) => part !== undefined)
      .join(', ')
  }

  #announce(packet: MediaPacket): void {
    if (packet.kind === 'data') return
    if (this.#codecs !== this.#said) {
      this.#said = this.#codecs
      this.#report.notice('codecs', this.#said)
    }
    if (!packet.keyFrame || this.#begun) return
    this.#begun = true
    this.#report.notice('firstKeyFrame', this.#said)
  }
}
