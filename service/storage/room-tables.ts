/** A chatroom (3-chatrooms Chatroom). */
export interface RoomTable {
  /** Random, below 2^53. */
  roomid: number
  uid: number
  creator: string
  name: string
  /** Empty if unset, like the other texts. */
  announcement: string
  broadcasturl: string
  ext: string
  valid: number
  /** Only creator and admins may speak. */
  muted: number
  /** Seconds between two lines of an ordinary member; 0 for none. */
  slow: number
  /** Largest number of queue elements. */
  queueLimit: number
  /** Its channel; null for none. */
  cid: string | null
  created: number
}

/** Roles and restrictions of an account in a room, each independent; without any there is no row. */
export interface RoomMemberTable {
  roomid: number
  accid: string
  admin: number
  ordinary: number
  blacklisted: number
  muted: number
  /** End of the temporary mute in ms; 0 for none. */
  mutedUntil: number
  /** Author of a temporary mute whose end is announced; otherwise null. */
  mutedBy: string | null
  /** Last change in ms; unique within a room. */
  updated: number
}

/** A robot account of a room. */
export interface RoomRobotTable {
  roomid: number
  accid: string
  ext: string
  entered: number
}

/** An element of a room's queue. */
export interface RoomQueueTable {
  roomid: number
  element: string
  value: string
  place: number
}

/** A line of a room. */
export interface RoomLineTable {
  line: number
  uid: number
  roomid: number
  sender: string
  /** Idempotency key of the sender. */
  clientId: string
  /** Position in the room, in ms; unique within a room. */
  at: number
  type: number
  attach: string
  ext: string
  nick: string
  avatar: string
  clientType: string
  /** When a held line was said that was released at `at`; otherwise null. */
  heldAt: number | null
  /** `shown`, `held` for a moderator, `caught` by the word list or dropped, or `removed`. */
  state: 'shown' | 'held' | 'caught' | 'removed'
}

/** Counts of a room for an hour or a day (3-chatrooms Statistics record). */
export interface RoomStatTable {
  roomid: number
  uid: number
  period: 'HOUR' | 'DAY'
  /** Begin of the period in ms. */
  start: number
  active: number
  enters: number
  msgs: number
}

/** Who entered or spoke in a period, to count each once. */
export interface RoomActiveTable {
  roomid: number
  period: 'HOUR' | 'DAY'
  start: number
  accid: string
}

/** Last name used by an account in a room. */
export interface RoomNameTable {
  roomid: number
  accid: string
  name: string
  /** Last use in ms. */
  at: number
}

/** Secret that signs cookies and tokens of guests; one row. */
export interface GuestKeyTable {
  id: number
  /** In hex. */
  secret: string
}

/** A room that refuses guests of the watch page. */
export interface GuestRefusalTable {
  roomid: number
}

/** A guest of the watch page. */
export interface GuestTable {
  accid: string
  uid: number
  roomid: number
  /** Hash of its token. */
  kept: string
  /** Begin in ms. */
  created: number
}

/** The last number of a line: one row. */
export interface LinePositionTable {
  value: number
}

/** Tables of rooms and guests. */
export interface RoomTables {
  guest: GuestTable
  guestKey: GuestKeyTable
  guestRefusal: GuestRefusalTable
  roomName: RoomNameTable
  room: RoomTable
  roomMember: RoomMemberTable
  roomRobot: RoomRobotTable
  roomQueue: RoomQueueTable
  roomLine: RoomLineTable
  linePosition: LinePositionTable
  roomStat: RoomStatTable
  roomActive: RoomActiveTable
}
