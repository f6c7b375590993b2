import { Refused } from '../refusal.ts'
import type { Account, Accounts } from '../accounts/accounts.ts'
import { emptyAccountRow } from '../accounts/accounts-store.ts'
import type { Guest } from './guests-store.ts'
import type { Guests } from './guests.ts'

const { token: _token, ...unset } = emptyAccountRow
const accountOf = ({ uid, accid, created }: Guest): Account => ({
  ...unset,
  uid,
  accid,
  blocked: false,
  donnop: false,
  created,
})

/** Accounts with guests among them: they log in and enter rooms, but are not listed, changed or registered. */
export function withGuests(accounts: Accounts, guests: Pick<Guests, 'find' | 'tokenMatches'>): Accounts {
  const guest = (uid: number, accid: string): Account | undefined => {
    const found = guests.find(uid, accid)
    return found && accountOf(found)
  }
  return {
    ...accounts,
    find: (uid, accid) => accounts.find(uid, accid) ?? guest(uid, accid),
    must: (uid, accid) => guest(uid, accid) ?? accounts.must(uid, accid),
    tokenMatches: (uid, accid, token) =>
      guests.find(uid, accid) ? guests.tokenMatches(uid, accid, token) : accounts.tokenMatches(uid, accid, token),
    async create(uid, accid, token, values) {
      if (guests.find(uid, accid)) throw new Refused(414, 'already register', 'present')
      return accounts.create(uid, accid, token, values)
    },
  }
}
