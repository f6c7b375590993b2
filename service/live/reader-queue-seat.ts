/** Where a reader's bytes go: a socket, or a response that writes to one. */
export interface ReaderSink {
  write(bytes: Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Bytes taken and not yet handed to the system. */
  readonly writableLength: number
}

/** How much may wait for one reader, and when it is written. Times in ms, sizes in bytes. */
export interface ReaderQueueLimits {
  /** Beyond either, packets are dropped up to a key frame that finds the queue drained. */
  readonly bytes: number
  readonly age: number
  /** A reader whose queue has not drained this long after the drop began is given up. */
  readonly stuck: number
  /** Longest time between an arrival and its write, with few readers and with many. */
  readonly batchFew: number
  readonly batchMany: number
  /** How long after joining every packet is written at once. */
  readonly direct: number
}

/** The bounds in force unless a test wants others. */
export const readerQueueLimits: ReaderQueueLimits = {
  bytes: 8 * 1024 * 1024,
  age: 5000,
  stuck: 10_000,
  batchFew: 40,
  batchMany: 140,
  direct: 500,
}

/** What a protocol gives for each reader. */
export interface ReaderSeat {
  /** It is the app's own preview, which is no viewer. */
  readonly isOwn?: boolean
  readonly sink: ReaderSink
  /** Its queue did not drain: the connection must be destroyed. */
  stuck(): void
  /** The stream is over and everything before its end was written. */
  over(reason: 'lost' | 'cut' | 'closed'): void
}
