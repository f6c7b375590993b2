import type { Clock } from '../../platform/clock.ts'
import { randomInt } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Served } from '../http/dispatch.ts'
import type { TimeBudget } from '../http/time-budget.ts'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { Words } from '../words/words.ts'
import { roomExtensions } from './extension-operations.ts'
import { createRoomCounts } from './room-counts.ts'
import { createRoomDeliveries, type DeliveryRates } from './room-deliveries.ts'
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
export interface ChatroomOptions extends Omit<RoomWorkOptions, 'registry' | 'names' | 'history' | 'counts'> {
  readonly words: RoomWords & Pick<Words, 'catches'>
  readonly store: Pick<Store, 'db' | 'bytes'>
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
}

/** Chatrooms of every application. */
export interface Chatroom extends Pick<RoomPresence, 'handlers' | 'sessionEnded'> {
  readonly operations: readonly Served[]
  readonly rooms: Pick<RoomRegistry, 'get' | 'ofChannel'>
  /** Stops timers and background work. */
  close(): Promise<void>
}

/** Makes the chatrooms; rejects when the store is broken. */
export async function createChatroom(options: ChatroomOptions): Promise<Chatroom> {
  const { db, reads, accounts, copies, clock, linkUrl } = options
  const registry = createRoomRegistry(await loadRooms(db), clock)
  const statistics = await createRoomStatistics(db, createRoomPeriods(options.timeZone), clock, reads)
  const lines = await createRoomLines(db, { statistics, copies, reads })
  const counts = createRoomCounts({
    ...options,
    isLarge: ({ inside, row }) => inside.size > options.limits(row.uid).roomNotices,
  })
  const names = await createRoomNames({ db, clock, random: randomInt, find: (uid, accid) => accounts.find(uid, accid) })
  const context = createRoomContext({ ...options, registry, names, history: lines, counts })
  const lists = createRoomLists(
    { nickOf: context.nickOf, iconOf: (uid, accid) => accounts.find(uid, accid)?.icon },
    clock,
  )
  const deliveries = createRoomDeliveries(clock, options.budget.strangers, options.deliveries)
  const gate = createRoomGate({ ...options, names, deliveries })
  const settings = createRoomSettings(context)
  const queue = createRoomQueue(context)
  const muteExpiry = createRoomMuteExpiry({ ...options, context })
  const members = createRoomMembers(context, muteExpiry)
  const messages = createRoomMessages({ ...options, context, lines, gate, deliveries })
  const presence = createRoomPresence({ ...options, context, lines, lists, messages, gate, names })
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
    },
  }
}
