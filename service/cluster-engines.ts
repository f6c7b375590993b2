import type { Credentials } from '../contract/service-process.ts'
import type { UndoStack } from '../platform/undo-stack.ts'
import type { Blobs } from './blobs/blobs.ts'
import { createNodeCommands } from './bus/node-commands.ts'
import { createRedisBus } from './bus/redis-bus.ts'
import type { ClusterPlace, Engines } from './engines.ts'
import { createPostgresJobs } from './jobs/postgres-jobs.ts'
import { createBackedBus } from './journal/backed-bus.ts'
import { createPostgresJournal } from './journal/postgres-journal.ts'
import { createTurnLocks } from './journal/turn-locks.ts'
import type { Log } from './log.ts'
import { claimNodeName, pairCheck } from './presence/node-claim.ts'
import { otherNodes } from './presence/other-nodes.ts'
import { createSharedPresence } from './presence/presence.ts'
import { openRedisScripts } from './redis/redis-scripts.ts'
import type { ServiceClock } from './service-clock.ts'
import { databaseTime } from './storage/database-time.ts'
import { serviceKey } from './storage/service-key.ts'
import { postgresPool, type PostgresPlace } from './storage/store-postgres.ts'
import type { Store } from './storage/store.ts'

/** Turns that run at once; one more waits for a connection. */
const turnsAtOnce = 8

/** Opens what a node shares with the others of its cluster, in PostgreSQL and Redis. */
export async function openClusterEngines(options: {
  readonly store: Store
  readonly credentials: Credentials
  readonly database: PostgresPlace | undefined
  readonly cluster: ClusterPlace
  readonly blobs: Blobs | undefined
  readonly clock: ServiceClock
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  readonly mustEnd: ((why: string) => void) | undefined
  readonly undo: UndoStack
}): Promise<Engines> {
  const { store, credentials, database, cluster, blobs, clock, random, log, mustEnd, undo } = options
  if (!database) throw new Error('services that share a Redis need a database that they share')
  const unfollow = await clock.follow?.(cluster.time ?? (() => databaseTime(store.db)), log)
  undo.push(() => unfollow?.())
  const bus = await createRedisBus(cluster.redis, { clock, log })
  undo.push(() => bus.close())
  const redis = await openRedisScripts(cluster.redis, { clock, log })
  undo.push(() => redis.close())
  const { node } = cluster
  const check = await pairCheck(credentials, await serviceKey(store.db, 'check of the key pair', random))
  const run = random(8).toString('hex')
  const claim = await claimNodeName({ redis, node, run, check, clock, log, mustEnd })
  undo.push(() => claim.close())
  const pool = await postgresPool(database, turnsAtOnce)
  const locks = createTurnLocks(pool, database.schema, clock)
  const journal = await createPostgresJournal({ store, locks, clock, log, bus, mustEnd })
  undo.push(() => journal.close())
  const backed = createBackedBus({ bus, journal, redis, node, clock, log })
  undo.push(() => backed.close())
  const presence = createSharedPresence({ redis, bus, node, clock, random, log })
  undo.push(() => presence.close())
  const jobs = createPostgresJobs({ db: store.db, node, clock, log })
  const commands = createNodeCommands(bus, node)
  const { applied, start, fresh } = journal
  const others = { presence, otherNodes: otherNodes(presence) }
  return { journal, bus, backed, commands, redis, ...others, applied, jobs, cluster, fresh, blobs, start }
}
