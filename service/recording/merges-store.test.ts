import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { openStore, type Store } from '../storage/store.ts'
import { createMergesStore } from './merges-store.ts'

let folder = ''
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-merges-'))
  store = await openStore(folder)
  // The rows refer to channels and applications that do not exist.
  await sql`pragma foreign_keys = off`.execute(store.db)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

it('keeps the newest hundred tasks of each application, and all that still run', async () => {
  const merges = createMergesStore({ db: store.db, durable: (work) => store.durable(work) })
  const add = (uid: number, created: number) =>
    merges.add({ uid, outputName: `merged ${created}`, total: 1, created }, [1, 2], {
      cid: 'c'.repeat(32),
      uid,
      format: 1,
      merged: 1,
      slice: 0,
      beginTime: created,
      filename: '',
      codecs: '',
      state: 'merging',
    })
  const running = await add(1, 0)
  const foreign = await add(2, 0)
  await merges.fail(foreign, 'failed', reasonOf('merge', 'source'))
  for (let created = 1; created <= 105; created++)
    await merges.fail(await add(1, created), 'cancelled', reasonOf('merge', 'cancelled'))
  const kept = await store.db.selectFrom('mergeTask').select(['uid', 'taskId', 'state']).orderBy('taskId').execute()
  expect(kept.filter(({ uid }) => uid === 2)).toHaveLength(1)
  const own = kept.filter(({ uid }) => uid === 1)
  expect(own[0]).toMatchObject({ taskId: running.taskId, state: 'running' })
  expect(own).toHaveLength(101)
  expect(await merges.list(1)).toHaveLength(100)
})
