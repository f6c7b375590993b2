import type { ReaderFan } from '../hub/reader-fan.ts'
import type { Clock } from '../../platform/clock.ts'
import type { MediaPacket } from '../timeline/packet.ts'

/** The newest media that was sent: its timestamp, when it was sent, and by how long it was kept back; all in ms. */
export interface NewestSent {
  readonly timestamp: number
  readonly sent: number
  readonly delay: number
}

/** What leaves a line. Delayed media gets the time at which it is sent, so that dates of HLS never go back. */
export class SentMedia {
  readonly #fan: Pick<ReaderFan, 'packet' | 'video'>
  readonly #clock: Pick<Clock, 'now'>
  #newest: { readonly packet: MediaPacket; readonly sent: number } | undefined
  #heldSince: number | undefined

  constructor(fan: Pick<ReaderFan, 'packet' | 'video'>, clock: Pick<Clock, 'now'>) {
    this.#fan = fan
    this.#clock = clock
  }

  get newest(): NewestSent | undefined {
    if (!this.#newest) return undefined
    const { packet, sent } = this.#newest
    return { timestamp: packet.timestamp, sent, delay: Math.max(0, sent - packet.arrived) }
  }

  /** Since when the line repeats its last picture, in ms. */
  get heldSince(): number | undefined {
    return this.#heldSince
  }

  /** Sends a packet; `held` is one that repeats. */
  give(packet: MediaPacket, held: boolean, isDelayed: boolean): void {
    if (!packet.configuration) {
      const sent = isDelayed ? this.#clock.now() : packet.arrived
      // The other track may be half a second apart.
      if (!held && (packet.kind === 'video' || !this.#fan.video)) this.#newest = { packet, sent }
      this.#heldSince = held ? (this.#heldSince ?? sent) : undefined
      if (sent !== packet.arrived) return void this.#fan.packet({ ...packet, arrived: sent })
    }
    this.#fan.packet(packet)
  }
}
