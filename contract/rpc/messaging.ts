import { z } from 'zod'
import type { Fields } from '../field.ts'
import { linkPushes, linkRequests, type LinkAnswer, type LinkArguments, type LinkPush, type LinkRequestKind } from '../link/frames.ts'
import type { Answer, Arguments, Operation } from '../operation.ts'
import { accounts, friends, history, local, messages, relations, teams } from '../operations/index.ts'
import { membersFault, readParameters } from '../validate.ts'
import { isNoneOrSeen, unseen } from './named.ts'
import { verb } from './verb.ts'

const profileId = z.string().min(1).max(64)
const accid = z.string().regex(/^[a-z0-9_@.-]{1,32}$/)
const token = z.string().min(1).max(128)

/** Whether a page's arguments are what the contract takes; arrays are arrays here, whatever the encoding on the wire is. */
const acceptable = (operation: Operation) => (value: unknown) =>
  typeof value === 'object' && value !== null && readParameters({ ...operation, encoding: 'json' }, value).ok

/** The parameters of one operation; of those that are names and not empty something must be seen, whatever the service takes of other clients. */
const callOf = <O extends Operation>(operation: O, names: readonly string[]) =>
  z.custom<Arguments<O>>(acceptable(operation)).refine((call) => names.every((name) => isNoneOrSeen((call as Readonly<Record<string, unknown>>)[name])), unseen)

/** A verb for one operation of the contract: the same parameters and answer, so that nothing is said twice. */
export const signed = <O extends Operation>(operation: O, ...names: string[]) =>
  verb.input(z.strictObject({ profileId, call: callOf(operation, names) })).output(z.custom<Answer<O>>((value) => typeof value === 'object'))

const requestOf = (kind: LinkRequestKind): { parameters: Fields } => linkRequests[kind]
/** A verb for one request of the client link, sent by the session of an account that is signed in. */
const linked = <K extends LinkRequestKind>(kind: K) =>
  verb
    .input(
      z.strictObject({
        profileId,
        accid,
        call: z.custom<LinkArguments<K>>((value) =>
          acceptable({ ...accounts.getUinfos, path: '/link', parameters: requestOf(kind).parameters, answer: {} })(value),
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
    return typeof t === 'string' && Object.hasOwn(linkPushes, t) && membersFault(linkPushes[t as keyof typeof linkPushes], value) === undefined
  }),
})

/** Verbs of the Messaging screen: operations of 2-messaging as the service has them, and sessions on the client link. */
export const messagingVerbs = {
  /** Registers an account; its token is answered this once. `keep` puts it into the keychain. */
  createAccount: verb
    .input(z.strictObject({ profileId, call: callOf(accounts.create, ['name']), keep: z.boolean() }))
    .output(z.object({ accid: z.string(), token: z.string() })),
  /** A new token, answered this once. */
  refreshToken: verb.input(z.strictObject({ profileId, accid, keep: z.boolean() })).output(z.object({ token: z.string() })),
  /** Accounts that can be listed: all of the embedded service, else those that were made or looked up from here. */
  accounts: verb.input(z.strictObject({ profileId, search: z.string().max(64), after: z.string().max(32) })).output(
    z.object({
      complete: z.boolean(),
      accounts: z.array(z.object({ accid: z.string(), name: z.string(), blocked: z.boolean().nullable(), online: z.boolean().nullable() })),
    }),
  ),
  endSessions: signed(local.endSessions),
  words: signed(local.words),
  setWords: signed(local.setWords),
  user: {
    update: verb.input(z.strictObject({ profileId, accid, props: z.string().max(1024) })).output(z.void()),
    block: signed(accounts.block),
    unblock: signed(accounts.unblock),
    updateCard: signed(accounts.updateUinfo, 'name'),
    cards: signed(accounts.getUinfos),
    setDonnop: signed(accounts.setDonnop),
    events: signed(history.userEvents),
  },
  friend: { add: signed(friends.add), update: signed(friends.update, 'alias'), remove: signed(friends.remove), get: signed(friends.get) },
  relation: { set: signed(relations.set), list: signed(relations.list) },
  message: {
    send: signed(messages.send),
    sendBatch: signed(messages.sendBatch),
    notify: signed(messages.notify),
    recall: signed(messages.recall),
    /** Stores a file of at most 150 kB given in Base64 and answers where it lies. */
    upload: verb.input(z.strictObject({ profileId, content: z.string().min(1).max(200_000), type: z.string().max(32) })).output(z.object({ url: z.string() })),
    /** A path on the page's own origin at which a file of the embedded service is shown, good for this connection. */
    media: verb.input(z.strictObject({ profileId, url: z.string().min(1).max(1024) })).output(z.object({ path: z.string() })),
    session: signed(history.session),
    team: signed(history.team),
  },
  team: {
    create: signed(teams.create, 'tname'),
    add: signed(teams.add),
    kick: signed(teams.kick),
    remove: signed(teams.remove),
    update: signed(teams.update, 'tname'),
    query: signed(teams.query),
    changeOwner: signed(teams.changeOwner),
    addManager: signed(teams.addManager),
    removeManager: signed(teams.removeManager),
    joined: signed(teams.joinTeams),
    updateNick: signed(teams.updateTeamNick, 'nick'),
    mute: signed(teams.muteTlist),
    muteAll: signed(teams.muteTlistAll),
    muted: signed(teams.listTeamMute),
    quiet: signed(teams.muteTeam),
    leave: signed(teams.leave),
  },
  /** Opens the link session of an account, with a token or the one kept; its pushes come as `link` events. */
  signIn: verb.input(z.strictObject({ profileId, accid, token: token.optional(), keep: z.boolean() })).output(LinkSession),
  signOut: verb.input(z.strictObject({ profileId, accid, forget: z.boolean() })).output(z.void()),
  sessions: verb.input(z.strictObject({ profileId })).output(z.array(LinkSession)),
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
