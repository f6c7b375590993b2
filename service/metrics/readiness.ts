import type { Kysely } from 'kysely'
import { within, type Clock } from '../../platform/clock.ts'
import { trialOf } from '../../platform/disk-fault.ts'
import { diskRefusalOf } from '../../platform/full-disk.ts'
import type { BackedBus } from '../journal/backed-bus.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { HeldWrites } from '../storage/held-writes.ts'
import type { Tables } from '../storage/schema.ts'

/** What may not work: `/readyz` names those that do not. */
export const faultNames = ['store', 'disk', 'outbox', 'listeners', 'redis'] as const
/** Which of them do not work. */
export type Faults = Readonly<Record<(typeof faultNames)[number], boolean>>

/** Without a fault. */
export const noFaults: Faults = { store: false, disk: false, outbox: false, listeners: false, redis: false }

/** How long the database may take to answer, in ms. */
const patience = 1000

/** What is asked whether a service can do its work. */
export interface CheckedParts {
  readonly db: Kysely<Tables>
  readonly dataDir: string
  readonly held: Pick<HeldWrites, 'reason'>
  readonly outbox: Pick<Outbox, 'isBroken'>
  /** In a cluster: whether this one has no Redis though others have, who then take what comes. */
  readonly backed?: Pick<BackedBus, 'isCutOff'> | undefined
  /** Each listener, whether it accepts connections. */
  readonly listening: () => readonly boolean[]
  /** Writes to a folder, and gives the error of it; the system's when absent. */
  readonly trial?: typeof trialOf
}

/** Tries what a service needs: reads a row, writes and removes a file of 4 KB in its folder, asks its parts. */
export async function lookForFaults(
  { db, dataDir, held, outbox, backed, listening, trial = trialOf }: CheckedParts,
  clock: Clock,
): Promise<Faults> {
  const reading = db.selectFrom('streamPosition').select('value').executeTakeFirstOrThrow()
  const store = await within(clock, patience, reading, () => new Error('the database does not answer')).then(
    () => false,
    () => true,
  )
  return {
    store,
    disk: held.reason() !== undefined || diskRefusalOf(trial(dataDir)) !== undefined,
    outbox: outbox.isBroken(),
    listeners: !listening().every(Boolean),
    redis: backed?.isCutOff() ?? false,
  }
}
