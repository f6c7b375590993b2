/** One unit of media as a publisher sent it: the body of an FLV tag, shared by every reader and never changed. */
export interface MediaPacket {
  readonly kind: 'video' | 'audio' | 'data'
  /** Decoding time in ms since the stream began; never goes backward within a track, and tracks stay within 500 ms of each other (behaviour.md#time-of-a-push). */
  readonly timestamp: number
  /** Body of the FLV tag: for video frame type and codec, AVC packet type, composition time, then the data. */
  readonly body: Buffer
  /** A video packet from which decoding can begin. */
  readonly keyFrame: boolean
  /** A decoder configuration (AVC or AAC sequence header) or, for data, `onMetaData`. */
  readonly configuration: boolean
  /** Clock of the service in ms when it arrived. */
  readonly arrived: number
}

/** What a reader of a live stream is told. Calls are synchronous, in order, and must neither block nor throw. */
export interface StreamReader {
  /** One packet; on joining first the configurations, then the GOP cache from its key frame. */
  packet(packet: MediaPacket): void
  /** The stream is over for this reader: nothing follows. `lost` when the publisher vanished, `cut` when the channel became unusable. */
  ended(reason: 'lost' | 'cut' | 'closed'): void
}

/**
 * Media that somebody did not get: frames before their decoder configuration (`early`), a configuration that cannot be read (`configuration`), a
 * group of pictures too long to keep for who joins (`longGop`), what no HLS segment can hold (`segment`), more sound than time (`sound`), a
 * recorded slice under 1 s (`shortSlice`), and what came between a slice that is full and the next key frame (`fullSlice`).
 */
export type MediaLoss = 'early' | 'configuration' | 'longGop' | 'segment' | 'sound' | 'shortSlice' | 'fullSlice'
