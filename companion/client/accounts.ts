import type { Answer } from '../../contract/operation.ts'
import { accounts } from '../../contract/operations/index.ts'
import { Failure } from '../failure.ts'
import type { Client } from './client.ts'

type Account = Answer<typeof accounts.getUinfos>['uinfos'][number]

/** Those of these accounts that exist. Throws Failure. */
export async function existingAccounts(client: Client, accids: readonly string[]): Promise<readonly Account[]> {
  try {
    return (await client.call(accounts.getUinfos, { accids: [...accids] })).uinfos
  } catch (error) {
    // The answer leaves out unknown accounts, or is 414 where there is no other.
    if (error instanceof Failure && (error.data.code === 414 || error.data.code === 404)) return []
    throw error
  }
}
