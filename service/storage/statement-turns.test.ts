import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import { createStatementTurns, maxStatements } from './statement-turns.ts'

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

it('a turn is due after more than 8 ms of statements, counted from the first, and not before', () => {
  let now = 1000
  const turns = createStatementTurns({ monotonic: () => now })
  expect(turns.isDue()).toBe(false)
  now += 8
  expect(turns.isDue()).toBe(false)
  now += 1
  expect(turns.isDue()).toBe(true)
})

it('the statements of a later turn of the loop are counted anew, also after a turn that was taken', async () => {
  let now = 1000
  const turns = createStatementTurns({ monotonic: () => now })
  turns.isDue()
  await nextTurn()
  now += 100
  expect(turns.isDue()).toBe(false)
  now += 100
  expect(turns.isDue()).toBe(true)
  await turns.turn()
  now += 8
  expect(turns.isDue()).toBe(false)
  now += 1
  expect(turns.isDue()).toBe(true)
})
