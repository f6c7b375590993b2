import type { Clock } from '../../platform/clock.ts'
import { randomInt } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Bus } from '../bus/bus.ts'
import type { MessageCounts } from '../events/message-counts.ts'
import type { Served } from '../http/dispatch.ts'
import type { TimeBudget } from '../http/time-budget.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { Presence } from '../presence/presence.ts'
import type { DatabaseCounts } from '../storage/database-counts.ts'
import type { Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { Words } from '../words/words.ts'
import { roomExtensions } from './extension-operations.ts'
import { createRoomCounts } from './room-counts.ts'
import { createRoomDeliveries, type DeliveryRates } from './room-deliveries.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import { createRoomElsewhere } from './room-elsewhere.ts'
import { createRoomGate } from './room-gate.ts'
import { createRoomLines } from './room-lines.ts'
import { createRoomLists } from './room-lists.ts'
import { createRoomMembers } from './room-members.ts'
import { createRoomMuteExpiry } from './room-mute-expiry.ts'
import { roomOperations } from './room-operations.ts'
import { createRoomNames } from './room-names.ts'
import { createRoomSettings } from './room-settings.ts'
import { createRoomPeriods } from './room-periods.ts'
import { createRoomPresence, type RoomPresence } from './room-presence.ts'
import { createRoomPushes } from './room-pushes.ts'
import { createRoomQueue, queueOperations } from './room-queue.ts'
import { createRoomRetention } from './room-retention.ts'
import { robotOperations } from './room-robots.ts'
import { createRoomMessages, type RoomWords } from './room-messages.ts'
import { createRoomStatistics } from './room-statistics.ts'
import { createRoomContext, type RoomWorkOptions } from './room-context.ts'
import { createRoomRegistry, type RoomRegistry } from './rooms-registry.ts'
import { loadRooms } from './rooms-store.ts'
import { roomMessageOperations } from './message-operations.ts'

/** Options of chatrooms. */
export interface ChatroomOptions extends Omit<RoomWorkOptions, 'registry' | 'names' | 'history' | 'counts' | 'pushes'> {
  readonly bus: Bus
  /** Where several services share the rooms: tells them also while Redis is away. */
  readonly backed?: Pick<Bus, 'topic' | 'settled' | 'onBack'> | undefined
  /** Where several services share the rooms: resolves once this one knows the changes of all. */
  readonly fresh?: (() => Promise<void>) | undefined
  readonly jobs?: Jobs
  /** Other services with the same rooms; absent where there are none. */
  readonly cluster?: object | undefined
  /** Undefined for a service that is alone. */
  readonly presence?: Presence | undefined
  readonly words: RoomWords & Pick<Words, 'catches'>
  readonly store: Pick<Store, 'db' | 'bytes'>
  readonly db: Kysely<Tables>
  readonly reads: Kysely<Tables>
  readonly isGuest: (uid: number, accid: string) => boolean
  /** Account charged for guests' lines. */
  readonly budget: Pick<TimeBudget, 'strangers'>
  /** Rates of guests' lines, for tests. */
  readonly deliveries?: DeliveryRates | undefined
  /** Retention of the history, in days. */
  readonly historyDays: (uid: number) => number
  readonly uids: readonly number[]
  /** IANA time zone of the statistics. */
  readonly timeZone: string
  readonly clock: Clock
  readonly log: Log
  readonly linkUrl: () => string
  readonly channelOwner: (cid: string) => number | undefined
  readonly messageCounts?: Pick<MessageCounts, 'rooms'> | undefined
  readonly databaseCounts?: DatabaseCounts | undefined
  /** Lines are counted there over all nodes of a cluster. */
  readonly redis?: Pick<RedisScripts, 'run'> | undefined
}

/** Chatrooms of every application. */
export interface Chatroom extends Pick<RoomPresence, 'handlers' | 'sessionEnded'> {
  readonly operations: readonly Served[]
  readonly rooms: Pick<RoomRegistry, 'get' | 'ofChannel' | 'totals' | 'onLinked'>
  /** Stops timers and background work. */
  close(): Promise<void>
}

/** Makes the chatrooms; rejects when the store is broken. */
export async function createChatroom(options: ChatroomOptions): Promise<Chatroom> {
  const { db, reads, accounts, copies, clock, linkUrl } = options
  const registry = createRoomRegistry(await loadRooms(db), clock, options.messageCounts?.rooms)
  const statistics = await createRoomStatistics(db, createRoomPeriods(options.timeZone), clock, reads)
  const lines = createRoomLines(db, {
    statistics,
    copies,
    reads,
    counts: options.messageCounts?.rooms,
    databaseCounts: options.databaseCounts,
  })
  const counts = createRoomCounts({
    ...options,
    isLarge: ({ inside, row }) => inside.size > options.limits(row.uid).roomNotices,
  })
  const find = (uid: number, accid: string) => accounts.find(uid, accid)
  const names = await createRoomNames({ ...options, random: randomInt, find })
  const deliveries = createRoomDeliveries(clock, options.budget.strangers, options.deliveries)
  const { fresh, log } = options
  const gaps = fresh && { lines, clock, fresh, log }
  const pushes = createRoomPushes({
    ...options,
    bus: options.backed ?? options.bus,
    registry,
    deliveries,
    counts,
    gaps,
  })
  const context = createRoomContext({ ...options, registry, names, history: lines, counts, pushes })
  const lists = createRoomLists(
    { nickOf: context.nickOf, iconOf: (uid, accid) => accounts.find(uid, accid)?.icon },
    clock,
  )
  const gate = createRoomGate({ ...options, names, deliveries })
  const settings = createRoomSettings(context)
  const queue = createRoomQueue(context)
  const muteExpiry = createRoomMuteExpiry({ ...options, context, isShared: options.cluster !== undefined })
  const members = createRoomMembers(context, muteExpiry)
  const messages = createRoomMessages({ ...options, context, lines, gate })
  const elsewhere = options.presence && createRoomElsewhere({ ...options, presence: options.presence, context })
  const presence = createRoomPresence({ ...options, context, lines, lists, messages, gate, names, elsewhere })
  const made = {
    rooms: registry,
    operations: [
      ...roomOperations({ context, settings, members, lists }),
      ...queueOperations(context, queue),
      ...robotOperations(context),
      ...roomExtensions({ ...options, context, lines, lists, messages, settings, queue }),
      ...roomMessageOperations({ context, messages, statistics, linkUrl }),
    ],
    handlers: presence.handlers,
    sessionEnded: presence.sessionEnded,
  }
  // The last step, as it begins to run by itself; the others do once there is something to do.
  const retention = createRoomRetention({ ...options, statistics, names })
  return {
    ...made,
    async close() {
      await retention.close()
      await muteExpiry.close()
      await presence.settled()
      counts.close()
      pushes.close()
    },
  }
}
