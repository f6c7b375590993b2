import type { LinkAnswer, LinkArguments, LinkPush } from '../../contract/link/frames.ts'
import type { OpenLinkSocket } from '../../contract/link/client.ts'
import type { Arguments } from '../../contract/operation.ts'
import { accounts as operations, local, messages } from '../../contract/operations/index.ts'
import type { LinkSession } from '../../contract/rpc/index.ts'
import { existingAccounts } from '../client/accounts.ts'
import { callsOf } from '../client/client.ts'
import { Failure, reasonOf } from '../failure.ts'
import { createListeners } from '../listeners.ts'
import { localProfileId } from '../profiles/profiles.ts'
import { fromVault } from '../secrets/vault.ts'
import { openKnownAccounts } from './known-accounts.ts'
import { createLinksByProfile, type LinkOfProfile } from './links-by-profile.ts'
import type { PageRequest } from './link-sessions.ts'
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
  const { vault, client, isExtended } = ports
  const call = callsOf(client)
  const known = await openKnownAccounts(ports.dataDir)
  const entry = (profileId: string, accid: string): string => ports.entryName(`token:${profileId}:${accid}`)
  const renewals = createListeners<[profileId: string, accid: string, token: string]>()
  const links = createLinksByProfile({
    ...ports,
    random: () => ports.random(4).readUInt32BE() / 0x1_0000_0000,
    device: ports.entryName('device').slice(0, 32),
  })
  /** Profiles whose accounts that were signed in when the app ended have signed in again. */
  const resumed = new Set<string>()
  const signInAgain = async (profileId: string): Promise<void> => {
    if (resumed.has(profileId)) return
    resumed.add(profileId)
    for (const { accid } of known.of(profileId).filter(({ signedIn }) => signedIn)) {
      const token = await ownToken(profileId, accid, false).catch((error: unknown) => {
        ports.log(`an account did not sign in again: ${reasonOf(error)}`)
        return undefined
      })
      if (token !== undefined) links.of(profileId).sessions.open(accid, token, true)
    }
  }
  /** The link of a profile's service, if it speaks the protocol of this one. */
  const linkOf = (profileId: string): LinkOfProfile => {
    if (isExtended(profileId)) return links.of(profileId)
    throw new Failure(
      'absent',
      'the client link of a hosted service speaks a protocol of its own; only accounts of this computer sign in here',
    )
  }
  /** How often the service of a profile was left. */
  const left = new Map<string, number>()
  /** Waits; throws Failure if the service was left meanwhile, as what it answered is of no use at the next. */
  const atOneService = async <T>(profileId: string, work: Promise<T>): Promise<T> => {
    const before = left.get(profileId)
    const done = await work
    if (left.get(profileId) === before) return done
    throw new Failure('absent', 'the profile was removed or is of another service now')
  }
  const leaveLinks = (profileId: string): void => {
    left.set(profileId, (left.get(profileId) ?? 0) + 1)
    const sessions = links.find(profileId)?.sessions
    for (const { accid } of sessions?.all() ?? []) sessions?.close(accid)
    links.forget(profileId)
  }
  const keepToken = async (profileId: string, accid: string, token: string, keep: Keeping): Promise<void> => {
    // First, so that removing the profile finds it.
    await atOneService(profileId, known.note({ profileId, accid, ownToken: keep === 'own' }))
    if (keep === false) return
    await fromVault(vault.set(entry(profileId, accid), token))
  }
  const renew = async (profileId: string, accid: string): Promise<string> => {
    const { info } = await atOneService(profileId, call(profileId, operations.refreshToken, { accid }))
    // Open sessions reconnect with the new token.
    links.find(profileId)?.sessions.renewed(accid, info.token)
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

  const createAccount = async (
    profileId: string,
    account: Arguments<typeof operations.create>,
    keep: Keeping,
  ): Promise<{ accid: string; token: string }> => {
    const { info } = await atOneService(profileId, call(profileId, operations.create, account))
    await known.note({ profileId, accid: info.accid, name: info.name })
    await keepToken(profileId, info.accid, info.token, keep)
    return { accid: info.accid, token: info.token }
  }
  const refreshToken = async (profileId: string, accid: string, keep: Keeping): Promise<{ token: string }> => {
    const token = await renew(profileId, accid)
    await keepToken(profileId, accid, token, keep)
    // The earlier token is invalid.
    if (keep === false) await fromVault(vault.delete(entry(profileId, accid)))
    return { token }
  }

  return {
    createAccount,
    refreshToken,
    /**
     * Registers an account of the app itself if it is missing, and sees that its token is the app's own. True if it was
     * missing.
     */
    ownAccount: async (profileId: string, accid: string, name: string): Promise<boolean> => {
      if ((await existingAccounts(await client(profileId), [accid])).length === 0) {
        await createAccount(profileId, { accid, name }, 'own')
        return true
      }
      // Its making was cut short, or this app's folder is another one.
      if (!known.of(profileId).some((one) => one.accid === accid && one.ownToken))
        await refreshToken(profileId, accid, 'own')
      return false
    },
    accounts: async (profileId: string, search: string, after: string): Promise<AccountPage> => {
      const service = await client(profileId)
      if (isExtended(profileId)) {
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
      const { sessions } = linkOf(profileId)
      const given = token ?? (await ownToken(profileId, accid, false))
      if (given === undefined) throw new Failure('secret', `no token of ${accid} is kept`)
      if (token !== undefined) await keepToken(profileId, accid, token, keep)
      const session = sessions.open(accid, given, keep || token === undefined)
      await known.note({ profileId, accid, signedIn: keep || token === undefined })
      return session
    },
    signOut: async (profileId: string, accid: string, forget: boolean) => {
      const { sessions } = linkOf(profileId)
      sessions.close(accid)
      await known.note({ profileId, accid, signedIn: false })
      if (forget) await fromVault(vault.delete(entry(profileId, accid)))
    },
    sessions: (profileId: string): Promise<LinkSession[]> =>
      Promise.resolve(links.find(profileId)?.sessions.all() ?? []),
    ask: async <K extends PageRequest>(
      profileId: string,
      accid: string,
      kind: K,
      members: LinkArguments<K>,
    ): Promise<LinkAnswer<K>> => {
      const { sessions, requests } = linkOf(profileId)
      const answer = await sessions.ask(accid, kind, members)
      if (kind === 'friend') requests.friendAnswered(accid, (members as LinkArguments<'friend'>).accid.toLowerCase())
      if (kind === 'teamAnswer') {
        const { tid, accid: other } = members as LinkArguments<'teamAnswer'>
        if (other === undefined) requests.invitationAnswered(accid, tid)
        else requests.applicationAnswered(accid, tid, other.toLowerCase())
      }
      return answer
    },
    /** Unanswered requests to accounts signed in here, for pages opened later. */
    openRequests: links.openRequests,
    /** Called with new tokens; returns its end. */
    onRenewed: renewals.on,
    /** Where the link of a service is; undefined while that is not known. */
    serviceAt: (link: { readonly url: string; readonly appKey: string } | undefined, profileId = localProfileId) => {
      links.of(profileId).sessions.serviceAt(link)
      if (link)
        signInAgain(profileId).catch((error: unknown) =>
          ports.log(`accounts did not sign in again: ${reasonOf(error)}`),
        )
    },
    /**
     * Its address becomes another service's, which must not get the tokens of this one: sessions end, and tokens and
     * accounts are forgotten. Throws Failure `keychain`.
     */
    leaveService: async (profileId: string) => {
      leaveLinks(profileId)
      for (const { accid } of known.of(profileId)) await fromVault(vault.delete(entry(profileId, accid)))
      await known.forgetProfile(profileId)
    },
    forgetProfile: async (profileId: string) => {
      leaveLinks(profileId)
      for (const { accid } of known.of(profileId)) await vault.delete(entry(profileId, accid)).catch(() => undefined)
      await known.forgetProfile(profileId)
    },
    close: () => links.end(),
  }
}
