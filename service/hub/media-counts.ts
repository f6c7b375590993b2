/** How the media of a service goes out. */
export const mediaWays = ['flv', 'rtmp', 'hls', 'target'] as const
/** One of them. */
export type MediaWay = (typeof mediaWays)[number]

/** Counts of one way since the start; whoever sends adds to them. */
export interface WayCounts {
  /** Readers there are now; not of HLS, whose players come and go with each request. */
  readers: number
  /** Bytes given to readers. */
  bytes: number
  /** Packets left out for readers that were too slow. */
  dropped: number
  /** Readers that were too slow for too long, and lost their connection. */
  stuck: number
}

/** Counts of all ways. */
export type MediaCounts = Readonly<Record<MediaWay, WayCounts>>

const none = (): WayCounts => ({ readers: 0, bytes: 0, dropped: 0, stuck: 0 })

/** Makes them, all 0. */
export const createMediaCounts = (): MediaCounts => ({ flv: none(), rtmp: none(), hls: none(), target: none() })
