import type { Kysely } from 'kysely'
import { broadcastDays, maxBroadcasts } from '../../contract/operations/broadcasts.ts'
import { createAgeClock } from '../../platform/age-clock.ts'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import type { UndoStack } from '../../platform/undo-stack.ts'
import { inBackground } from '../background.ts'
import type { NodeCommands } from '../bus/node-commands.ts'
import type { Channels } from '../channels/channels.ts'
import type { LiveEvents } from '../channels/events.ts'
import type { Hub } from '../hub/hub.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../log.ts'
import type { OnAir } from '../onair/on-air.ts'
import type { RoomRegistry } from '../rooms/rooms-registry.ts'
import type { Tables } from '../storage/schema.ts'
import { broadcastOperations } from './broadcast-operations.ts'
import { createBroadcastRecorder } from './broadcast-recorder.ts'
import { createBroadcastsStore } from './broadcasts-store.ts'
import { createBroadcasts } from './broadcasts.ts'

const day = 86_400_000
/** How often old broadcasts are looked for, in ms. */
const removeEvery = 3_600_000

/** Wires the broadcasts with their recorder, operations and retention. */
export async function createBroadcastService(options: {
  readonly db: Kysely<Tables>
  readonly reads: Kysely<Tables>
  readonly journal: Journal
  readonly jobs: Jobs
  readonly commands: Pick<NodeCommands, 'self'>
  readonly channels: Pick<Channels, 'get' | 'inBroadcast'>
  readonly titleTaken: (cid: string, title: string) => Promise<void>
  readonly hub: Pick<Hub, 'on' | 'figures'>
  readonly onAir: Pick<OnAir, 'viewers'>
  readonly events: Pick<LiveEvents, 'tell' | 'onTold'>
  readonly rooms: Pick<RoomRegistry, 'ofChannel'>
  readonly uids: readonly number[]
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  readonly undo: UndoStack
}) {
  const { db, reads, jobs, commands, onAir, events, uids, clock, log, undo } = options
  const store = createBroadcastsStore(db, reads)
  const node = commands.self
  const broadcasts = await createBroadcasts({ ...options, store, node, tell: events.tell })
  undo.push(() => broadcasts.idle())
  const { viewers } = onAir
  const recorder = createBroadcastRecorder({ ...options, store, broadcasts, viewers, onTold: events.onTold, node })
  undo.push(() => recorder.close())

  const age = createAgeClock(clock)
  let isClosed = false
  const removeOld = async (): Promise<void> => {
    for (const uid of uids)
      for (;;) {
        const gone = isClosed ? [] : await store.removeOld(uid, age() - broadcastDays * day, maxBroadcasts)
        if (gone.length === 0) break
        broadcasts.removed(uid, gone)
      }
  }
  let removing = Promise.resolve()
  const stop = repeated(clock, removeEvery, () => {
    removing = jobs.run('broadcasts', removeEvery, removeOld)
    inBackground(removing, log, 'removing old broadcasts')
  })
  undo.push(async () => {
    isClosed = true
    stop()
    await removing.catch(() => undefined)
  })
  return { ending: recorder.ending, operations: broadcastOperations({ ...options, store, broadcasts }) }
}
