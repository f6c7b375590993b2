import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import { maxStatements } from './statement-turns.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-turns-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs statements of 1 ms each; returns the most between two event-loop turns. */
async function longestRun(statements: number, inTransaction: boolean): Promise<number> {
  let now = 0
  const db = new Kysely<Record<string, never>>({
    dialect: nodeSqliteDialect(new DatabaseSync(join(folder, 'a.db')), { monotonic: () => now++ }),
  })
  let [since, longest, running] = [0, 0, true]
  const turn = (): void => {
    longest = Math.max(longest, since)
    since = 0
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  const work = async (executor: Kysely<Record<string, never>>): Promise<void> => {
    for (let count = 0; count < statements; count++) {
      await sql`select 1`.execute(executor)
      since++
    }
  }
  await (inTransaction ? db.transaction().execute(work) : work(db))
  running = false
  turn()
  await db.destroy()
  return longest
}

it('the loop has its turns between statements that follow each other, also within a transaction', async () => {
  for (const inTransaction of [false, true]) {
    const longest = await longestRun(500, inTransaction)
    expect(longest).toBeGreaterThan(1)
    expect(longest).toBeLessThanOrEqual(maxStatements + 2)
  }
})
