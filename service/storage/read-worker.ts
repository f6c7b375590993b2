import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { ReadAnswer, ReadRequest } from './reader.ts'
import { createLru } from '../../platform/lru.ts'

/** Cached prepared statements; the least recently used is dropped. */
const statementLimit = 64

/** Entry of the thread of long reads: runs statements in sequence on a read-only connection. */
function main(): void {
  const database = new DatabaseSync(workerData as string, { readOnly: true })
  database.exec('pragma busy_timeout = 2000')
  const statements = createLru<StatementSync>(statementLimit)
  const prepared = (sql: string): StatementSync => statements.of(sql, () => database.prepare(sql))
  parentPort!.postMessage('ready')
  parentPort!.on('message', ({ id, sql, parameters }: ReadRequest) => {
    const begun = performance.now()
    const say = (answer: ReadAnswer): void => parentPort!.postMessage(answer)
    try {
      // Rows have no prototype; it would be lost between threads anyway.
      say({ id, rows: prepared(sql).all(...(parameters as SQLInputValue[])), took: performance.now() - begun })
    } catch (error) {
      const { errcode } = error as { errcode?: number }
      say({ id, failure: error instanceof Error ? error.message : 'the read failed', errcode })
    }
  })
}

main()
