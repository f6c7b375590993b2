/** Destination of a reader's bytes: a socket, or a response. */
export interface ReaderSink {
  write(bytes: Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Bytes not yet passed to the system. */
  readonly writableLength: number
}

/** Limits of a reader's queue. Times in ms, sizes in bytes. */
export interface ReaderQueueLimits {
  /** Beyond either, packets are dropped until a key frame finds the queue drained. */
  readonly bytes: number
  readonly age: number
  /** A reader whose queue has not drained this long after a drop is disconnected. */
  readonly stuck: number
  /** Longest delay of a packet, with few readers and with many. */
  readonly batchFew: number
  readonly batchMany: number
  /** How long after joining every packet is written at once. */
  readonly direct: number
}

/** Default limits. */
export const readerQueueLimits: ReaderQueueLimits = {
  bytes: 8 * 1024 * 1024,
  age: 5000,
  stuck: 10_000,
  batchFew: 40,
  batchMany: 140,
  direct: 500,
}

/** What a protocol provides for each reader. */
export interface ReaderOutput {
  /** The app's preview; not counted as a viewer. */
  readonly isOwn?: boolean
  readonly sink: ReaderSink
  /** The queue did not drain: destroy the connection. */
  stuck(): void
  /** The stream ended and everything before was written. */
  over(reason: 'lost' | 'cut' | 'closed'): void
}
