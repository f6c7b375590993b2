import type { Blobs } from './blobs/blobs.ts'
import type { BackedBus } from './journal/backed-bus.ts'
import type { Bus } from './bus/bus.ts'
import { type NodeCommands } from './bus/node-commands.ts'
import { type Jobs } from './jobs/jobs.ts'
import type { Journal } from './journal/journal.ts'
import type { Fresh } from './fresh.ts'
import type { Presence } from './presence/presence.ts'
import type { RedisPlace } from './redis/redis-clients.ts'
import type { RedisScripts } from './redis/redis-scripts.ts'

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
