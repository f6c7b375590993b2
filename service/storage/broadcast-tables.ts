/** What a channel sends from its first push to its end; times in ms. */
export interface BroadcastTable {
  broadcastId: string
  uid: number
  cid: string
  /** Name of the channel as it began. */
  channel: string
  /** Empty for none. */
  title: string
  began: number
  /** 0 while it is on air. */
  ended: number
  /** When it was on air last, as last noted. */
  seen: number
  /** Empty while it is on air. */
  how: string
  /** The service that has its push, or had it. */
  node: string
  pushes: number
  /** Measurements of viewers, their sum, and the most. */
  measured: number
  viewers: number
  peak: number
  /** Events beyond those that are kept. */
  leftOut: number
}

/** A push of a broadcast; `ended` is 0 and `how` empty while it is on air. */
export interface BroadcastPushTable {
  broadcastId: string
  number: number
  began: number
  ended: number
  how: string
}

/** What was measured from a time on. */
export interface BroadcastSampleTable {
  broadcastId: string
  at: number
  /** Measurements, and of them those with a bitrate. */
  measured: number
  known: number
  /** Sums over them. */
  viewers: number
  kbps: number
  millifps: number
  peak: number
  kbpsLow: number
  millifpsLow: number
  /** The longest, in ms. */
  keyFrameGap: number
  audioGap: number
}

/** Something that happened in a broadcast; the target has the name that it had then. */
export interface BroadcastEventTable {
  broadcastId: string
  number: number
  at: number
  kind: string
  state: string | null
  detail: string | null
  targetId: number | null
  target: string | null
}

/** Tables of broadcasts. */
export interface BroadcastTables {
  broadcast: BroadcastTable
  broadcastPush: BroadcastPushTable
  broadcastSample: BroadcastSampleTable
  broadcastEvent: BroadcastEventTable
}
