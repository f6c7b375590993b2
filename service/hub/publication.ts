import type { PushEnd } from '../../contract/push-ends.ts'
import type { RetimeReason } from '../timeline/ingest-timeline.ts'
import type { MediaLoss, MediaPacket } from '../timeline/packet.ts'

/** Why the hub ended a push. */
export type CutReason = 'cut' | 'replaced' | 'silent' | 'closing'
/** A publisher's handle. Calls after `end` or `onCut` are ignored. */
export interface Publication {
  /** Passes a packet to all readers, synchronously. */
  packet(packet: MediaPacket): void
  /** Name of the encoder, if learnt late. */
  identify(encoder: string): void
  /** Frames per 1,000 s, as declared by the publisher. */
  declare(millifps: number): void
  /** Timestamps were corrected; each reason is reported at most once in 10 s. */
  retimed(reason: RetimeReason): void
  /** Media was omitted; reported like `retimed`. */
  leftOut(loss: MediaLoss): void
  /** Ends the push: `closed` by the publisher, `lost` when it vanished. */
  end(reason: 'lost' | 'closed', why?: PushEnd): void
  /** Called once when the hub ends the push, even if that was before it was set: close the connection. */
  onCut: ((reason: CutReason) => void) | undefined
}
