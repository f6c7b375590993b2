import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Files with tests of one engine alone: how many calls of the helper, and what of the engine they are about. */
const onSqlite: Readonly<Record<string, readonly [calls: number, because: string]>> = {
  'service/accounts/accounts.test.ts': [1, 'looks for tokens in the bytes of the file; another test looks in the rows'],
  'service/messaging/canary.test.ts': [1, 'looks for secrets in the bytes of the file of a process of its own'],
  'service/recording/deleted-channels.test.ts': [1, 'a migration of an earlier version, which had no PostgreSQL'],
  'service/rooms/room-retention.test.ts': [3, 'the size of the file is watched, the server has its own; a plan'],
  'service/rooms/room-statistics-cost.test.ts': [1, 'counts the statements that SQLite runs'],
  'service/storage/database-copies.test.ts': [5, 'copies of the file; a server is copied by pg_dump'],
  'service/storage/long-reads.test.ts': [2, 'the thread of long reads, and the record of plans'],
}
const onPostgres: Readonly<Record<string, readonly [calls: number, because: string]>> = {
  'service/data-folder.test.ts': [1, 'copies are not put back on a server'],
  'service/storage/store-postgres.test.ts': [1, 'connections, timeouts, numbers and spelling of the server'],
}

const tests = globSync('{service,companion,electron,browser,platform}/**/*.test.ts', { cwd: root })
  .map((file) => file.split(path.sep).join('/'))
  .sort()
const callsOf = (helper: RegExp): Record<string, number> =>
  Object.fromEntries(
    tests.flatMap((file) => {
      const calls = readFileSync(path.join(root, file), 'utf8').match(helper)?.length ?? 0
      return calls === 0 ? [] : [[file, calls]]
    }),
  )
const numbers = (listed: typeof onSqlite): Record<string, number> =>
  Object.fromEntries(Object.entries(listed).map(([file, [calls]]) => [file, calls]))

it('runs the tests of what the service does on both engines, but for those that are listed with the reason', () => {
  expect(callsOf(/\b(?:it|describe)OnSqlite(?:\.\w+)*\(/g)).toEqual(numbers(onSqlite))
  expect(callsOf(/\bdescribeOnPostgres(?:\.\w+)*\(/g)).toEqual(numbers(onPostgres))
})

it('leaves out tests of an engine by the helpers alone', () => {
  const others = tests.filter((file) =>
    /SIDESTAGE_TEST_POSTGRES|\bpostgresUrl\b/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  expect(others).toEqual([])
})
