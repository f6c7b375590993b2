/** Where the viewers' page of a channel is served on the media listener: this and its cid. Its JSON is for that page and unsigned. */
export const watchPath = '/watch/'

/** What viewers may know of a channel (`GET /watch/<cid>/state`); never whether it is recorded. */
export interface WatchState {
  readonly title: string
  readonly live: boolean
  readonly disabled: boolean
  /** Begin of the push on air in ms. */
  readonly since?: number
  /** Nothing has come from the encoder for 2 s. */
  readonly silent?: true
  /** Paths of the pull streams while it is live. */
  readonly flv?: string
  readonly hls?: string
  /** Clock of the service in ms. */
  readonly time: number
  /** Players of all protocols. */
  readonly viewers: number
  /** The linked room; absent for none. */
  readonly room?: {
    readonly roomid: number
    readonly name: string
    readonly announcement: string
    readonly open: boolean
    /** Only creator and admins may speak. */
    readonly muted: boolean
    readonly guests: boolean
  }
  /** Path of the client link below this address, or the whole of it where it is elsewhere; and the name of the application there. */
  readonly link?: string
  readonly appKey?: string
}

/** A guest made by `POST /watch/<cid>/guest`: logs in at the link until `expires` in ms, and is known to this room only. */
export interface WatchGuest {
  readonly accid: string
  readonly token: string
  readonly expires: number
}
