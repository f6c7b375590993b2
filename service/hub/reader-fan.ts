import { costPerPiece, HeldMemory } from './held-memory.ts'
import type { Log } from '../log.ts'
import type { MediaPacket, StreamReader } from '../timeline/packet.ts'

/** `flv` and `rtmp` count as viewers, `internal` (HLS, recorder, targets) does not. */
export type ReaderKind = 'flv' | 'rtmp' | 'internal'

/** Receives errors thrown by readers and listeners. */
export type HubLog = Pick<Log, 'warn'>

/** GOP cache, in ms and bytes with overhead. After a longer GOP, readers begin at the next key frame. */
export const gopCacheBounds = { duration: 20_000, bytes: 32 * 1024 * 1024, perPacket: costPerPiece } as const

interface ReaderSlot {
  readonly reader: StreamReader
  readonly kind: ReaderKind
  waiting: boolean
}

/** Passes packets to any number of readers; those that join later begin with the configurations and the GOP so far. */
export class ReaderFan {
  /** Current decoder configurations and onMetaData. */
  video: MediaPacket | undefined
  audio: MediaPacket | undefined
  metadata: MediaPacket | undefined
  readonly #cid: string
  readonly #longGop: () => void
  readonly #log: HubLog | undefined
  readonly #slots = new Set<ReaderSlot>()
  #gop: MediaPacket[] = []
  #gopBytes = 0
  readonly #gopMemory = new HeldMemory()
  #over = false

  /** `longGop` is called when a GOP does not fit the cache. */
  constructor(cid: string, longGop: () => void, log: HubLog | undefined) {
    this.#cid = cid
    this.#longGop = longGop
    this.#log = log
  }

  /** Media of the GOP so far, in ms. */
  get cached(): number {
    return (this.#gop.at(-1)?.timestamp ?? 0) - (this.#gop[0]?.timestamp ?? 0)
  }

  /** Memory of the GOP so far, in bytes. */
  get cachedBytes(): number {
    return this.#gopBytes
  }

  get viewers(): number {
    let count = 0
    for (const slot of this.#slots) if (slot.kind !== 'internal') count += 1
    return count
  }

  /** The configuration of the packet's kind. */
  known({ kind }: MediaPacket): MediaPacket | undefined {
    return kind === 'video' ? this.video : kind === 'audio' ? this.audio : this.metadata
  }

  /** Passes a packet on; false for a configuration that is known already, which is not passed on. */
  packet(packet: MediaPacket): boolean {
    if (packet.configuration) {
      if (this.known(packet)?.body.equals(packet.body)) return false
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
    if (!packet.configuration) this.#cache(packet)
    else if (packet.kind === 'video') this.video = packet
    else if (packet.kind === 'audio') this.audio = packet
    else this.metadata = packet
    return true
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
        this.#log?.warn({ err: error, cid: this.#cid }, 'a reader failed at its end')
      }
    }
  }

  #give(slot: ReaderSlot, packet: MediaPacket, attached = true): void {
    try {
      slot.reader.packet(packet)
    } catch (error) {
      if (attached) this.#slots.delete(slot)
      this.#log?.warn({ err: error, cid: this.#cid }, 'a reader failed and was removed')
    }
  }

  /** Frames of the old configuration must not follow the new one, neither from the cache nor to readers. */
  #holdVideo(): void {
    this.#emptyGop()
    for (const slot of this.#slots) slot.waiting = true
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
      this.#longGop()
      return
    }
    this.#gop.push(packet)
  }

  #emptyGop(): void {
    this.#gop = []
    this.#gopBytes = 0
    this.#gopMemory.clear()
  }
}
