import type { Clock } from '../../platform/clock.ts'
import { Refused } from '../refusal.ts'
import type { Journal } from '../journal/journal.ts'
import type { AccountTable } from '../storage/messaging-tables.ts'
import { isUniqueViolation } from '../storage/store.ts'
import {
  emptyAccountRow,
  type AccountChange,
  type AccountsStore,
  type AccountValues,
  type SessionsEnd,
} from './accounts-store.ts'
import { createAccountNames, type AccountNames } from './account-names.ts'
import { hashToken, tokenIs } from './token-hash.ts'

/** An account without its token hash. Unset texts are empty. Immutable: look it up again after a change. */
export type Account = Readonly<Omit<AccountTable, 'token' | 'blocked' | 'donnop'>> & {
  readonly blocked: boolean
  /** Phones get no push while a desktop client is online. */
  readonly donnop: boolean
}

/** Optional values of a registration. */
export type NewAccount = Partial<
  Pick<Account, 'name' | 'props' | 'icon' | 'sign' | 'email' | 'birth' | 'mobile' | 'gender' | 'ex'>
>
/** Changes of an account; absent members stay. A new token is for new log-ins. */
export type AccountChanges = Partial<Omit<Account, 'uid' | 'accid' | 'created'> & { readonly token: string }>

const noSuchAccount = (accid: string): never => {
  throw new Refused(414, `${accid} is not registered`, 'missing')
}
const alreadyThere = (): never => {
  // Clients compare this text and then refresh the token (behaviour.md#codes-of-messaging).
  throw new Refused(414, 'already register', 'present')
}

/** Loads all accounts. */
export async function createAccounts(options: {
  readonly store: AccountsStore
  readonly journal: Journal
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  /** Called at every node that hears of a change which ends the sessions of an account. */
  readonly ended?: (uid: number, accid: string, why: SessionsEnd) => void
}) {
  const { store, journal, clock, random, ended } = options
  interface Entry {
    account: Account
    token: string
  }
  const applications = new Map<number, { readonly entries: Map<string, Entry>; readonly names: AccountNames }>()
  const of = (uid: number) => {
    let known = applications.get(uid)
    if (!known) applications.set(uid, (known = { entries: new Map(), names: createAccountNames() }))
    return known
  }
  const entryOf = ({ token, blocked, donnop, ...rest }: AccountTable): Entry => ({
    account: { ...rest, blocked: blocked === 1, donnop: donnop === 1 },
    token,
  })
  for (const row of await store.load()) of(row.uid).entries.set(row.accid, entryOf(row))
  for (const { entries, names } of applications.values()) names.load(entries.keys())
  // Compared for unknown accounts, so that the answer takes the same time.
  const nobody = hashToken(random(16).toString('hex'), random)
  // Reserved before the store is asked, so that two concurrent registrations cannot both succeed.
  const coming = new Set<string>()

  const apply = (change: AccountChange): void => {
    if ('row' in change) {
      const { entries, names } = of(change.row.uid)
      if (!entries.has(change.row.accid)) names.add(change.row.accid)
      entries.set(change.row.accid, entryOf(change.row))
      return
    }
    const entry = of(change.uid).entries.get(change.accid)
    if (!entry) return
    const { token = entry.token, blocked, donnop, ...rest } = change.values
    entry.token = token
    entry.account = {
      ...entry.account,
      ...rest,
      ...(blocked !== undefined && { blocked: blocked === 1 }),
      ...(donnop !== undefined && { donnop: donnop === 1 }),
    }
    if (change.ends) ended?.(change.uid, change.accid, change.ends === true ? 'blocked' : change.ends)
  }
  const changes = journal.kind<AccountChange>('account', { store: (...given) => store.write(...given), apply })

  const mustHave = (uid: number, accid: string): Entry =>
    applications.get(uid)?.entries.get(accid) ?? noSuchAccount(accid)

  return {
    find: (uid: number, accid: string): Account | undefined => applications.get(uid)?.entries.get(accid)?.account,
    /** Throws `Refused` 414 for an unknown account. */
    must: (uid: number, accid: string): Account => mustHave(uid, accid).account,
    /** Compares a token in constant time, also for an unknown account. */
    tokenMatches(uid: number, accid: string, token: string): boolean {
      const kept = applications.get(uid)?.entries.get(accid)?.token
      return tokenIs(kept ?? nobody, token) && kept !== undefined
    },
    /** Registers an account; throws `Refused` 414 `already register`. */
    async create(uid: number, accid: string, token: string, values: NewAccount): Promise<Account> {
      const { entries } = of(uid)
      const key = `${uid} ${accid}`
      if (entries.has(accid) || coming.has(key)) alreadyThere()
      coming.add(key)
      const row: AccountTable = {
        ...emptyAccountRow,
        uid,
        accid,
        token: hashToken(token, random),
        created: clock.now(),
        ...values,
      }
      try {
        await changes.commit({ row })
      } catch (error) {
        if (isUniqueViolation(error)) alreadyThere()
        throw error
      } finally {
        coming.delete(key)
      }
      return entries.get(accid)!.account
    },
    /** Throws `Refused` 414 for an unknown account. With `ends` its sessions end too, also where the bus is away. */
    async update(
      uid: number,
      accid: string,
      { token, blocked, donnop, ...rest }: AccountChanges,
      ends?: SessionsEnd,
    ): Promise<Account> {
      const entry = mustHave(uid, accid)
      const kept = token === undefined ? undefined : hashToken(token, random)
      const values: AccountValues = {
        ...rest,
        ...(blocked !== undefined && { blocked: Number(blocked) }),
        ...(donnop !== undefined && { donnop: Number(donnop) }),
        ...(kept !== undefined && { token: kept }),
      }
      if (Object.keys(values).length > 0 || ends) await changes.commit({ uid, accid, values, ...(ends && { ends }) })
      return entry.account
    },
    /** A page by accid; `search` matches accid or name in any case. */
    page(
      uid: number,
      request: { readonly search?: string | undefined; readonly after?: string | undefined; readonly limit: number },
    ): Account[] {
      const { search, after, limit } = request
      const application = applications.get(uid)
      if (!application) return []
      const wanted = search?.toLowerCase()
      const found: Account[] = []
      for (const accid of application.names.after(after ?? '')) {
        const { account } = application.entries.get(accid)!
        if (wanted !== undefined && !accid.includes(wanted) && !account.name.toLowerCase().includes(wanted)) continue
        found.push(account)
        if (found.length === limit) break
      }
      return found
    },
  }
}

/** All accounts of all applications, in memory. A change is stored before it takes effect. accids are lower case. */
export type Accounts = Awaited<ReturnType<typeof createAccounts>>
