/** The place in the stream of what is shown, in ms: the timestamp of HTTP-FLV, or the date of HLS. */
export type Shown = { readonly timestamp: number } | { readonly date: number }

/** Null where the transport does not know. */
export interface PlaybackFigures {
  /** Seconds from capture, or from arrival, to display. */
  readonly delay: number | null
  readonly kbps: number | null
  readonly fps: number | null
  readonly dropped: number | null
  readonly decoded: number | null
  /** Seconds without progress; 0 below half a second. */
  readonly standing: number
  /** Bytes that have come, where that is counted as they come. */
  readonly received?: number
  readonly shown?: Shown
  /** All media that is listed has come: of a show that is over nothing follows. */
  readonly hasAll?: boolean
  /** The browser does not tell the place of what is shown. */
  readonly isUndated?: true
}

/** How media comes to the page. */
export type TransportKind = 'flv' | 'hls'

/** Called on changes of a transport. */
export interface TransportEvents {
  /** Called for the first picture, and after each wait for data. */
  playing(): void
  /** `status`: the HTTP status, if any. */
  ended(reason: string, status: number | null): void
  isSilent(): boolean
  /** The stream began so recently that little of it may be listed. */
  isYoung?(): boolean
  /** The browser plays only after a gesture, even without sound. */
  refused?(): void
}

/** One playback attached to a video element. */
export interface Transport {
  figures(): PlaybackFigures
  /** Stops and empties the element; no events follow. */
  destroy(): void
}

/** Starts a playback, at once: two on one element would take the media from each other. */
export type StartTransport = (video: HTMLVideoElement, url: string, events: TransportEvents) => Transport
/** Loads what a transport needs, before anything is attached to the element. */
export type LoadTransport = () => Promise<StartTransport>

/** Figures of a preview at one moment. */
export interface PreviewSample {
  readonly at: number
  readonly figures: PlaybackFigures
}
