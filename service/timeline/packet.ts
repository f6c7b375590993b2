/** A unit of media: the body of an FLV tag, shared by all readers and never changed. */
export interface MediaPacket {
  readonly kind: 'video' | 'audio' | 'data'
  /** Decoding time in ms; tracks stay within 500 ms of each other (behaviour.md#time-of-a-push). */
  readonly timestamp: number
  /** Body of the FLV tag; for video: frame type and codec, AVC packet type, composition time, data. */
  readonly body: Buffer
  /** A video packet at which decoding can begin. */
  readonly keyFrame: boolean
  /** A decoder configuration (AVC or AAC sequence header) or `onMetaData`. */
  readonly configuration: boolean
  /** Arrival, in ms since 1970. */
  readonly arrived: number
}

/** A reader of a stream. Calls are synchronous and in order; they must not block or throw. */
export interface StreamReader {
  /** On joining: configurations, the GOP cache, then live packets. */
  packet(packet: MediaPacket): void
  /**
   * Last call. `lost`: the publisher vanished and may return; `closed`: the next push is another show, as the publisher
   * ended this one or did not return within the hold; `cut`: the channel became unusable.
   */
  ended(reason: 'lost' | 'cut' | 'closed'): void
}

/**
 * Media that was omitted: frames before their configuration (`early`), an unreadable configuration (`configuration`), a
 * GOP too long to cache (`longGop`), media that fits no HLS segment (`segment`), more audio than time (`sound`), a
 * recorded slice under 1 s (`shortSlice`), media between a full slice and the next key frame (`fullSlice`).
 */
export type MediaLoss = 'early' | 'configuration' | 'longGop' | 'segment' | 'sound' | 'shortSlice' | 'fullSlice'
