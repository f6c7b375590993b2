import { expect, it } from 'vitest'
import type { Account, Accounts } from '../accounts/accounts.ts'
import { emptyAccountRow } from '../accounts/accounts-store.ts'
import { withGuests } from './guest-accounts.ts'

const account = (accid: string): Account => ({
  ...emptyAccountRow,
  uid: 1,
  accid,
  blocked: true,
  donnop: true,
  name: 'A',
})
/** Accounts ann and both, and the guests guest-1 and both; `created` are the accounts that were registered. */
function made() {
  const created: string[] = []
  const accounts: Partial<Accounts> = {
    find: (uid, accid) => (uid === 1 && ['ann', 'both'].includes(accid) ? account(accid) : undefined),
    must: (_uid, accid) => {
      if (accid !== 'ann') throw new Error(`no account ${accid}`)
      return account(accid)
    },
    tokenMatches: (_uid, _accid, token) => token === 'of an account',
    create: (_uid, accid) => {
      created.push(accid)
      return Promise.resolve(account(accid))
    },
  }
  const guests = new Set(['guest-1', 'both'])
  const all = withGuests(accounts as Accounts, {
    find: (uid, accid) => (uid === 1 && guests.has(accid) ? { uid, accid, roomid: 7, created: 500 } : undefined),
    tokenMatches: (_uid, _accid, token) => token === 'of a guest',
  })
  return { all, created }
}

it('a guest is an account without a card, not blocked, since it was made', () => {
  const { all } = made()
  const guest = all.find(1, 'guest-1')!
  expect(guest).toMatchObject({
    uid: 1,
    accid: 'guest-1',
    name: '',
    icon: '',
    blocked: false,
    donnop: false,
    created: 500,
  })
  expect(guest).not.toHaveProperty('token')
  expect(all.must(1, 'guest-1')).toEqual(guest)
  expect([all.find(2, 'guest-1'), all.find(1, 'nobody')]).toEqual([undefined, undefined])
  expect(() => all.must(1, 'nobody')).toThrow('no account nobody')
})

it('an account is found before a guest of the same name, and as it is', () => {
  const { all } = made()
  expect([all.find(1, 'ann')!.name, all.find(1, 'both')!.name, all.must(1, 'ann').name]).toEqual(['A', 'A', 'A'])
})

it('a guest logs in with its own token only, an account with that of the account', () => {
  const { all } = made()
  const matches = (accid: string) => ['of a guest', 'of an account'].map((token) => all.tokenMatches(1, accid, token))
  expect([matches('guest-1'), matches('ann')]).toEqual([
    [true, false],
    [false, true],
  ])
})

it('nobody registers the name of a guest who is here', async () => {
  const { all, created } = made()
  await expect(all.create(1, 'guest-1', 't', {})).rejects.toMatchObject({
    code: 414,
    message: 'already register',
    reason: 'present',
  })
  expect(created).toEqual([])
  await all.create(2, 'guest-1', 't', {})
  await all.create(1, 'bob', 't', {})
  expect(created).toEqual(['guest-1', 'bob'])
})
