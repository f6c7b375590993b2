/** Figures of a running playback; null where the transport cannot tell. */
export interface PlaybackFigures {
  /** Seconds from the picture's making, or from its arrival, to its showing. */
  readonly delay: number | null
  readonly kbps: number | null
  readonly fps: number | null
  readonly dropped: number | null
  readonly decoded: number | null
  /** Seconds for which the picture has stood still; 0 while it moves, or has stood for less than half a second. */
  readonly standing: number
}

/** How a picture comes to the page. */
export type TransportKind = 'flv' | 'hls'

/** What a transport tells its owner. */
export interface TransportEvents {
  /** The first picture shows, or shows again after running dry. */
  playing(): void
  /** Nothing more comes: the stream ended, the line broke or what came cannot be played. `status` is the HTTP status, where there was one. */
  ended(reason: string, status: number | null): void
  /** The publisher is known to send nothing: a transport that gets nothing then is whole, and goes on waiting. */
  isSilent(): boolean
}

/** One playback attached to a video element. */
export interface Transport {
  figures(): PlaybackFigures
  /** Takes everything down; the element is left empty. No event follows. */
  destroy(): void
}

/** Starts a playback. */
export type StartTransport = (video: HTMLVideoElement, url: string, events: TransportEvents) => Promise<Transport>

/** One look at the preview. */
export interface PreviewSample {
  readonly at: number
  readonly figures: PlaybackFigures
}
