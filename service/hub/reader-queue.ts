import type { Clock } from '../../platform/clock.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import type { Hub } from './hub.ts'
import type { WayCounts } from './media-counts.ts'
import { createReaderGroup, type ReaderGroup } from './reader-queue-group.ts'
import { readerQueueLimits, type ReaderQueueLimits, type ReaderOutput } from './reader-queue-output.ts'

export type { ReaderOutput, ReaderSink } from './reader-queue-output.ts'

/** The readers of one protocol. */
export type ReaderQueues = ReturnType<typeof createReaderQueues>

/** What the queues use of the hub. */
export interface ReaderSource extends Pick<Hub, 'join' | 'dropped'> {
  /** For the app's own previews, where they get something else than viewers. */
  readonly own?: Hub['join']
}

/** Options of one protocol. */
export interface ReaderQueuesOptions {
  readonly hub: ReaderSource
  readonly kind: 'flv' | 'rtmp'
  /** Serialises a packet; called at most twice per packet, for batches and for direct readers. */
  readonly frame: (packet: MediaPacket) => Buffer
  /** Serialises the packets of a batch to one Buffer; one by one when absent. */
  readonly pack?: (packets: readonly MediaPacket[]) => Buffer
  readonly clock: Clock
  readonly limits?: Partial<ReaderQueueLimits>
  readonly counts?: WayCounts | undefined
}

/** Makes the queues of a protocol. Overflow: drop to the next key frame, then disconnect. */
export function createReaderQueues({ hub, kind, frame, pack, clock, limits, counts }: ReaderQueuesOptions) {
  const groups = new Map<string, ReaderGroup>()
  // Weak: bytes live as long as their packet.
  const framed = new WeakMap<MediaPacket, Buffer>()
  const once = (packet: MediaPacket): Buffer => {
    let bytes = framed.get(packet)
    if (!bytes) framed.set(packet, (bytes = frame(packet)))
    return bytes
  }
  // Own previews apart: they may be ahead of viewers.
  const groupOf = (cid: string, isOwn: boolean): ReaderGroup => {
    const name = isOwn ? `own ${cid}` : cid
    const present = groups.get(name)
    if (present) return present
    const group: ReaderGroup = createReaderGroup({
      frame: once,
      piece: (packet) => framed.get(packet) ?? frame(packet),
      pack,
      clock,
      limits: { ...readerQueueLimits, ...limits },
      counts,
      dropped: (packets) => hub.dropped(cid, packets),
      empty: () => {
        if (groups.get(name) === group) groups.delete(name)
      },
    })
    groups.set(name, group)
    return group
  }
  return {
    /** Joins a reader; undefined when not on air. Readers of a stream share bytes, batches and one timer. */
    join(cid: string, output: ReaderOutput): (() => void) | undefined {
      const isOwn = output.isOwn === true
      const place = groupOf(cid, isOwn).open(output)
      const leave = isOwn ? (hub.own ?? hub.join)(cid, place.reader, 'internal') : hub.join(cid, place.reader, kind)
      place.joined()
      if (!leave) {
        place.close()
        return undefined
      }
      return () => {
        leave()
        place.close()
      }
    },
  }
}
