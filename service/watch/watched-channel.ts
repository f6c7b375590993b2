/** What viewers may know of a channel. */
export interface WatchedChannel {
  readonly uid: number
  readonly name: string
  readonly disabled: boolean
  /** Start of the push in ms; undefined if not on air. */
  readonly since: number | undefined
  /** Title of its broadcast on air. */
  readonly title?: string | undefined
  /** End of the last push in ms. */
  readonly ended?: number | undefined
}
/** The room linked to a channel. */
export interface WatchedRoom {
  readonly roomid: number
  readonly name: string
  readonly announcement: string
  readonly open: boolean
  readonly muted: boolean
}
