import type { LinkAnswer, LinkArguments, LinkPush } from '../../contract/link/frames.ts'
import type { OpenLinkSocket } from '../../contract/link/client.ts'
import type { Arguments } from '../../contract/operation.ts'
import { accounts as operations, local, messages } from '../../contract/operations/index.ts'
import type { LinkSession } from '../../contract/rpc/index.ts'
import { callsOf } from '../client/client.ts'
import { Failure, reasonOf } from '../failure.ts'
import { createListeners } from '../listeners.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { fromVault } from '../secrets/vault.ts'
import { openKnownAccounts } from './known-accounts.ts'
import { createOpenRequests, type OpenRequest } from './open-requests.ts'
import { createLinkSessions, type PageRequest } from './link-sessions.ts'
import type { PartPorts } from '../part-ports.ts'

interface AccountPage {
  readonly complete: boolean
  readonly accounts: { accid: string; name: string; blocked: boolean | null; online: boolean | null }[]
}

/** Whether to keep a new token; `own`: keep it and show it to nobody. */
type Keeping = boolean | 'own'

/** Accounts, their tokens and link sessions. Throws Failure. */
export type Messaging = Awaited<ReturnType<typeof openMessaging>>

const pageSize = 100
const listed = (accid: string, name: string) => ({ accid, name, blocked: null, online: null })

/** Opens the accounts; those signed in sign in again once the service runs. */
export async function openMessaging(
  ports: PartPorts & {
    readonly openSocket: OpenLinkSocket
    readonly changed: (session: LinkSession) => void
    readonly pushed: (profileId: string, accid: string, push: LinkPush) => void
  },
) {
  const { vault, client } = ports
  const call = callsOf(client)
  const known = await openKnownAccounts(ports.dataDir)
  const entry = (profileId: string, accid: string): string => ports.entryName(`token:${profileId}:${accid}`)
  const requests = createOpenRequests()
  const renewals = createListeners<[profileId: string, accid: string, token: string]>()
  const sessions = createLinkSessions({
    ...ports,
    profileId: localProfileId,
    random: () => ports.random(4).readUInt32BE() / 0x1_0000_0000,
    device: ports.entryName('device').slice(0, 32),
    pushed: (accid, push) => {
      requests.came(accid, push)
      ports.pushed(localProfileId, accid, push)
    },
  })
  /** Signed in when the app ended. */
  let again = known.of(localProfileId).filter(({ signedIn }) => signedIn)
  const signInAgain = async (): Promise<void> => {
    const waiting = again
    again = []
    for (const { accid } of waiting) {
      const token = await ownToken(localProfileId, accid, false).catch((error: unknown) => {
        ports.log(`an account did not sign in again: ${reasonOf(error)}`)
        return undefined
      })
      if (token !== undefined) sessions.open(accid, token, true)
    }
  }
  const localOnly = (profileId: string): void => {
    if (profileId !== localProfileId)
      throw new Failure(
        'absent',
        'the client link of a hosted service speaks a protocol of its own; only accounts of this computer sign in here',
      )
  }
  const keepToken = async (profileId: string, accid: string, token: string, keep: Keeping): Promise<void> => {
    // First, so that removing the profile finds it.
    await known.note({ profileId, accid, ownToken: keep === 'own' })
    if (keep === false) return
    await fromVault(vault.set(entry(profileId, accid), token))
  }
  const renew = async (profileId: string, accid: string): Promise<string> => {
    const { info } = await call(profileId, operations.refreshToken, { accid })
    // Open sessions reconnect with the new token.
    if (profileId === localProfileId) sessions.renewed(accid, info.token)
    renewals.tell(profileId, accid, info.token)
    return info.token
  }
  /** Concurrent renewals share one: of two, the first token would be refused. */
  const renewing = new Map<string, Promise<string>>()
  const renewOwn = (profileId: string, accid: string): Promise<string> => {
    const key = entry(profileId, accid)
    const before = renewing.get(key)
    if (before) return before
    const mine = renew(profileId, accid)
      .then(async (token) => {
        // If the keychain refuses, the next start makes a new token.
        await vault.set(key, token).catch((error: unknown) => {
          ports.log(`a new token was not kept: ${reasonOf(error)}`)
        })
        return token
      })
      .finally(() => renewing.delete(key))
    renewing.set(key, mine)
    return mine
  }
  async function ownToken(profileId: string, accid: string, wasRefused: boolean): Promise<string | undefined> {
    const kept = wasRefused ? undefined : await fromVault(vault.get(entry(profileId, accid)))
    if (kept !== undefined) return kept
    return known.of(profileId).some((one) => one.accid === accid && one.ownToken)
      ? renewOwn(profileId, accid)
      : undefined
  }

  return {
    createAccount: async (
      profileId: string,
      account: Arguments<typeof operations.create>,
      keep: Keeping,
    ): Promise<{ accid: string; token: string }> => {
      const { info } = await call(profileId, operations.create, account)
      await known.note({ profileId, accid: info.accid, name: info.name })
      await keepToken(profileId, info.accid, info.token, keep)
      return { accid: info.accid, token: info.token }
    },
    refreshToken: async (profileId: string, accid: string, keep: Keeping): Promise<{ token: string }> => {
      const token = await renew(profileId, accid)
      await keepToken(profileId, accid, token, keep)
      // The earlier token is invalid.
      if (keep === false) await fromVault(vault.delete(entry(profileId, accid)))
      return { token }
    },
    accounts: async (profileId: string, search: string, after: string): Promise<AccountPage> => {
      const service = await client(profileId)
      if (profileId === localProfileId) {
        const { ret } = await service.call(local.accounts, {
          limit: pageSize,
          ...(search === '' ? {} : { search }),
          ...(after === '' ? {} : { after }),
        })
        return { complete: true, accounts: ret.list }
      }
      const wanted = search.toLowerCase()
      const found = known
        .of(profileId)
        .filter(({ accid, name }) => accid > after && (accid.includes(wanted) || name.toLowerCase().includes(wanted)))
        .sort((a, b) => (a.accid < b.accid ? -1 : 1))
        .slice(0, pageSize)
      if (found.length > 0 || after !== '' || !/^[a-z0-9_@.-]{1,32}$/.test(wanted))
        return { complete: false, accounts: found.map(({ accid, name }) => listed(accid, name)) }
      // A hosted service has no list: look up a whole accid.
      const { uinfos } = await service.call(operations.getUinfos, { accids: [wanted] })
      for (const { accid, name } of uinfos) await known.note({ profileId, accid, name: name ?? '' })
      return { complete: false, accounts: uinfos.map(({ accid, name }) => listed(accid, name ?? '')) }
    },
    /** The kept token of an account. */
    token: (profileId: string, accid: string): Promise<string | undefined> =>
      fromVault(vault.get(entry(profileId, accid))),
    /**
     * The app's own token for the link: the kept one, or a new one if the last was the app's. Undefined if another
     * program may have the last one.
     */
    ownToken,
    upload: async (profileId: string, content: string, type: string): Promise<{ url: string }> => {
      const { url } = await call(profileId, messages.upload, { content, ...(type === '' ? {} : { type }) })
      return { url }
    },
    signIn: async (
      profileId: string,
      accid: string,
      token: string | undefined,
      keep: boolean,
    ): Promise<LinkSession> => {
      localOnly(profileId)
      const given = token ?? (await ownToken(profileId, accid, false))
      if (given === undefined) throw new Failure('secret', `no token of ${accid} is kept`)
      if (token !== undefined) await keepToken(profileId, accid, token, keep)
      const session = sessions.open(accid, given, keep || token === undefined)
      await known.note({ profileId, accid, signedIn: keep || token === undefined })
      return session
    },
    signOut: async (profileId: string, accid: string, forget: boolean) => {
      localOnly(profileId)
      sessions.close(accid)
      await known.note({ profileId, accid, signedIn: false })
      if (forget) await fromVault(vault.delete(entry(profileId, accid)))
    },
    sessions: (profileId: string): Promise<LinkSession[]> =>
      Promise.resolve(profileId === localProfileId ? sessions.all() : []),
    ask: async <K extends PageRequest>(
      profileId: string,
      accid: string,
      kind: K,
      members: LinkArguments<K>,
    ): Promise<LinkAnswer<K>> => {
      localOnly(profileId)
      const answer = await sessions.ask(accid, kind, members)
      if (kind === 'friend') requests.friendAnswered(accid, (members as LinkArguments<'friend'>).accid.toLowerCase())
      if (kind === 'teamAnswer') {
        const { tid, accid: other } = members as LinkArguments<'teamAnswer'>
        if (other === undefined) requests.invitationAnswered(accid, tid)
        else requests.applicationAnswered(accid, tid, other.toLowerCase())
      }
      return answer
    },
    /** Unanswered requests to local accounts, for pages opened later. */
    openRequests: (): OpenRequest[] => requests.all(),
    /** Called with new tokens; returns its end. */
    onRenewed: renewals.on,
    serviceAt: (link: { readonly url: string; readonly appKey: string } | undefined) => {
      sessions.serviceAt(link)
      if (link && again.length > 0)
        signInAgain().catch((error: unknown) => ports.log(`accounts did not sign in again: ${reasonOf(error)}`))
    },
    forgetProfile: async (profileId: string) => {
      for (const { accid } of known.of(profileId)) await vault.delete(entry(profileId, accid)).catch(() => undefined)
      await known.forgetProfile(profileId)
    },
    close: () => sessions.end(),
  }
}
