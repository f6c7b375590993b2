import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { serviceKey } from './service-key.ts'
import { openSqliteStore } from './store-sqlite.ts'

it('a key of 32 bytes is made once for each name, and is the same after a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sidestage-key-'))
  let store = await openSqliteStore(dir)
  try {
    let count = 0
    const random = (bytes: number): Buffer => Buffer.alloc(bytes, ++count)
    const one = await serviceKey(store.db, 'one', random)
    expect(one).toEqual(Buffer.alloc(32, 1))
    expect(await serviceKey(store.db, 'one', random)).toEqual(one)
    expect(await serviceKey(store.db, 'other', random)).not.toEqual(one)
    await store.close()
    store = await openSqliteStore(dir)
    expect(await serviceKey(store.db, 'one', random)).toEqual(one)
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
})
