import { PostgresDialect, type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import type { Pool } from 'pg'
import { Refused } from '../refusal.ts'
import { parametersOf } from './postgres-values.ts'
import type { ReadCallers, ReaderLimits } from './reader.ts'

/** `query_canceled`: the statement took longer than `statement_timeout`. */
const wasCancelled = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '57014'

/** A pool, whose statements end by `statement_timeout`, with a bounded queue. */
function createReads(pool: Pool, callers: ReadCallers, limits: ReaderLimits) {
  let waiting = 0
  return async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    if (waiting >= limits.waiting) throw new Refused(416, 'too many long reads wait')
    waiting++
    const client = await pool.connect().finally(() => waiting--)
    const begun = performance.now()
    try {
      const { rows } = await client.query<R & object>(query.sql, parametersOf(query))
      callers.spent(performance.now() - begun)
      return { rows }
    } catch (error) {
      throw wasCancelled(error) ? new Refused(416, 'the read took too long') : error
    } finally {
      client.release()
    }
  }
}

const noTransactions = (): Promise<void> => Promise.reject(new Error('long reads have no transactions'))

/** Long reads over pools of their own, so that strangers hold up nobody else. */
export class PostgresReaderDialect extends PostgresDialect {
  readonly #connection: DatabaseConnection
  readonly #close: () => Promise<unknown>

  constructor(pools: { readonly others: Pool; readonly strangers: Pool }, callers: ReadCallers, limits: ReaderLimits) {
    super({ pool: pools.others })
    const [others, strangers] = [pools.others, pools.strangers].map((pool) => createReads(pool, callers, limits))
    this.#connection = {
      executeQuery: (query) => (callers.isStranger() ? strangers! : others!)(query),
      streamQuery() {
        throw new Error('long reads are not streamed')
      },
    }
    this.#close = () => Promise.all([pools.others.end(), pools.strangers.end()])
  }
  override createDriver(): Driver {
    return {
      async init() {},
      acquireConnection: () => Promise.resolve(this.#connection),
      beginTransaction: noTransactions,
      commitTransaction: noTransactions,
      rollbackTransaction: noTransactions,
      async releaseConnection() {},
      destroy: async () => void (await this.#close()),
    }
  }
}
