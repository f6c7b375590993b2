import type { DatabaseConnection, Driver, Kysely } from 'kysely'
import type { Tables } from './schema.ts'

type Calls = (() => void)[]

/** Calls that wait for the commit of a transaction. */
const ofTransaction = new WeakMap<Kysely<Tables>, Calls>()
/** The same, by the connection that has a transaction now. */
const ofConnection = new WeakMap<DatabaseConnection, Calls[]>()

/**
 * Calls `call` once the transaction is committed, never when it is rolled back: whoever looks at the rows before that
 * may not see them. Await it within the transaction. Without one, calls at once.
 */
export async function afterCommit(transaction: Kysely<Tables>, call: () => void): Promise<void> {
  if (!transaction.isTransaction) return call()
  const known = ofTransaction.get(transaction)
  if (known) return void known.push(call)
  const calls = [call]
  ofTransaction.set(transaction, calls)
  await transaction.getExecutor().provideConnection((connection) => {
    ofConnection.get(connection)!.push(calls)
    return Promise.resolve()
  })
}

/** Is told of a call after a commit that threw. */
export type CallFailed = (error: unknown) => void
/** Without a log to write to. */
export const warnOfCall: CallFailed = (error) =>
  process.emitWarning(`a call after a commit failed: ${error instanceof Error ? error.message : String(error)}`)

/**
 * Makes a driver call what waits for its commits. The rows are there by then, so a call that throws is only told: the
 * transaction has not failed, and the calls after it are made.
 */
export function withCommitCalls(driver: Driver, callFailed: CallFailed): Driver {
  const { beginTransaction, commitTransaction, rollbackTransaction } = driver
  return Object.assign(driver, {
    async beginTransaction(...given: Parameters<typeof beginTransaction>) {
      await beginTransaction.apply(driver, given)
      ofConnection.set(given[0], [])
    },
    async commitTransaction(connection: DatabaseConnection) {
      await commitTransaction.call(driver, connection)
      for (const call of ofConnection.get(connection)?.flat() ?? [])
        try {
          call()
        } catch (error) {
          callFailed(error)
        }
    },
    async rollbackTransaction(connection: DatabaseConnection) {
      ofConnection.delete(connection)
      await rollbackTransaction.call(driver, connection)
    },
  } satisfies Partial<Driver>)
}
