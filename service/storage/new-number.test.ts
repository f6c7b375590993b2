import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from './testing/open-store.ts'

it('gives a number before its row is stored, and neither it nor the engine gives that number again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sidestage-number-'))
  const store = await openStore(dir)
  onTestFinished(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const { db, newNumber } = store
  const link = { cid: 'c', name: 'n', created: 0 }
  const add = async (): Promise<number> =>
    (await db.insertInto('namedLink').values(link).returning('linkId').executeTakeFirstOrThrow()).linkId
  const first = await newNumber('namedLink')
  await db
    .insertInto('namedLink')
    .values({ ...link, linkId: first })
    .execute()
  expect([first, await add(), await newNumber('namedLink')]).toEqual([1, 2, 3])
  expect(await newNumber('target')).toBe(1)
  await db.deleteFrom('namedLink').execute()
  expect(new Set(await Promise.all([add(), newNumber('namedLink'), add(), newNumber('namedLink')]))).toEqual(
    new Set([4, 5, 6, 7]),
  )
})
