import { describe, it } from 'vitest'
import type { ObjectPlace } from '../blobs/blobs.ts'
import { postgresUrl } from '../storage/testing/open-store.ts'

const isPostgres = postgresUrl !== undefined

/**
 * A test of what only SQLite has: its file, its statements and their plans, its triggers. `scripts/engines.test.ts`
 * lists the files that have one, with the reason.
 */
export const itOnSqlite = it.skipIf(isPostgres)
/** The same of several tests. */
export const describeOnSqlite = describe.skipIf(isPostgres)
/** A test of what only PostgreSQL has. */
export const describeOnPostgres = describe.runIf(isPostgres)
/** URL of the Redis that the tests were given (`scripts/on-postgres.ts`). */
export const redisUrl: string | undefined = process.env['SIDESTAGE_TEST_REDIS']
/** A bucket of the Swift that the tests were given, for one test file; keys in it begin with `prefix`. */
export function testObjects(prefix: string): ObjectPlace {
  const { origin, username, password } = new URL(process.env['SIDESTAGE_TEST_S3']!)
  const accessKey = decodeURIComponent(username)
  return {
    endpoint: origin,
    bucket: 'side',
    region: 'us-east-1',
    accessKey,
    secretKey: password,
    prefix,
    isPathStyle: true,
  }
}
/** A test of what only an object store has, which needs PostgreSQL too. */
export const describeOnS3 = describe.runIf(isPostgres && process.env['SIDESTAGE_TEST_S3'] !== undefined)
/** A test of what only Redis has. */
export const describeOnRedis = describe.runIf(redisUrl !== undefined)
