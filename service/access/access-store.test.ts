import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { createAccessStore, type AccessEdit } from './access-store.ts'

test('of a deleted channel neither rules nor links are stored, and those of others stay', async () => {
  const folder = temporaryFolder()
  const store = await openStore(folder.path)
  onTestFinished(async () => {
    await store.close()
    folder.remove()
  })
  const access = createAccessStore(store)
  const { commit } = createMemoryJournal(store).kind<AccessEdit>('access', { store: access.write, apply: () => {} })
  const none = { expires: null, maxViewers: null, lastUsed: null, lastUsedBy: null, revoked: null, ended: null }
  for (const cid of ['a', 'b']) {
    await commit({ kind: 'rules', cid, values: { closed: 1 } })
    const linkId = await access.newLinkId()
    await commit({ kind: 'addLink', cid, row: { linkId, cid, name: 'Mum', created: 5, ...none } })
  }
  await commit({ kind: 'forget', cid: 'a' })
  expect((await access.channels()).map(({ cid, closed }) => [cid, closed])).toEqual([['b', 1]])
  expect((await access.links()).map(({ cid }) => cid)).toEqual(['b'])
})
