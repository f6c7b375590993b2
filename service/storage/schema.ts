import type { Generated } from 'kysely'
import type { AccessTables } from './access-tables.ts'
import type { BroadcastTables } from './broadcast-tables.ts'
import type { JournalTables } from './journal-tables.ts'
import type { LiveTables } from './live-tables.ts'
import type { MessagingTables } from './messaging-tables.ts'
import type { ReachTable } from './reach-tables.ts'
import type { RoomTables } from './room-tables.ts'
import type { TargetTables } from './target-tables.ts'

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

/** An application: a tenant of the service with its settings. Its credentials are never stored. */
export interface ApplicationTable extends Record<keyof typeof messagingSettings, number> {
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
}

/** Addresses and signing key of an application's callbacks (1-live Endpoints, Rules 1). */
export interface CallbackTable {
  uid: number
  /** Address of setcallback; null if unset. */
  url: string | null
  signKey: string
  /** Address of live callbacks; null if unset. */
  liveUrl: string | null
}

/** A broadcast whose begin an application was told of, and whose end not yet. */
export interface ToldPushTable {
  cid: string
  uid: number
  /** In ms. */
  began: number
  /** When it was last on air, in ms, as last noted. */
  seen: number
  /** The service that has the push, or had it. */
  node: string
}

/** A line of the outbox whose messages one process of a cluster sends until its time is over. */
export interface DeliveryLineTable {
  line: string
  owner: string
  /** In ms by the database. */
  until: number
}

/** Work that one service of a cluster does for all (`jobs/postgres-jobs.ts`); times in ms by the database. */
export interface JobTable {
  name: string
  owner: string
  /** Until when it is that one's. */
  until: number
  /** When it ended last; 0 when it has not. */
  done: number
}

/** A message of the outbox, then its entry in the delivery log. */
export interface DeliveryTable {
  /** Message id; the same on every resend. */
  nId: string
  uid: number
  /** `recording`, `live` or `copy`. */
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
  /** When it was queued, in ms; two may have the same. */
  created: number
  /** Result of the last attempt; null before the first. */
  result: string | null
}

/** A key of the service that survives a restart. */
export interface ServiceKeyTable {
  name: string
  /** In hex. */
  key: string
}

/** All tables. */
export interface Tables
  extends AccessTables, BroadcastTables, JournalTables, LiveTables, MessagingTables, RoomTables, TargetTables {
  serviceKey: ServiceKeyTable
  application: ApplicationTable
  callback: CallbackTable
  toldPush: ToldPushTable
  delivery: DeliveryTable & {
    /** Order of queueing, given by the engine. */
    place: Generated<number>
    /** Which process of a cluster sends it until it is due again, or sent it last; null where there is one process. */
    claimedBy: Generated<string | null>
  }
  deliveryLine: DeliveryLineTable
  job: JobTable
  reach: ReachTable
}
