import type { Credentials } from '../contract/service-process.ts'
import type { UndoStack } from '../platform/undo-stack.ts'
import type { ObjectPlace } from './blobs/blobs.ts'
import { createMemoryBus } from './bus/memory-bus.ts'
import { createNodeCommands } from './bus/node-commands.ts'
import type { ClusterPlace, Engines } from './engines.ts'
import { ownJobs } from './jobs/jobs.ts'
import { createMemoryJournal } from './journal/memory-journal.ts'
import type { Log } from './log.ts'
import type { ServiceClock } from './service-clock.ts'
import type { DatabaseCounts } from './storage/database-counts.ts'
import type { PostgresPlace } from './storage/store-postgres.ts'
import type { Store } from './storage/store.ts'

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
