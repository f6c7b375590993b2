// Longer than other files: every table of the one database stands here, so that what refers to what is seen in one place.
import type { Generated } from 'kysely'

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
  /** Days and gigabytes that recordings are kept for; 0 without a limit. */
  recordingDays: number
  recordingGigabytes: number
  /** Hours for which the address of a file in a recording callback is good. */
  recordingLinkHours: number
  /** 1 or 0: whether callbacks may go to this computer and its network; null for as the listeners are bound. */
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

/** What the settings of messaging are while nobody has changed them (behaviour.md#retention-of-messages). */
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
  /** Empty where unset, as the other texts. */
  name: string
  icon: string
  props: string
  sign: string
  email: string
  birth: string
  mobile: string
  ex: string
  /** 0 unknown, 1 male, 2 female; null while it is not set. */
  gender: number | null
  blocked: number
  donnop: number
  /** Registration in ms. */
  created: number
}

/** One side of a friendship; the other side has a row of its own. */
export interface FriendTable {
  uid: number
  accid: string
  friend: string
  alias: string
  ex: string
  /** Creation or last change in ms. */
  changed: number
}

/** A request for friendship that was not answered yet. */
export interface FriendRequestTable {
  uid: number
  /** Who asks. */
  accid: string
  friend: string
  at: number
}

/** An entry of a blacklist (kind 1) or a mute list (kind 2). */
export interface RelationTable {
  uid: number
  /** Whose list it is. */
  accid: string
  target: string
  kind: number
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

/** Where an application's recording callbacks go, and what signs them (1-live Endpoints, Rules 1). */
export interface CallbackTable {
  uid: number
  /** The address of setcallback; null until it is set. */
  url: string | null
  signKey: string
}

/** One message of the outbox, kept as the delivery log once it has ended. */
export interface DeliveryTable {
  /** Message id; the same on every resend. */
  nId: string
  uid: number
  /** What is delivered: `recording` or `copy`. */
  kind: string
  url: string
  /** Scheme, host and port of the address: what the bound on concurrent deliveries counts. */
  target: string
  /** What is delivered one after the other, such as a conversation; null for what has no order. */
  line: string | null
  /** Body as it is sent. */
  body: string
  state: 'waiting' | 'delivered' | 'failed'
  /** Attempts made, those of an earlier resend included. */
  attempts: number
  /** Resends of the schedule that are used up. */
  step: number
  /** When the next attempt is due, in ms; 2^53 - 1 while its turn in its line has not come. */
  due: number
  /** When it was put in, in ms; unique, so that pages of the log never overlap. */
  created: number
  /** What the last attempt came to, in words; null before the first. */
  result: string | null
}

/** A recorded file, from the moment it is begun (1-live, Recorded file entries). */
export interface RecordingTable {
  vid: Generated<number>
  cid: string
  uid: number
  /** `writing` until it is finished; `merging` while a merge makes it; `ready` when it is listed; `removing` while it is being deleted. */
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
  /** 0, or empty, until it is ready: end and completion in ms, name, storage path, size, length in ms. */
  endTime: number
  completed: number
  name: string
  fileKey: string
  bytes: number
  duration: number
  /** What must be equal for a merge. */
  codecs: string
}

/** A deleted channel that has recorded files. */
export interface FormerChannelTable {
  cid: string
  uid: number
  /** Its last name; empty where it is not known. */
  name: string
  /** When it was deleted, in ms. */
  deleted: number
}

/** A merge that was asked for. */
export interface MergeTable {
  taskId: Generated<number>
  uid: number
  /** The file that it makes. */
  vid: number
  outputName: string
  /** Its sources in order, as a JSON array. */
  vidList: string
  /** `waiting`, `running`, `done`, `failed` or `cancelled`. */
  state: string
  /** Why it failed, in words. */
  reason: string
  /** Starts so far. */
  attempts: number
  created: number
  /** Bytes to copy. */
  total: number
}

/** A moment of a channel that somebody marked. */
export interface MarkerTable {
  markerId: Generated<number>
  cid: string
  uid: number
  at: number
  label: string
}

/** A team (2-messaging Team). How many members it may have is a setting of the application. */
export interface TeamTable {
  /** Random, below 2^53. */
  tid: number
  uid: number
  tname: string
  owner: string
  /** Empty where unset, as the other texts. */
  announcement: string
  /** Who set the announcement, and when in ms. */
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
  /** Who cannot send: 0 nobody, 1 ordinary members, 3 all but the owner. */
  mute: number
  /** Members at most; 0 for what the application allows. */
  memberLimit: number
  /** Times in ms. */
  created: number
  updated: number
  membersUpdated: number
}

/** An account in a team. */
export interface TeamMemberTable {
  tid: number
  accid: string
  role: 'owner' | 'admin' | 'member'
  /** Nickname within the team; empty where unset. */
  nick: string
  muted: number
  /** Message reminders are off for this member. */
  quiet: number
  /** Place in the stream of events from which on the member reads. */
  since: number
  /** Place among the members: who came later has a greater one. */
  place: number
}

/** An invitation or an application that is not answered yet. */
export interface TeamRequestTable {
  tid: number
  kind: 'invitation' | 'application'
  /** Who is invited, or who applies. */
  accid: string
  /** Who invited; empty for an application. */
  inviter: string
  msg: string
  /** Extension of the invitation. */
  attach: string
  at: number
}

/** The last seq of the stream of events that is stored: one row. */
export interface StreamPositionTable {
  value: number
}

/** An event of the stream (service/events/event.ts). Its flags are 0 or 1. */
export interface EventTable {
  /** Place in the stream; of a message its msgid. */
  seq: number
  uid: number
  /** When it was taken, in ms. */
  at: number
  /** `t` of the push. */
  kind: string
  /** The team or the two accounts that it belongs to; empty for what is no conversation's. */
  conversation: string
  sender: string
  /** The push, as JSON. */
  frame: string
  /** What it is kept for: history, devices that come later, the offline. */
  history: number
  roam: number
  offline: number
  /** For its sender alone. */
  hidden: number
  /** It counts as unread. */
  badge: number
  /** The sender's other devices get it. */
  sync: number
  /** It was taken back, and its frame emptied. */
  recalled: number
}

/** An event that an account gets by its name; what goes to a team is found by the team. */
export interface InboxTable {
  uid: number
  accid: string
  seq: number
  /** It raises the unread count of the account. */
  counts: number
}

/** A sender's own id of a message, so that it is taken once. */
export interface SentOnceTable {
  uid: number
  sender: string
  clientId: string
  seq: number
  at: number
}

/** Up to where a device of an account has everything. */
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

/** What messages must not say. */
export interface WordListTable {
  uid: number
  /** As a JSON array. */
  words: string
  /** Caught lines of rooms wait for a moderator. */
  hold: number
}

/** Where copies of an application's messages go (3-chatrooms Events). */
export interface CopyTargetTable {
  uid: number
  /** Null for none. */
  url: string | null
  /** Active kinds, as a JSON array. */
  kinds: string
}

/** An uploaded file; deleted ones stay known. */
export interface UploadTable {
  channelid: Generated<number>
  uid: number
  /** Unguessable name in its address. */
  token: string
  /** SHA-256 of its content, which names the stored bytes. */
  hash: string
  bytes: number
  /** As the caller gave it; data only. */
  type: string
  created: number
  removed: number
}

/** A log-in or log-out of an account on the client link (2-messaging queryUserEvents). */
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
  /** Empty where unset, as the other texts. */
  announcement: string
  broadcasturl: string
  ext: string
  /** It is open. */
  valid: number
  /** Only creator and admins may speak. */
  muted: number
  /** Seconds between two lines of an ordinary person; 0 for none. */
  slow: number
  /** Elements that its queue may have. */
  queueLimit: number
  /** The channel that it belongs to; null for none. */
  cid: string | null
  created: number
}

/** What somebody besides the creator is in a room; those who are nothing have no row. Each of the four stands on its own. */
export interface RoomMemberTable {
  roomid: number
  accid: string
  admin: number
  ordinary: number
  blacklisted: number
  muted: number
  /** End of the temporary mute in ms; 0 for none. */
  mutedUntil: number
  /** Who muted temporarily, where its end is told; null where nobody was told of it. */
  mutedBy: string | null
  /** Last change in ms; no two of a room have the same. */
  updated: number
}

/** An account that was put into a room as a robot. */
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
  /** The sender's own id of it. */
  clientId: string
  /** Its place in the room, in ms; no two lines of a room have the same. */
  at: number
  type: number
  attach: string
  ext: string
  nick: string
  avatar: string
  clientType: string
  /** When a line was said that waited for a moderator and was let through at `at`; null of every other. */
  heldAt: number | null
  /** `shown`, `held` for a moderator, `caught` by the word list or dropped, or `removed`. */
  state: 'shown' | 'held' | 'caught' | 'removed'
}

/** What happened in a room within an hour or a day (3-chatrooms Statistics record). */
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

/** Who entered or spoke in a period, so that everybody counts once. */
export interface RoomActiveTable {
  roomid: number
  period: 'HOUR' | 'DAY'
  start: number
  accid: string
}

/** The secret by which cookies and tokens of guests are signed; one row. */
export interface GuestKeyTable {
  id: number
  /** In hex. */
  secret: string
}

/** What somebody was called last in a room. */
export interface RoomNameTable {
  roomid: number
  accid: string
  name: string
  /** Last use in ms. */
  at: number
}

/** A room that takes no guests of the watch page. */
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

/** A key of the service's own that outlives a start. */
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
