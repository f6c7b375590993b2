import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { journalWithoutStore } from '../journal/testing/journal-without-store.ts'
import { madeAgain } from '../journal/testing/made-again.ts'
import { createAccounts } from './accounts.ts'

it('an account is listed once where it was loaded before its registration came from another service', async () => {
  const journal = madeAgain(journalWithoutStore())
  const accounts = await createAccounts({
    store: { load: () => Promise.resolve([]), write: () => Promise.resolve() },
    journal,
    clock: manualClock(),
    random: (bytes) => Buffer.alloc(bytes, 1),
  })
  for (const accid of ['bob', 'amy']) await accounts.create(1, accid, 'token', {})
  const listed = (): string[] => accounts.page(1, { limit: 9 }).map(({ accid }) => accid)
  expect(listed()).toEqual(['amy', 'bob'])
})
