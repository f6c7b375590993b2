import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { dropForeignKeys, openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { createMergesStore } from './merges-store.ts'

let folder = ''
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-merges-'))
  store = await openStore(folder)
  // The rows refer to channels and applications that do not exist.
  await dropForeignKeys(store)
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

const file = (beginTime: number) => ({
  cid: 'c'.repeat(32),
  uid: 1,
  format: 0,
  merged: 1,
  slice: 0,
  beginTime,
  filename: 'out',
  codecs: 'avc1',
  state: 'merging' as const,
})
const made = () => createMergesStore({ db: store.db, durable: (work) => store.durable(work) })
const rows = () => store.db.selectFrom('recording').select(['vid', 'state']).orderBy('vid').execute()

it('stores a task with its sources in order, as the first attempt, and the row of its file', async () => {
  const task = await made().add({ uid: 1, outputName: 'out', total: 5, created: 9 }, [3, 1, 3], file(9))
  expect(task).toEqual({
    taskId: task.taskId,
    uid: 1,
    vid: task.vid,
    outputName: 'out',
    vidList: '[3,1,3]',
    state: 'running',
    reason: '',
    cut: '',
    attempts: 1,
    node: '',
    created: 9,
    total: 5,
  })
  expect(await rows()).toEqual([{ vid: task.vid, state: 'merging' }])
})

it('ends a failed task with its state and reason, and removes the row of its file unless it is listed', async () => {
  const merges = made()
  const add = () => merges.add({ uid: 1, outputName: 'out', total: 5, created: 9 }, [1], file(9))
  const [failed, listed] = [await add(), await add()]
  await store.db.updateTable('recording').set({ state: 'ready' }).where('vid', '=', listed.vid).execute()
  await merges.fail(failed, 'failed', reasonOf('merge', 'disk', { system: 'EIO' }))
  await merges.fail(listed, 'cancelled', reasonOf('merge', 'cancelled'))
  expect((await merges.list(1)).map(({ taskId, state, reason }) => [taskId, state, reason])).toEqual([
    [listed.taskId, 'cancelled', '{"code":"cancelled","params":{}}'],
    [failed.taskId, 'failed', '{"code":"disk","params":{"system":"EIO"}}'],
  ])
  expect(await rows()).toEqual([{ vid: listed.vid, state: 'ready' }])
})

it('takes up only tasks that ran, one attempt further, and lists those of one application newest first', async () => {
  const merges = made()
  const add = (uid: number) => merges.add({ uid, outputName: 'out', total: 5, created: 9 }, [1], file(9))
  const [done, running, other, failed] = [await add(1), await add(1), await add(2), await add(1)]
  await store.durable((transaction) => merges.done(transaction, done.taskId))
  await merges.fail(failed, 'failed', reasonOf('merge', 'room'))
  const resumed = new Map((await merges.resume()).map(({ taskId, attempts }) => [taskId, attempts]))
  expect(resumed).toEqual(
    new Map([
      [running.taskId, 2],
      [other.taskId, 2],
    ]),
  )
  expect((await merges.resume()).map(({ attempts }) => attempts)).toEqual([3, 3])
  expect((await merges.list(1)).map(({ taskId, state }) => [taskId, state])).toEqual([
    [failed.taskId, 'failed'],
    [running.taskId, 'running'],
    [done.taskId, 'done'],
  ])
})
