import type { Clock } from '../../platform/clock.ts'
import type { WayCounts } from '../hub/media-counts.ts'
import {
  createReaderQueues,
  type ReaderQueues,
  type ReaderQueuesOptions,
  type ReaderSource,
} from '../hub/reader-queue.ts'
import { writeMessages } from '../media/rtmp-chunk-writer.ts'
import { clientChunkSize } from '../media/rtmp-client.ts'
import { messageOf } from './target-messages.ts'

/** Bounds of a target's queue (behaviour.md#targets). */
const queueLimits = { bytes: 32 * 1024 * 1024, age: 10_000, stuck: 10_000, batchFew: 100, batchMany: 140, direct: 0 }
/** Queues for other message streams than the first that are kept. */
const maxQueues = 16

/** Makes the queues of targets, by message stream: servers with the same number get the same bytes. */
export function createTargetQueues(options: {
  readonly source: ReaderSource
  readonly clock: Clock
  readonly limits: ReaderQueuesOptions['limits']
  readonly counts: WayCounts | undefined
}): (streamId: number) => ReaderQueues {
  const { source, clock, limits, counts } = options
  const queues = new Map<number, ReaderQueues>()
  return (streamId) => {
    let those = queues.get(streamId)
    if (!those) {
      if (queues.size >= maxQueues) queues.delete(queues.keys().next().value!)
      const message = messageOf(streamId)
      those = createReaderQueues({
        // Without `own`: a target is not counted, but gets what viewers get.
        hub: { join: source.join, dropped: source.dropped },
        kind: 'rtmp',
        clock,
        frame: (packet) => writeMessages([message(packet)], clientChunkSize),
        pack: (packets) => writeMessages(packets.map(message), clientChunkSize),
        limits: { ...queueLimits, ...limits },
        counts,
      })
      queues.set(streamId, those)
    }
    return those
  }
}
