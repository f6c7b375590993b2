import type { LinkPush } from '../../contract/link/frames.ts'
import { mainlandMobile } from '../../contract/operations/accounts.ts'
import { accounts as operations, local } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { Account, Accounts } from './accounts.ts'

/** What accounts use of the client link. */
export interface AccountSessions {
  /** Ends the sessions of an account with a reason. */
  kick(uid: number, accid: string, reason: 'blocked' | 'ended'): unknown
  online(uid: number, accid: string): readonly string[]
  /** Sends a setting to the account's devices. */
  tell(uid: number, accid: string, push: LinkPush<'settings'>): unknown
}

/** Bytes of a generated token. */
const tokenBytes = 16

const cardTexts = ['name', 'icon', 'sign', 'email', 'birth', 'mobile', 'ex'] as const
const isMainland = new RegExp(mainlandMobile, 'u')
/** Stored part of a card: an unsupported mobile number is omitted, the rest kept. */
function kept<C extends { readonly mobile?: string }>({ mobile, ...card }: C): Omit<C, 'mobile'> & { mobile?: string } {
  return mobile !== undefined && isMainland.test(mobile) ? { ...card, mobile } : card
}

/** A user card without unset members (behaviour.md#answers-of-messaging). */
export const cardOf = (account: Account) => ({
  accid: account.accid,
  ...(Object.fromEntries(cardTexts.flatMap((name) => (account[name] === '' ? [] : [[name, account[name]]]))) as Partial<
    Record<(typeof cardTexts)[number], string>
  >),
  ...(account.gender !== null && { gender: account.gender }),
})

/** Handlers of the operations on accounts and cards (2-messaging Accounts), with the extension operations. */
export function accountOperations(options: {
  readonly accounts: Accounts
  readonly sessions: AccountSessions
  readonly random: (bytes: number) => Buffer
}): Served[] {
  const { accounts, sessions, random } = options
  const newToken = (): string => random(tokenBytes).toString('hex')
  return [
    serve(operations.create, async ({ accid, token = newToken(), ...values }, { application: { uid } }) => {
      const account = await accounts.create(uid, accid, token, kept(values))
      return { info: { token, accid: account.accid, name: account.name } }
    }),
    serve(operations.update, async ({ accid, ...values }, { application: { uid } }) => {
      await accounts.update(uid, accid, values)
      return {}
    }),
    serve(operations.refreshToken, async ({ accid }, { application: { uid } }) => {
      const token = newToken()
      await accounts.update(uid, accid, { token })
      return { info: { token, accid } }
    }),
    serve(operations.block, async ({ accid, needkick }, { application: { uid } }) => {
      await accounts.update(uid, accid, { blocked: true }, needkick ? 'blocked' : undefined)
      if (needkick) sessions.kick(uid, accid, 'blocked')
      return {}
    }),
    serve(operations.unblock, async ({ accid }, { application: { uid } }) => {
      await accounts.update(uid, accid, { blocked: false })
      return {}
    }),
    serve(operations.updateUinfo, async ({ accid, ...values }, { application: { uid } }) => {
      await accounts.update(uid, accid, kept(values))
      return {}
    }),
    serve(operations.getUinfos, ({ accids }, { application: { uid } }) => ({
      uinfos: [...new Set(accids)].flatMap((accid) => {
        const account = accounts.find(uid, accid)
        return account ? [{ ...cardOf(account), valid: !account.blocked }] : []
      }),
    })),
    serve(operations.setDonnop, async ({ accid, donnopOpen }, { application: { uid } }) => {
      const { donnop } = accounts.must(uid, accid)
      await accounts.update(uid, accid, { donnop: donnopOpen })
      if (donnop !== donnopOpen) sessions.tell(uid, accid, { t: 'settings', donnop: donnopOpen })
      return {}
    }),
    serve(local.accounts, (request, { application: { uid } }) => ({
      ret: {
        list: accounts
          .page(uid, { ...request, after: request.after?.toLowerCase() })
          .map(({ accid, name, blocked }) => ({
            accid,
            name,
            blocked,
            online: sessions.online(uid, accid).length > 0,
          })),
      },
    })),
    serve(local.endSessions, async ({ accid }, { application: { uid } }) => {
      if (!accounts.find(uid, accid))
        throw new Refused(local.endSessions.unknown, `${accid} is not registered`, 'missing')
      await accounts.update(uid, accid, {}, 'ended')
      sessions.kick(uid, accid, 'ended')
      return {}
    }),
  ]
}
