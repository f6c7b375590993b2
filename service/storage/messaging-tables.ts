import type { Generated } from 'kysely'

/** An account of an application (2-messaging Account and User card). */
export interface AccountTable {
  uid: number
  /** In lower case. */
  accid: string
  /** Salt and SHA-256 of the token, in hex; the token itself is never stored. */
  token: string
  /** Empty if unset, like the other texts. */
  name: string
  icon: string
  props: string
  sign: string
  email: string
  birth: string
  mobile: string
  ex: string
  /** 0 unknown, 1 male, 2 female; null if unset. */
  gender: number | null
  blocked: number
  donnop: number
  /** Registration in ms. */
  created: number
}

/** One side of a friendship; the other has its own row. */
export interface FriendTable {
  uid: number
  accid: string
  friend: string
  alias: string
  ex: string
  /** Creation or last change in ms. */
  changed: number
}

/** An unanswered friend request. */
export interface FriendRequestTable {
  uid: number
  /** The sender. */
  accid: string
  friend: string
  at: number
}

/** An entry of a blacklist (kind 1) or a mute list (kind 2). */
export interface RelationTable {
  uid: number
  /** Owner of the list. */
  accid: string
  target: string
  kind: number
}

/** A team (2-messaging Team). Its size limit is a setting of the application. */
export interface TeamTable {
  /** Random, below 2^53. */
  tid: number
  uid: number
  tname: string
  owner: string
  /** Empty if unset, like the other texts. */
  announcement: string
  /** Author of the announcement, and its time in ms. */
  announcer: string
  announced: number
  intro: string
  custom: string
  icon: string
  joinmode: number
  beinvitemode: number
  invitemode: number
  uptinfomode: number
  upcustommode: number
  /** Who is muted: 0 nobody, 1 ordinary members, 3 all but the owner. */
  mute: number
  /** Members at most; 0 for the application's limit. */
  memberLimit: number
  /** Times in ms. */
  created: number
  updated: number
  membersUpdated: number
}

/** A member of a team. */
export interface TeamMemberTable {
  tid: number
  accid: string
  role: 'owner' | 'admin' | 'member'
  /** Nickname within the team; empty if unset. */
  nick: string
  muted: number
  /** Message reminders are off. */
  quiet: number
  /** Position in the event stream from which the member reads. */
  since: number
  /** Order of joining. */
  place: number
}

/** An unanswered invitation or application. */
export interface TeamRequestTable {
  tid: number
  kind: 'invitation' | 'application'
  /** The invited or applying account. */
  accid: string
  /** Empty for an application. */
  inviter: string
  msg: string
  /** Extension of the invitation. */
  attach: string
  at: number
}

/** The last stored seq of the event stream: one row. */
export interface StreamPositionTable {
  value: number
  /** Time of the last event in ms; on a server only, where services with clocks of their own store events. */
  at: number
}

/** An event of the stream (service/events/event.ts). Flags are 0 or 1. */
export interface EventTable {
  /** Position in the stream; the msgid of a message. */
  seq: number
  uid: number
  /** When it was accepted, in ms. */
  at: number
  /** `t` of the push. */
  kind: string
  /** Team or two accounts; empty outside of conversations. */
  conversation: string
  sender: string
  /** The push, as JSON. */
  frame: string
  /** Kept for: history, devices that sign in later, offline accounts. */
  history: number
  roam: number
  offline: number
  /** For its sender only. */
  hidden: number
  /** Counts as unread. */
  badge: number
  /** Sent to the sender's other devices. */
  sync: number
  /** Recalled; its frame is empty. */
  recalled: number
}

/** An event for one account; those of a team are found by the team. */
export interface InboxTable {
  uid: number
  accid: string
  seq: number
  /** Raises the unread count. */
  counts: number
}

/** Idempotency key of a message. */
export interface SentOnceTable {
  uid: number
  sender: string
  clientId: string
  seq: number
  at: number
}

/** Up to where a device has acknowledged. */
export interface DeviceCursorTable {
  uid: number
  accid: string
  device: string
  seq: number
}

/** Up to where an account has read a conversation. */
export interface ReadMarkTable {
  uid: number
  accid: string
  conversation: string
  seq: number
}

/** Words that messages must not contain. */
export interface WordListTable {
  uid: number
  /** As a JSON array. */
  words: string
  /** Caught lines of rooms are held for a moderator. */
  hold: number
}

/** Target of an application's message copies (3-chatrooms Events). */
export interface CopyTargetTable {
  uid: number
  url: string | null
  /** Active kinds, as a JSON array. */
  kinds: string
}

/** An uploaded file; the row outlives its deletion. */
export interface UploadTable {
  channelid: Generated<number>
  uid: number
  /** Unguessable name in its address. */
  token: string
  /** SHA-256 of its content, the name of the stored file. */
  hash: string
  bytes: number
  /** As given by the caller; not used otherwise. */
  type: string
  created: number
  removed: number
}

/** An uploaded file in an object store that no row may name, and since when in ms: removed after a while. */
export interface UnusedFileTable {
  hash: string
  since: number
  /** Since when somebody is removing it, 0 for nobody. */
  removing: Generated<number>
}

/** A log-in or log-out on the client link (2-messaging queryUserEvents). */
export interface LogInRecordTable {
  recordId: Generated<number>
  uid: number
  accid: string
  /** In ms. */
  at: number
  /** 2 login, 3 logout. */
  eventType: number
  clientIp: string
  sdkVersion: string
  clientType: string
  /** 200, or why the log-in was refused. */
  code: number
}

/** Tables of messaging. */
export interface MessagingTables {
  logInRecord: LogInRecordTable
  copyTarget: CopyTargetTable
  upload: UploadTable
  unusedFile: UnusedFileTable
  account: AccountTable
  friend: FriendTable
  friendRequest: FriendRequestTable
  relation: RelationTable
  team: TeamTable
  teamMember: TeamMemberTable
  teamRequest: TeamRequestTable
  streamPosition: StreamPositionTable
  event: EventTable
  inbox: InboxTable
  sentOnce: SentOnceTable
  deviceCursor: DeviceCursorTable
  readMark: ReadMarkTable
  wordList: WordListTable
}
