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
  'service/storage/bulk-insert.test.ts': [1, 'a statement for each row'],
  'service/storage/database-copies.test.ts': [5, 'copies of the file; a server is copied by pg_dump'],
  'service/storage/long-reads.test.ts': [2, 'the thread of long reads, and the record of plans'],
}
const onPostgres: Readonly<Record<string, readonly [calls: number, because: string]>> = {
  'service/cluster-start.test.ts': [1, 'what a server says of an address that is wrong'],
  'service/database-away.test.ts': [1, 'a server that is away'],
  'service/data-folder.test.ts': [1, 'copies are not put back on a server'],
  'service/jobs/postgres-jobs.test.ts': [1, 'several services at one database'],
  'service/journal/postgres-journal.test.ts': [1, 'several services at one database'],
  'service/outbox/shared-claims.test.ts': [1, 'claims of several processes, and the time of the server'],
  'service/outbox/outbox-parts.test.ts': [1, 'two processes write at once, which a file does not have'],
  'service/recording/several-nodes.test.ts': [1, 'several services at one database'],
  'service/rooms/room-lines.test.ts': [1, 'two processes write at once, which a file does not have'],
  'service/stream/server-writes.test.ts': [1, 'a statement of a server'],
  'service/stream/shared-events.test.ts': [1, 'several services at one database'],
  'service/stream/two-processes.test.ts': [1, 'two processes write at once, which a file does not have'],
  'service/storage/bulk-insert.test.ts': [1, 'one statement for many rows'],
  'service/storage/patient-connect.test.ts': [1, 'a server that is away for a moment'],
  'service/storage/silent-server.test.ts': [1, 'a server that is cut off'],
  'service/storage/store-postgres.test.ts': [1, 'connections, timeouts, numbers and spelling of the server'],
}

const onRedis: typeof onPostgres = {
  'service/access/passphrase-guesses.test.ts': [1, 'what two nodes count together'],
  'service/bus/redis-bus.test.ts': [7, 'the bus of several services'],
  'service/clocks-of-nodes.test.ts': [1, 'services of computers whose clocks differ'],
  'service/cluster-start.test.ts': [4, 'names and key pairs of several services, and what Redis says of an address'],
  'service/channels/events-of-nodes.test.ts': [2, 'events of several services'],
  'service/cluster-limits.test.ts': [1, 'two whole services'],
  'service/http/shared-check-sums.test.ts': [1, 'what two nodes remember together'],
  'service/http/shared-rate-limiter.test.ts': [1, 'what two nodes count together'],
  'service/link/shared-login-throttle.test.ts': [1, 'what two nodes count together'],
  'service/access/viewers-elsewhere.test.ts': [1, 'limits over several services'],
  'service/access/pages-of-nodes.test.ts': [1, 'pages of several services'],
  'service/broadcasts/title-of-nodes.test.ts': [1, 'the title of a broadcast at several services'],
  'service/link/session-directory.test.ts': [2, 'sessions of several services'],
  'service/presence/presence.test.ts': [2, 'what several services tell each other of who is connected'],
  'service/presence/two-services.test.ts': [1, 'two whole services'],
  'service/rooms/room-elsewhere.test.ts': [1, 'a room of several services'],
  'service/redis/redis-scripts.test.ts': [5, 'scripts at a server that is killed, stands still and is emptied'],
  'service/rooms/shared-speech.test.ts': [2, 'what two nodes count together'],
  'service/watch/guest-bound.test.ts': [1, 'what two nodes count together'],
  'service/watch/guests-of-nodes.test.ts': [1, 'guests of whole services'],
  'service/nodes.test.ts': [1, 'whole services that share a database and a Redis'],
  'service/redis-away.test.ts': [1, 'whole services that share a database and a Redis'],
  'service/delivery/nginx-edges.test.ts': [1, 'an edge before several services'],
  'service/delivery/nginx-hls-edge.test.ts': [1, 'an edge before two services'],
  'service/delivery/owner-redirect.test.ts': [1, 'players of several services'],
  'service/onair/at-owner.test.ts': [1, 'pushes of several services'],
  'service/pulls/node-pulls.test.ts': [2, 'pushes of several services'],
  'service/onair/holds-of-nodes.test.ts': [1, 'pushes of several services'],
  'service/onair/lost-leases.test.ts': [2, 'pushes of several services'],
  'service/onair/on-air.test.ts': [1, 'pushes of several services'],
  'service/outbox/several-dispatchers.test.ts': [1, 'several processes that send'],
  'service/quarantine/quarantine-of-nodes.test.ts': [1, 'what folders of several services have'],
  'service/recording/several-nodes.test.ts': [1, 'several whole services'],
  'service/rooms/mute-ends-of-several.test.ts': [1, 'several whole services'],
}

const onS3: typeof onPostgres = {
  'service/cluster-start.test.ts': [1, 'what a store says of a place that is wrong'],
  'service/blobs/s3-blobs.test.ts': [2, 'objects and their uploads part by part'],
  'service/recording/far-merges.test.ts': [1, 'merges of recordings in an object store'],
  'service/recording/far-recordings.test.ts': [1, 'recordings in an object store'],
  'service/recording/lost-recordings.test.ts': [1, 'recordings whose process is killed'],
  'service/recording/stored-of-nodes.test.ts': [1, 'recordings of several services'],
  'service/files/shared-files.test.ts': [2, 'uploads in an object store'],
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
  expect(callsOf(/\bdescribeOnRedis(?:\.\w+)*\(/g)).toEqual(numbers(onRedis))
  expect(callsOf(/\bdescribeOnS3(?:\.\w+)*\(/g)).toEqual(numbers(onS3))
})

it('leaves out tests of an engine by the helpers alone', () => {
  const others = tests.filter((file) =>
    /SIDESTAGE_TEST_(?:POSTGRES|REDIS|S3)|\bpostgresUrl\b/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  expect(others).toEqual([])
})
