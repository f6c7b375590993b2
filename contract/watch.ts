/** Path of a watch page on the media listener, before the cid. Its JSON is unsigned. */
export const watchPath = '/watch/'

/** Public state of a channel (`GET /watch/<cid>/state`); never tells whether it is recorded. */
export interface WatchState {
  readonly title: string
  readonly live: boolean
  readonly disabled: boolean
  /** Start of the push in ms. */
  readonly since?: number
  /** No data from the encoder for 2 s. */
  readonly silent?: true
  /** Paths of the pull streams while live. */
  readonly flv?: string
  readonly hls?: string
  /** Wall clock of the service in ms. */
  readonly time: number
  /** Over all protocols. */
  readonly viewers: number
  readonly room?: {
    readonly roomid: number
    readonly name: string
    readonly announcement: string
    readonly open: boolean
    /** Only creator and admins may speak. */
    readonly muted: boolean
    readonly guests: boolean
  }
  /** Path of the client link, or its address if elsewhere; and the AppKey there. */
  readonly link?: string
  readonly appKey?: string
}

/** A guest made by `POST /watch/<cid>/guest`: may log in at the link until `expires` (ms), for this room only. */
export interface WatchGuest {
  readonly accid: string
  readonly token: string
  readonly expires: number
}
