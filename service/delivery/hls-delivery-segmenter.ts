import { costPerPiece, HeldMemory } from '../hub/held-memory.ts'
import { HlsRun, maxSegmentBytes, type HlsClock, type HlsMap, type HlsSegment } from './hls-delivery-run.ts'
import type { MediaLoss, MediaPacket } from '../timeline/packet.ts'
import { configured, isCoded, type SliceTracks } from '../timeline/tracks.ts'

/** Longest wait for both decoder configurations; ms of media or of the clock. */
const configurationWait = 2000
/** Packets and bytes held during the wait; beyond either the run begins. */
const maxHeldPackets = 20_000
const maxHeldBytes = maxSegmentBytes

/** Receives the MAP of a run, then its segments. */
export interface HlsSink {
  map(map: HlsMap): void
  segment(segment: HlsSegment, targetDuration: number): void
  leftOut(loss: MediaLoss): void
}

/** One playlist over consecutive pushes; a change of tracks, configuration or clock begins a new run. */
export class HlsSegmenter {
  readonly #sink: HlsSink
  readonly #clock: HlsClock = { targetDuration: undefined, position: 0, date: 0, fragment: 1 }
  #tracks: SliceTracks = {}
  #run: HlsRun | undefined
  #mapped: HlsRun | undefined
  #held: MediaPacket[] = []
  #heldBytes = 0
  readonly #heldMemory = new HeldMemory()
  #first: MediaPacket | undefined

  constructor(sink: HlsSink) {
    this.#sink = sink
  }

  packet(packet: MediaPacket): void {
    if (packet.kind === 'data') return
    this.#first ??= packet
    if (packet.configuration) this.#configure(packet)
    else if (!isCoded(packet)) return
    else if (!this.#run) this.#gather(packet)
    else if (!this.#run.packet(packet)) {
      this.#run = undefined
      this.#gather(packet)
    }
  }

  /** End of the push: held packets become segments; the next packet belongs to another push. */
  end(): void {
    if (!this.#run && this.#held.length > 0) this.#begin()
    this.#close()
    this.#tracks = {}
    this.#first = undefined
  }

  #close(): void {
    this.#run?.close()
    this.#run = undefined
    this.#held = []
  }

  #configure(packet: MediaPacket): void {
    const tracks = configured(this.#tracks, packet)
    if (tracks === this.#tracks) return
    this.#tracks = tracks
    if (this.#run) this.#close()
    else if (packet.kind === 'video') this.#held = []
  }

  #gather(packet: MediaPacket): void {
    const { video, audio } = this.#tracks
    const first = this.#first ?? packet
    if (
      packet.kind === 'video'
        ? !video || (this.#held.length === 0 && !packet.keyFrame)
        : video && this.#held.length === 0
    )
      return
    if (this.#held.length === 0) {
      this.#heldBytes = 0
      this.#heldMemory.clear()
    }
    this.#heldBytes += this.#heldMemory.add(packet.body) + costPerPiece
    this.#held.push(packet)
    const waited = Math.max(packet.arrived - first.arrived, packet.timestamp - first.timestamp) >= configurationWait
    if ((video && audio) || waited || this.#held.length >= maxHeldPackets || this.#heldBytes >= maxHeldBytes)
      this.#begin()
  }

  #begin(): void {
    const held = this.#held
    this.#held = []
    const [first] = held
    const { video, audio } = this.#tracks
    if (!first || !(video || audio)) return
    const run = new HlsRun(this.#tracks, first, this.#clock, {
      segment: (segment) => {
        if (this.#mapped !== run) this.#sink.map(run.map)
        this.#mapped = run
        this.#sink.segment(segment, this.#clock.targetDuration ?? 0)
      },
      leftOut: (loss) => this.#sink.leftOut(loss),
    })
    this.#run = run
    for (const packet of held) this.packet(packet)
  }
}
