import { z } from 'zod'
import type { Fields } from '../field.ts'
import {
  linkPushes,
  linkRequests,
  type LinkAnswer,
  type LinkArguments,
  type LinkPush,
  type LinkRequestKind,
} from '../link/frames.ts'
import { accounts } from '../operations/index.ts'
import { membersFault } from '../validate.ts'
import { isAcceptable, parametersOf } from './operations.ts'
import { forPage } from './procedure.ts'
import { secret } from './secret.ts'

const profileId = z.string().min(1).max(64)
const accid = z.string().regex(/^[a-z0-9_@.-]{1,32}$/)
const token = secret(z.string().min(1).max(128))

const requestOf = (kind: LinkRequestKind): { parameters: Fields } => linkRequests[kind]
/** A procedure for one request of the client link, sent by the session of an account that is signed in. */
const linked = <K extends LinkRequestKind>(kind: K) =>
  forPage
    .input(
      z.strictObject({
        profileId,
        accid,
        call: z.custom<LinkArguments<K>>((value) =>
          isAcceptable({ ...accounts.getUinfos, path: '/link', parameters: requestOf(kind).parameters, answer: {} })(
            value,
          ),
        ),
      }),
    )
    .output(z.custom<LinkAnswer<K>>((value) => typeof value === 'object'))

/** How far the link session of an account is. */
export const LinkSession = z.object({
  profileId: z.string(),
  accid: z.string(),
  /** `refused`: the service did not take account and token, or ended the session for good; see `reason`. */
  phase: z.enum(['connecting', 'online', 'waiting', 'refused', 'off']),
  reason: z.string().nullable(),
  /** Unread of all conversations, while it is known. */
  unread: z.number().nullable(),
  /** The token is in the keychain, so that signing in again needs none. */
  kept: z.boolean(),
})
/** The link session of an account. */
export type LinkSession = z.infer<typeof LinkSession>

/** Something came over the link for an account. */
export const LinkPushed = z.object({
  profileId: z.string(),
  accid: z.string(),
  push: z.custom<LinkPush>((value) => {
    const t = typeof value === 'object' && value !== null && 't' in value ? value.t : undefined
    return (
      typeof t === 'string' &&
      Object.hasOwn(linkPushes, t) &&
      membersFault(linkPushes[t as keyof typeof linkPushes], value) === undefined
    )
  }),
})

/** Procedures of the Messaging screen: operations of 2-messaging as the service has them, and sessions on the client link. */
export const messagingProcedures = {
  /** Registers an account; its token is answered this once. `keep` puts it into the keychain. */
  createAccount: forPage
    .input(z.strictObject({ profileId, call: parametersOf(accounts.create, ['name']), keep: z.boolean() }))
    .output(z.object({ accid: z.string(), token: secret(z.string()) })),
  /** A new token, answered this once. */
  refreshToken: forPage
    .input(z.strictObject({ profileId, accid, keep: z.boolean() }))
    .output(z.object({ token: secret(z.string()) })),
  /** Accounts that can be listed: all of the embedded service, else those that were made or looked up from here. */
  accounts: forPage.input(z.strictObject({ profileId, search: z.string().max(64), after: z.string().max(32) })).output(
    z.object({
      complete: z.boolean(),
      accounts: z.array(
        z.object({
          accid: z.string(),
          name: z.string(),
          blocked: z.boolean().nullable(),
          online: z.boolean().nullable(),
        }),
      ),
    }),
  ),
  /** Changes the third-party data of an account; its token stays. */
  setProps: forPage.input(z.strictObject({ profileId, accid, props: z.string().max(1024) })).output(z.void()),
  /** Stores a file of at most 150 kB given in Base64 and answers where it lies. */
  upload: forPage
    .input(z.strictObject({ profileId, content: z.string().min(1).max(200_000), type: z.string().max(32) }))
    .output(z.object({ url: z.string() })),
  /** A path on the page's own origin at which a file of the embedded service is shown, good for this connection. */
  media: forPage
    .input(z.strictObject({ profileId, url: z.string().min(1).max(1024) }))
    .output(z.object({ path: z.string() })),
  signIn: forPage
    .input(z.strictObject({ profileId, accid, token: token.optional(), keep: z.boolean() }))
    .output(LinkSession),
  signOut: forPage.input(z.strictObject({ profileId, accid, forget: z.boolean() })).output(z.void()),
  sessions: forPage.input(z.strictObject({ profileId })).output(z.array(LinkSession)),
  link: {
    send: linked('send'),
    recall: linked('recall'),
    read: linked('read'),
    unread: linked('unread'),
    history: linked('history'),
    friend: linked('friend'),
    friends: linked('friends'),
    relation: linked('relation'),
    watch: linked('watch'),
    teams: linked('teams'),
    teamInvite: linked('teamInvite'),
    teamApply: linked('teamApply'),
    teamAnswer: linked('teamAnswer'),
    teamLeave: linked('teamLeave'),
  },
}
