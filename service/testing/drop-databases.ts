import { afterAll } from 'vitest'

/** Set-up of every test file: its databases on PostgreSQL go when it ends. */
if (process.env['SIDESTAGE_TEST_POSTGRES'] !== undefined)
  afterAll(async () => (await import('../storage/testing/open-store.ts')).dropTestDatabases())
