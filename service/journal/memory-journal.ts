import type { Kysely } from 'kysely'
import { createKeyedSerial } from '../../platform/serial.ts'
import { afterCommit } from '../storage/after-commit.ts'
import type { Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { DatabaseCounts } from '../storage/database-counts.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import type { ChangeKind, ChangeRules, PreparedChange, Journal } from './journal.ts'

/**
 * Makes the journal of a service that has its database alone: nobody else changes what it keeps in memory. Concurrent
 * changes are stored in one transaction, durable ones each in its own.
 */
export function createMemoryJournal(
  { db, durable }: Pick<Store, 'db' | 'durable'>,
  counts?: Pick<DatabaseCounts, 'batches'>,
): Journal {
  const names = new Set<string>()
  const writing =
    (changes: readonly PreparedChange[]) =>
    async (transaction: Kysely<Tables>): Promise<void> => {
      for (const { store, apply } of changes) {
        // First, so that it is before what the change lets wait for the commit.
        await afterCommit(transaction, apply)
        await store(transaction)
      }
    }
  const write = createWriteBatch<PreparedChange>(
    (changes) => db.transaction().execute(writing(changes)),
    counts?.batches,
  )
  return {
    kind<Change>(name: string, { store, apply }: ChangeRules<Change>): ChangeKind<Change> {
      if (names.has(name)) throw new Error(`there is a kind of change named ${name} already`)
      names.add(name)
      const prepared = (change: Change, also?: (transaction: Kysely<Tables>) => Promise<void>): PreparedChange => ({
        async store(transaction) {
          await store(transaction, change)
          await also?.(transaction)
        },
        apply: () => apply(change),
      })
      const inTurn = createKeyedSerial<string | number>()
      return {
        commit: (change, also) => write(prepared(change, also)),
        commitDurably: (change, also) => durable(writing([prepared(change, also)])),
        ofEvent: (change) => prepared(change),
        inTurn,
        idle: inTurn.idle,
      }
    },
  }
}
