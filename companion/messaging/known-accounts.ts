import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { jsonFile, keptDocument } from '../../platform/json-file.ts'

const Known = z.object({
  profileId: z.string(),
  accid: z.string(),
  name: z.string(),
  signedIn: z.boolean(),
  /** The newest known token is the app's own: renewing it takes it from nobody. */
  ownToken: z.boolean().default(false),
})
const Document = z.object({ version: z.literal(1), accounts: z.array(Known).max(5_000) })

/** An account made, looked up or signed in from here. */
type KnownAccount = z.infer<typeof Known>

const most = 5_000

/** Opens DATA/accounts.json; a damaged one is quarantined. */
export async function openKnownAccounts(dataDir: string) {
  const file = jsonFile(path.join(dataDir, 'accounts.json'), (raw) => Document.parse(raw))
  const document = await keptDocument(file, { version: 1, accounts: [] })
  const change = (update: (accounts: KnownAccount[]) => KnownAccount[]): Promise<void> =>
    document.change((now) => {
      const accounts = update(now.accounts)
      return accounts === now.accounts ? now : { ...now, accounts: accounts.slice(0, most) }
    })
  return {
    of: (profileId: string): KnownAccount[] => document.value().accounts.filter((one) => one.profileId === profileId),
    note: ({ profileId, accid, ...more }: Pick<KnownAccount, 'profileId' | 'accid'> & Partial<KnownAccount>) =>
      change((accounts) => {
        const before = accounts.find((one) => one.profileId === profileId && one.accid === accid)
        const next = { name: '', signedIn: false, ownToken: false, ...before, ...more, profileId, accid }
        return isDeepStrictEqual(before, next) ? accounts : [next, ...accounts.filter((one) => one !== before)]
      }),
    forgetProfile: (profileId: string) =>
      change((accounts) =>
        accounts.some((one) => one.profileId === profileId)
          ? accounts.filter((one) => one.profileId !== profileId)
          : accounts,
      ),
  }
}
