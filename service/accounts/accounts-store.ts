import type { Kysely } from 'kysely'
import type { AccountTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'

/** Changeable columns of an account. */
export type AccountValues = Partial<Omit<AccountTable, 'uid' | 'accid' | 'created'>>

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
  const insert = (row: AccountTable, executor: Kysely<Tables>): Promise<unknown> =>
    executor.executeQuery({ ...insertion, parameters: columns.map((column) => row[column]) })
  return {
    load: (): Promise<AccountTable[]> => db.selectFrom('account').selectAll().execute(),
    /** Rejects with a unique violation for an existing account. */
    insert: createWriteBatch<AccountTable>(async (rows) => {
      if (rows.length === 1) return void (await insert(rows[0]!, db))
      await db.transaction().execute(async (transaction) => {
        for (const row of rows) await insert(row, transaction)
      })
    }),
    async update(uid: number, accid: string, values: AccountValues): Promise<void> {
      await db.updateTable('account').set(values).where('uid', '=', uid).where('accid', '=', accid).execute()
    },
  }
}

/** Accounts in the database; every method rejects when the store is broken. */
export type AccountsStore = ReturnType<typeof createAccountsStore>
