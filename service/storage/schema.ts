/** An application: one tenant of the service, with its switches and settings. Its credentials are never stored. */
export interface ApplicationTable {
  /** Owner number that channels carry as `uid`; below 2^53. */
  uid: number
  /** Name by which a start finds the application again; `main` for the one of the service's own key pair. */
  name: string
  created: number
  ownerPresent: number
  liveEnabled: number
  vodEnabled: number
  frozen: number
  oneTimeCheckSum: number
  /** Life of a push address in days. */
  pushLifeDays: number
}

/** A channel (1-live Channel). Whether it is on air is known to the hub only. */
export interface ChannelTable {
  cid: string
  uid: number
  name: string
  type: number
  /** Creation time in ms. */
  ctime: number
  disabled: number
  needRecord: number
  format: number
  /** Slice length in minutes. */
  duration: number
  filename: string
  /** Key from which push secrets are digested. */
  channelKey: string
  /** Expiry of the newest push address in seconds. */
  keyExpires: number
}

/** Addresses that were admitted, so that an encoder may return after their expiry even when the service was restarted meanwhile. */
export interface AdmissionTable {
  cid: string
  /** Expiry that the address carries, in seconds. */
  wsTime: number
  /** Time of the last packet in ms, as far as it was noted. */
  lastPacket: number
}

/** All tables. */
export interface Tables {
  application: ApplicationTable
  channel: ChannelTable
  admission: AdmissionTable
}
