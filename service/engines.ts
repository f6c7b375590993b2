import type { Credentials } from '../contract/service-process.ts'
import type { UndoStack } from '../platform/undo-stack.ts'
import type { Blobs, ObjectPlace } from './blobs/blobs.ts'
import type { BackedBus } from './journal/backed-bus.ts'
import type { Bus } from './bus/bus.ts'
import { createMemoryBus } from './bus/memory-bus.ts'
import { createNodeCommands, type NodeCommands } from './bus/node-commands.ts'
import { ownJobs, type Jobs } from './jobs/jobs.ts'
import type { Journal } from './journal/journal.ts'
import { createMemoryJournal } from './journal/memory-journal.ts'
import type { Fresh } from './fresh.ts'
import type { Log } from './log.ts'
import type { Presence } from './presence/presence.ts'
import type { RedisPlace } from './redis/redis-clients.ts'
import type { RedisScripts } from './redis/redis-scripts.ts'
import type { ServiceClock } from './service-clock.ts'
import type { DatabaseCounts } from './storage/database-counts.ts'
import type { PostgresPlace } from './storage/store-postgres.ts'
import type { Store } from './storage/store.ts'

/** Services that share a database and a Redis, and what this one is named among them. */
export interface ClusterPlace {
  readonly redis: RedisPlace
  /** Each of them has another name, which stays over restarts. */
  readonly node: string
  /** Root of the media side of this one, by which players reach it and no other; as `addresses` has it when absent. */
  readonly media?: string
  /** The time that all go by, in ms since 1970; for tests. That of the database when absent. */
  readonly time?: () => Promise<number>
}

/** How changes and messages reach every service. */
export interface Engines {
  readonly journal: Journal
  readonly bus: Bus
  /** In a cluster: for what must come also while Redis is away. */
  readonly backed?: BackedBus | undefined
  readonly commands: NodeCommands
  /** What services of a cluster count and hold together; undefined for one that is alone. */
  readonly redis: RedisScripts | undefined
  readonly jobs: Jobs
  /** Who is connected to others; undefined for one that is alone. */
  readonly presence: Presence | undefined
  /** Names of the other services of a cluster that are there now. */
  readonly otherNodes?: (() => readonly string[]) | undefined
  /** Place of the last change of the journal that is made here. */
  readonly applied: () => number
  /** Where services meet; undefined for one that is alone. */
  readonly cluster: ClusterPlace | undefined
  /** In a cluster. */
  readonly fresh?: Fresh | undefined
  /** Where files are that several services share; undefined where each keeps its own in its data folder. */
  readonly blobs: Blobs | undefined
  /**
   * Begins to make the changes of others, once every kind of change is there and what is stored is loaded; resolves
   * when those of before are made.
   */
  start(): Promise<void>
}

/** Opens what a service shares with others: memory where it is alone, PostgreSQL and Redis in a cluster. */
export async function openEngines(options: {
  readonly store: Store
  readonly credentials: Credentials
  readonly database?: PostgresPlace | undefined
  readonly cluster?: ClusterPlace | undefined
  readonly objects?: ObjectPlace | undefined
  readonly counts: DatabaseCounts
  readonly clock: ServiceClock
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  /** In a cluster: what is in memory is not what the database has any more. */
  readonly mustEnd?: ((why: string) => void) | undefined
  readonly undo: UndoStack
}): Promise<Engines> {
  const { store, credentials, database, cluster, objects, counts, clock, random, log, mustEnd, undo } = options
  if (objects && !database) throw new Error('an object store needs a database that says what is in it')
  const blobs = objects && (await (await import('./blobs/s3-blobs.ts')).openS3Blobs(objects, { log }))
  undo.push(() => blobs?.close())
  await blobs?.begun()
  if (!cluster) {
    const bus = createMemoryBus({ log })
    undo.push(() => bus.close())
    const journal = createMemoryJournal(store, counts)
    const commands = createNodeCommands(bus, 'one')
    const [redis, presence, applied] = [undefined, undefined, (): number => 0]
    return { journal, bus, commands, redis, presence, applied, jobs: ownJobs, cluster, blobs, start: async () => {} }
  }
  // A service alone reads none of the code of a cluster.
  const { openClusterEngines } = await import('./cluster-engines.ts')
  return openClusterEngines({ store, credentials, database, cluster, blobs, clock, random, log, mustEnd, undo })
}
