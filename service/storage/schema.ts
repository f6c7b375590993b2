// Longer than other files: all tables in one place, to show their references.
import type { Generated } from 'kysely'

/** An application: a tenant of the service with its settings. Its credentials are never stored. */
export interface ApplicationTable {
  /** `uid` of its channels; below 2^53. */
  uid: number
  /** Identifies the application at a start; `main` for the service's own key pair. */
  name: string
  created: number
  ownerPresent: number
  liveEnabled: number
  vodEnabled: number
  frozen: number
  oneTimeCheckSum: number
  /** Life of a push address in days. */
  pushLifeDays: number
  /** Retention of recordings in days and gigabytes; 0 without a limit. */
  recordingDays: number
  recordingGigabytes: number
  /** Life of a file's address in a recording callback, in hours. */
  recordingLinkHours: number
  /** 1 or 0: callbacks may go to this computer and its network; null: as the listeners are bound. */
  localTargets: number | null
  /** Settings of messaging (contract, local `settings`). */
  callsPerMinute: number
  blockSeconds: number
  recallMinutes: number
  historyDays: number
  roamingDays: number
  offlineDays: number
  teamSize: number
  teamsPerOwner: number
  roomsPerCreator: number
  roomAdmins: number
  roomLimited: number
  roomRobots: number
  roomNotices: number
}

/** Default settings of messaging (behaviour.md#retention-of-messages). */
export const messagingSettings = {
  callsPerMinute: 0,
  blockSeconds: 10,
  recallMinutes: 2,
  historyDays: 30,
  roamingDays: 7,
  offlineDays: 7,
  teamSize: 200,
  teamsPerOwner: 100,
  roomsPerCreator: 1000,
  roomAdmins: 100,
  roomLimited: 10_000,
  roomRobots: 1000,
  roomNotices: 500,
} as const

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

/** A channel (1-live Channel); its on-air state is only in the hub. */
export interface ChannelTable {
  cid: string
  uid: number
  name: string
  type: number
  /** In ms. */
  ctime: number
  disabled: number
  needRecord: number
  format: number
  /** Slice length in minutes. */
  duration: number
  filename: string
  /** Key of the push secrets. */
  channelKey: string
  /** Expiry of the newest push address in seconds. */
  keyExpires: number
}

/** Admitted addresses, so that an encoder may reconnect after their expiry, also across a restart. */
export interface AdmissionTable {
  cid: string
  /** Expiry of the address, in seconds. */
  wsTime: number
  /** Time of the last packet in ms, as last noted. */
  lastPacket: number
}

/** Address and signing key of an application's recording callbacks (1-live Endpoints, Rules 1). */
export interface CallbackTable {
  uid: number
  /** Address of setcallback; null if unset. */
  url: string | null
  signKey: string
}

/** A message of the outbox, then its entry in the delivery log. */
export interface DeliveryTable {
  /** Message id; the same on every resend. */
  nId: string
  uid: number
  /** `recording` or `copy`. */
  kind: string
  url: string
  /** Scheme, host and port, for the limit on concurrent deliveries. */
  target: string
  /** Messages delivered in sequence, such as a conversation; null without an order. */
  line: string | null
  /** Body as sent. */
  body: string
  state: 'waiting' | 'delivered' | 'failed'
  /** Attempts, including those before a manual resend. */
  attempts: number
  /** Resends of the schedule used. */
  step: number
  /** Next attempt in ms; 2^53 - 1 while it waits for its predecessors in its line. */
  due: number
  /** When it was queued, in ms; unique, so that pages of the log do not overlap. */
  created: number
  /** Result of the last attempt; null before the first. */
  result: string | null
}

/** A recorded file, from its begin (1-live, Recorded file entries). */
export interface RecordingTable {
  vid: Generated<number>
  cid: string
  uid: number
  /**
   * `writing` until finished; `merging` while a merge makes it; `ready` when listed; `removing` while being deleted.
   */
  state: string
  /** 1 flv, 0 mp4. */
  format: number
  merged: number
  /** Number of the slice within its push, from 0. */
  slice: number
  /** Begin in ms. */
  beginTime: number
  /** Base name at the begin; the outputName of a merged file. */
  filename: string
  /** Set when ready: end and completion in ms, name, storage path, size, length in ms. */
  endTime: number
  completed: number
  name: string
  fileKey: string
  bytes: number
  duration: number
  /** Must be equal for a merge. */
  codecs: string
}

/** A deleted channel with recorded files. */
export interface FormerChannelTable {
  cid: string
  uid: number
  /** Its last name; empty if unknown. */
  name: string
  /** In ms. */
  deleted: number
}

/** A requested merge. */
export interface MergeTable {
  taskId: Generated<number>
  uid: number
  /** The resulting file. */
  vid: number
  outputName: string
  /** Its sources in order, as a JSON array. */
  vidList: string
  /** `waiting`, `running`, `done`, `failed` or `cancelled`. */
  state: string
  /** Why it failed. */
  reason: string
  /** Starts so far. */
  attempts: number
  created: number
  /** Bytes to copy. */
  total: number
}

/** A marked moment of a channel. */
export interface MarkerTable {
  markerId: Generated<number>
  cid: string
  uid: number
  at: number
  label: string
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
  /** Open. */
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

/**
 * Roles and restrictions of an account in a room, except the creator. The four are independent; without any there is no
 * row.
 */
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

/** Secret that signs cookies and tokens of guests; one row. */
export interface GuestKeyTable {
  id: number
  /** In hex. */
  secret: string
}

/** Last name used by an account in a room. */
export interface RoomNameTable {
  roomid: number
  accid: string
  name: string
  /** Last use in ms. */
  at: number
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

/** A key of the service that survives a restart. */
export interface ServiceKeyTable {
  name: string
  /** In hex. */
  key: string
}

/** All tables. */
export interface Tables {
  serviceKey: ServiceKeyTable
  guest: GuestTable
  guestKey: GuestKeyTable
  guestRefusal: GuestRefusalTable
  roomName: RoomNameTable
  logInRecord: LogInRecordTable
  application: ApplicationTable
  channel: ChannelTable
  admission: AdmissionTable
  recording: RecordingTable
  formerChannel: FormerChannelTable
  mergeTask: MergeTable
  marker: MarkerTable
  callback: CallbackTable
  delivery: DeliveryTable
  copyTarget: CopyTargetTable
  upload: UploadTable
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
  room: RoomTable
  roomMember: RoomMemberTable
  roomRobot: RoomRobotTable
  roomQueue: RoomQueueTable
  roomLine: RoomLineTable
  roomStat: RoomStatTable
  roomActive: RoomActiveTable
}
