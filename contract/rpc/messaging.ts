import { z } from 'zod'
import { accid, onProfile, profileId } from './ids.ts'
import type { Fields } from '../field.ts'
import { pushFault } from '../link/faults.ts'
import {
  linkRequests,
  type LinkAnswer,
  type LinkArguments,
  type LinkPush,
  type LinkRequestKind,
} from '../link/frames.ts'
import { accounts } from '../operations/index.ts'
import { isAcceptable, parametersOf } from './operations.ts'
import { forPage } from './procedure.ts'
import { reasonSchema } from './reason.ts'
import { secret } from './secret.ts'

const token = secret(z.string().min(1).max(128))

const requestOf = (kind: LinkRequestKind): { parameters: Fields } => linkRequests[kind]
/** A procedure for a link request, sent by an account's session. */
const linked = <K extends LinkRequestKind>(kind: K) =>
  forPage(`The request \`${kind}\` of the client link, by the session of an account.`)
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

/** Link session of an account. */
export const LinkSession = z.object({
  profileId: z.string(),
  accid: z.string(),
  /** `refused`: account or token were refused, or the session was ended for good; see `reason`. */
  phase: z.enum(['connecting', 'online', 'waiting', 'refused', 'off']),
  reason: reasonSchema('link').nullable(),
  /** Unread messages of all conversations, if known. */
  unread: z.number().nullable(),
  /** The token is in the keychain. */
  kept: z.boolean(),
})
export type LinkSession = z.infer<typeof LinkSession>

/** A push on the link of an account. */
export const LinkPushed = z.object({
  profileId: z.string(),
  accid: z.string(),
  push: z.custom<LinkPush>((value) => pushFault(value) === undefined),
})

/** Procedures of the Messaging screen: operations of 2-messaging, and link sessions. */
export const messagingProcedures = {
  createAccount: forPage('Registers an account; returns its token once. `keep` stores it in the keychain.')
    .input(z.strictObject({ profileId, call: parametersOf(accounts.create, ['name']), keep: z.boolean() }))
    .output(z.object({ accid: z.string(), token: secret(z.string()) })),
  refreshToken: forPage('A new token, returned once.')
    .input(z.strictObject({ profileId, accid, keep: z.boolean() }))
    .output(z.object({ token: secret(z.string()) })),
  accounts: forPage('Accounts of the embedded service; otherwise those made or looked up here.')
    .input(z.strictObject({ profileId, search: z.string().max(64), after: z.string().max(32) }))
    .output(
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
  setProps: forPage('Changes the third-party data of an account; its token stays.')
    .input(z.strictObject({ profileId, accid, props: z.string().max(1024) }))
    .output(z.void()),
  upload: forPage('Uploads a Base64 file of at most 150 kB; returns its address.')
    .input(z.strictObject({ profileId, content: z.string().min(1).max(200_000), type: z.string().max(32) }))
    .output(z.object({ url: z.string() })),
  media: forPage("A path on the page's origin that shows a file of the embedded service, for this connection.")
    .input(z.strictObject({ profileId, url: z.string().min(1).max(1024) }))
    .output(z.object({ path: z.string() })),
  signIn: forPage('Opens the link session of an account; without a token by the one that is kept.')
    .input(z.strictObject({ profileId, accid, token: token.optional(), keep: z.boolean() }))
    .output(LinkSession),
  signOut: forPage('Ends the link session of an account; `forget` removes the token that is kept.')
    .input(z.strictObject({ profileId, accid, forget: z.boolean() }))
    .output(z.void()),
  sessions: forPage('Link sessions of accounts of a profile.').input(onProfile).output(z.array(LinkSession)),
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
