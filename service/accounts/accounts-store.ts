import type { Kysely } from 'kysely'
import type { KickReason } from '../link/session.ts'
import type { AccountTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** Changeable columns of an account. */
export type AccountValues = Partial<Omit<AccountTable, 'uid' | 'accid' | 'created'>>

/** Why the sessions of an account end with a change; nodes of an earlier release tell `true` for a block. */
export type SessionsEnd = Extract<KickReason, 'blocked' | 'ended'>

/** A new account, or values of one that is there; absent ones stay. `ends`: its sessions end everywhere with it. */
export type AccountChange =
  | { readonly row: AccountTable }
  | {
      readonly uid: number
      readonly accid: string
      readonly values: AccountValues
      readonly ends?: SessionsEnd | true
    }

/** A row with every column, for compiling the statement once. */
export const emptyAccountRow: AccountTable = {
  uid: 0,
  accid: '',
  token: '',
  name: '',
  icon: '',
  props: '',
  sign: '',
  email: '',
  birth: '',
  mobile: '',
  ex: '',
  gender: null,
  blocked: 0,
  donnop: 0,
  created: 0,
}
const columns = Object.keys(emptyAccountRow) as (keyof AccountTable)[]

/** Makes the store. */
export function createAccountsStore(db: Kysely<Tables>) {
  const insertion = db.insertInto('account').values(emptyAccountRow).compile()
  return {
    load: (): Promise<AccountTable[]> => db.selectFrom('account').selectAll().execute(),
    /** Writes a change in a transaction. Rejects with a unique violation for a new account that is there. */
    async write(transaction: Kysely<Tables>, change: AccountChange): Promise<void> {
      if ('row' in change)
        await transaction.executeQuery({ ...insertion, parameters: columns.map((column) => change.row[column]) })
      else if (Object.keys(change.values).length > 0)
        await transaction
          .updateTable('account')
          .set(change.values)
          .where('uid', '=', change.uid)
          .where('accid', '=', change.accid)
          .execute()
    },
  }
}

/** Accounts in the database; every method rejects when the store is broken. */
export type AccountsStore = ReturnType<typeof createAccountsStore>
