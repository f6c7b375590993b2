import type { Generated } from 'kysely'

/** Who may watch a channel, and what viewers are told of its next broadcast; absent for a channel as it is made. */
export interface ChannelAccessTable {
  cid: string
  /** One of `accessModes`. */
  mode: string
  /** Turned off for everybody. */
  closed: number
  /** Salted slow hash; null without one. */
  passphrase: string | null
  /** Changes with the passphrase, so that entries by an earlier one end. */
  generation: number
  /** JSON array of origins that may embed the watch page. */
  embedOrigins: string
  /** Begin of the next broadcast in ms, and its title. */
  next: number | null
  nextTitle: string | null
  /** Since when the application's own link is as it is, in ms; 0 for as long as the channel is there. */
  ownSince: number
}

/** A named link; its token is derived and not stored. */
export interface NamedLinkTable {
  linkId: Generated<number>
  cid: string
  name: string
  /** In ms, as all times here. */
  created: number
  expires: number | null
  maxViewers: number | null
  lastUsed: number | null
  lastUsedBy: string | null
  revoked: number | null
  /** Players that the revocation ended. */
  ended: number | null
}

/** Limits of what viewers may take, of an application; 0 without a limit. */
export interface WatchLimitTable {
  uid: number
  maxViewers: number
  maxKbps: number
  maxGigabytes: number
}

/** Bytes sent to viewers in a month. */
export interface SentMonthTable {
  uid: number
  /** Such as 2026-11, in the time zone of the service. */
  month: string
  bytes: number
}

/** Tables of who may watch. */
export interface AccessTables {
  channelAccess: ChannelAccessTable
  namedLink: NamedLinkTable
  watchLimit: WatchLimitTable
  sentMonth: SentMonthTable
}
