import type { MediaPacket } from '../timeline/packet.ts'

/** Destination of a reader's bytes: a socket, or a response. */
export interface ReaderSink {
  write(bytes: Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Bytes not yet passed to the system. */
  readonly writableLength: number
}

/** Default limits of a reader's queue. Times in ms, sizes in bytes. */
export const readerQueueLimits = {
  /** Beyond either, packets are dropped until a key frame finds the queue drained. */
  bytes: 8 * 1024 * 1024,
  age: 5000,
  /** A reader whose queue has not drained this long after a drop is disconnected. */
  stuck: 10_000,
  /** Longest delay of a packet, with few readers and with many. */
  batchFew: 40,
  batchMany: 140,
  /** How long after joining every packet is written at once. */
  direct: 500,
}
/** Limits of a reader's queue. */
export type ReaderQueueLimits = Readonly<typeof readerQueueLimits>

/** What a protocol provides for each reader. */
export interface ReaderOutput {
  /** The app's preview; not counted as a viewer. */
  readonly isOwn?: boolean
  readonly sink: ReaderSink
  /** A packet was left out, as the queue is full. */
  dropped?(packet: MediaPacket): void
  /** The queue did not drain: destroy the connection. */
  stuck(): void
  /** The stream ended and everything before was written. */
  over(reason: 'lost' | 'cut' | 'closed'): void
}
