/** Path of a watch page on the media listener, before the cid. Its JSON is unsigned. */
export const watchPath = '/watch/'
/** Header with which a page gives its id when it asks for the state, as it does with `?page=` for media. */
export const pageHeader = 'sidestage-page'

/**
 * Public state of a channel (`GET /watch/<cid>/state`); never tells whether it is recorded. With `?framed=1`, as for
 * `enter` and `guest`, the page is in a frame of another one; with `?around=` it says the origins of all pages around
 * it, with blanks between. With `?show=chat` it plays nothing: it takes no place and waits for none. With `?wait=1` the
 * answer off air comes when a show begins, at the latest after 4 s, and at once where too many wait.
 */
export interface WatchState {
  /** Name of the channel. */
  readonly title: string
  /** On air: what this broadcast is called, where it has a title of its own. */
  readonly broadcastTitle?: string
  readonly live: boolean
  readonly disabled: boolean
  /**
   * Why this visitor is not let in: a passphrase is asked for, a named link is needed, it is full and the page waits
   * its turn, it is turned off for everybody, or the page around it may not embed it. Then there are no pull streams
   * and no room.
   */
  readonly gate?: 'passphrase' | 'link' | 'ended' | 'full' | 'closed' | 'embed'
  /** With gate `passphrase`: what became of the named link by which this visitor came. */
  readonly linkOver?: 'ended' | 'revoked'
  /** Those before this page in the queue, with gate `full`. */
  readonly ahead?: number
  /** With gate `full`: as many as the named link lets in watch with it; whoever asks first when one leaves is next. */
  readonly isLinkFull?: true
  /** With `isLinkFull`: the passphrase lets in without the link. */
  readonly takesPassphrase?: true
  /** With gate `full`: there are places, and the household of this visitor has its share of them. */
  readonly isShareFull?: true
  /** Viewers see a held picture since then, in ms: by the streamer, as the encoder was lost, or as a delay grows. */
  readonly held?: number
  /** With `held`: it is held since before any picture was sent, as after a crash. */
  readonly noPicture?: true
  /** With `held`, while a delay grows: how far behind viewers are when the picture goes on, in ms. */
  readonly growsTo?: number
  /** With `held`: when viewers get a moving picture, in ms; at the earliest, while the encoder sent no key frame. */
  readonly goesOn?: number
  /** Off air: when the next broadcast begins, in ms, or was to begin less than 2 h ago, and what it is called. */
  readonly next?: number
  readonly nextTitle?: string
  /** Off air: when viewers had the last show to its end, in ms, less than 12 h ago and since the service started. */
  readonly ended?: number
  /** Start of the push in ms. */
  readonly since?: number
  /** No data from the encoder for 2 s. */
  readonly silent?: true
  /**
   * The newest media that viewers were sent, in ms: its timestamp in HTTP-FLV, when it was sent by the clock of the
   * service, and by how long it was kept back.
   */
  readonly newest?: { readonly timestamp: number; readonly sent: number; readonly delay: number }
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

/** Path of the watch page for frames of other pages, before the cid; `?show=` is one of `embedParts`. */
export const embedPath = '/embed/'
/** Path of a visit from outside on the media listener, before its mark. */
export const visitPath = '/check/'
/** What the page of a visit measures; answer of `POST /check/<mark>/begin`. */
export interface VisitPlan {
  readonly live: boolean
  /** Turned off for everybody: the visit gets no picture either. */
  readonly closed: boolean
  /** Paths on the media listener. */
  readonly flv: string
  readonly hls: string
  readonly link: string
  /** Wall clock of the service in ms. */
  readonly time: number
}
/** Why a step of a visit did not pass. */
export type VisitReason = 'timeout' | 'refused' | 'cutOff' | 'offAir' | 'closed'
/** Body of `POST /check/<mark>/step`. */
export interface VisitReport {
  readonly name: 'address' | 'page' | 'chat' | 'hls' | 'flv'
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly milliseconds?: number
  readonly reason?: VisitReason
}
/** After `watchPath` and the cid: a page that is closed or loaded again posts there, with its id as `?page=`. */
export const leftPath = '/left'
/** Longest body of `POST /watch/<cid>/enter`: `{"passphrase": …}`. Answers 204 with a cookie, 403 or 429. */
export const maxEnterBody = 1024

/** A guest made by `POST /watch/<cid>/guest`: may log in at the link until `expires` (ms), for this room only. */
export interface WatchGuest {
  readonly accid: string
  readonly token: string
  readonly expires: number
}
