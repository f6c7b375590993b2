import type { IngestFigures } from '../../contract/local-events.ts'
import { aacName, readAacConfiguration, type AacConfiguration } from '../media/aac.ts'
import { avcName, readAvcConfiguration, type AvcConfiguration } from '../media/avc.ts'
import { costPerPiece, HeldMemory } from './held-memory.ts'
import { createIngestHealth } from '../timeline/ingest-health.ts'
import { createIngestMeter } from '../timeline/ingest-meter.ts'
import type { Log } from '../log.ts'
import type { MediaLoss, MediaPacket, StreamReader } from '../timeline/packet.ts'

/** `flv` and `rtmp` count as viewers, `internal` (HLS, recorder) does not. */
export type ReaderKind = 'flv' | 'rtmp' | 'internal'

/** A channel on air. */
export type LiveStream = Readonly<
  Pick<LiveChannel, 'cid' | 'startedAt' | 'remote' | 'lastPacketAt' | 'video' | 'audio' | 'metadata'>
>

/** Receives errors thrown by readers and listeners. */
export type HubLog = Pick<Log, 'warn'>

/** What a channel reports to the hub. */
export interface ChannelReport {
  notice(type: 'codecs' | 'firstKeyFrame', detail: string): void
  leftOut(loss: MediaLoss): void
}

/** GOP cache, in ms and bytes with overhead. After a longer GOP, readers begin at the next key frame. */
export const gopCacheBounds = { duration: 20_000, bytes: 32 * 1024 * 1024, perPacket: costPerPiece } as const

interface ReaderSlot {
  readonly reader: StreamReader
  readonly kind: ReaderKind
  waiting: boolean
}

/** Bytes before the configuration record in an AVC and an AAC body (FLV specification E.4.3.1, E.4.2.1). */
const avcHeader = 5
const aacHeader = 2

/** A channel on air: readers, GOP cache and figures. */
export class LiveChannel {
  readonly cid: string
  /** Start of the push, in ms. */
  readonly startedAt: number
  readonly remote: string
  encoder: string | undefined
  /** Frames per 1,000 s, as declared by the publisher. */
  declared: number | undefined
  /** Time of the last packet in ms; at first that of the start. */
  lastPacketAt: number
  /** Monotonic time of the last packet; ms. */
  heard: number
  droppedForReaders = 0
  /** Current decoder configurations and onMetaData. */
  video: MediaPacket | undefined
  audio: MediaPacket | undefined
  metadata: MediaPacket | undefined
  readonly #meter = createIngestMeter()
  readonly #health = createIngestHealth()
  readonly #slots = new Set<ReaderSlot>()
  readonly #report: ChannelReport
  readonly #log: HubLog | undefined
  #gop: MediaPacket[] = []
  #gopBytes = 0
  readonly #gopMemory = new HeldMemory()
  #avc: AvcConfiguration | undefined
  #aac: AacConfiguration | undefined
  #begun = false
  /** Names of the codecs, and those last announced. */
  #codecs = ''
  #said = ''
  #over = false

  constructor(
    cid: string,
    source: { readonly remote: string; readonly encoder?: string },
    now: { readonly wall: number; readonly monotonic: number },
    report: ChannelReport,
    log: HubLog | undefined,
  ) {
    this.cid = cid
    this.startedAt = now.wall
    this.lastPacketAt = now.wall
    this.heard = now.monotonic
    this.remote = source.remote
    this.encoder = source.encoder
    this.#report = report
    this.#log = log
  }

  get viewers(): number {
    let count = 0
    for (const slot of this.#slots) if (slot.kind !== 'internal') count += 1
    return count
  }

  packet(packet: MediaPacket, now: number): void {
    this.lastPacketAt = packet.arrived
    this.heard = now
    this.#meter.add(packet, now)
    this.#health.add(packet, now)
    if (packet.configuration) {
      if (this.#known(packet)?.body.equals(packet.body)) return
      if (packet.kind === 'video') this.#holdVideo()
    }
    // Readers first, cache after: a reader that joins meanwhile gets this packet exactly once.
    for (const slot of this.#slots) {
      if (slot.waiting && packet.kind === 'video' && !packet.configuration) {
        if (!packet.keyFrame) continue
        slot.waiting = false
      }
      this.#give(slot, packet)
    }
    if (packet.configuration) this.#configure(packet)
    else {
      this.#cache(packet)
      this.#announce(packet)
    }
  }

  join(reader: StreamReader, kind: ReaderKind): () => void {
    const slot: ReaderSlot = { reader, kind, waiting: this.#gop.length === 0 }
    for (const packet of [this.metadata, this.video, this.audio]) if (packet) this.#give(slot, packet, false)
    for (const packet of this.#gop) this.#give(slot, packet, false)
    if (!this.#over) this.#slots.add(slot)
    return () => void this.#slots.delete(slot)
  }

  end(reason: 'lost' | 'cut' | 'closed'): void {
    this.#over = true
    const slots = [...this.#slots]
    this.#slots.clear()
    this.#emptyGop()
    for (const { reader } of slots) {
      try {
        reader.ended(reason)
      } catch (error) {
        this.#log?.warn({ err: error, cid: this.cid }, 'a reader failed at its end')
      }
    }
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

  #known(packet: MediaPacket): MediaPacket | undefined {
    return packet.kind === 'video' ? this.video : packet.kind === 'audio' ? this.audio : this.metadata
  }

  #give(slot: ReaderSlot, packet: MediaPacket, attached = true): void {
    try {
      slot.reader.packet(packet)
    } catch (error) {
      if (attached) this.#slots.delete(slot)
      this.#log?.warn({ err: error, cid: this.cid }, 'a reader failed and was removed')
    }
  }

  /** Frames of the old configuration must not follow the new one, neither from the cache nor to readers. */
  #holdVideo(): void {
    this.#emptyGop()
    for (const slot of this.#slots) slot.waiting = true
  }

  #configure(packet: MediaPacket): void {
    if (packet.kind === 'video') {
      this.video = packet
      this.#avc = readAvcConfiguration(packet.body.subarray(avcHeader))
    } else if (packet.kind === 'audio') {
      this.audio = packet
      this.#aac = readAacConfiguration(packet.body.subarray(aacHeader))
    } else this.metadata = packet
    this.#codecs = [
      this.#avc && `${avcName(this.#avc)} ${this.#avc.width}x${this.#avc.height}`,
      this.#aac && aacName(this.#aac),
    ]
      .filter((part) => part !== undefined)
      .join(', ')
  }

  #cache(packet: MediaPacket): void {
    if (packet.keyFrame) this.#emptyGop()
    const first = this.#gop[0]
    if (!first && !packet.keyFrame) return
    this.#gopBytes += this.#gopMemory.add(packet.body) + gopCacheBounds.perPacket
    if (
      first &&
      (packet.timestamp - first.timestamp > gopCacheBounds.duration || this.#gopBytes > gopCacheBounds.bytes)
    ) {
      this.#emptyGop()
      this.#report.leftOut('longGop')
      return
    }
    this.#gop.push(packet)
  }

  #emptyGop(): void {
    this.#gop = []
    this.#gopBytes = 0
    this.#gopMemory.clear()
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
