import type { FastifyPluginCallback } from 'fastify'
import type { Applications } from './applications.ts'
import type { Served } from './http/dispatch.ts'
import type { Upgrade } from './http/listener.ts'
import { createLink, type Link } from './link/link.ts'
import { linkOperations } from './link/link-operations.ts'
import { createLoginAudit, forgetOldRecords } from './link/login-audit.ts'
import type { TimeBudget } from './http/time-budget.ts'
import type { Log } from './log.ts'
import type { AddressGuard } from './outbox/address-guard.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { DeliveryKind } from './outbox/outbox-options.ts'
import type { Store } from './storage/store.ts'
import { withGuests } from './watch/guest-accounts.ts'
import type { Guests } from './watch/guests.ts'
import { accountOperations, type AccountSessions } from './messaging/accounts/account-operations.ts'
import { createAccountsStore } from './messaging/accounts/accounts-store.ts'
import { createAccounts } from './messaging/accounts/accounts.ts'
import { createChatroom, type Chatroom } from './chatroom/chatroom.ts'
import { createCopies } from './messaging/copies/copies.ts'
import type { FileReads } from './http/file-reads.ts'
import { fileOperations } from './messaging/files/file-operations.ts'
import { fileRoutes } from './messaging/files/file-routes.ts'
import { openFiles, type Files, type FilesOptions } from './messaging/files/files.ts'
import { copyOperations } from './messaging/copies/copy-operations.ts'
import type { EventReceivers } from './events/event.ts'
import { historyOperations } from './messaging/messages/history-operations.ts'
import { messageOperations } from './messaging/messages/message-operations.ts'
import { messageHandlers } from './messaging/messages/message-handlers.ts'
import { createRecall } from './messaging/messages/recall.ts'
import { createSender } from './messaging/messages/sender.ts'
import { linkTeams, relationHandlers, teamHandlers } from './messaging/link-handlers.ts'
import { sessionCopies } from './messaging/session-copies.ts'
import { createFriends } from './messaging/relations/friends.ts'
import { relationOperations } from './messaging/relations/relation-operations.ts'
import { loadRelations } from './messaging/relations/relations-store.ts'
import { createSpecialLists } from './messaging/relations/special-lists.ts'
import { createRetention } from './messaging/stream/retention.ts'
import { createMessagingStream } from './messaging/stream/stream.ts'
import { wordOperations } from './messaging/words/word-operations.ts'
import { teamOperations } from './messaging/teams/team-operations.ts'
import type { DeliveryRates } from './chatroom/room-deliveries.ts'
import { createTeams, type Teams } from './messaging/teams/teams.ts'
import { createWords } from './messaging/words/words.ts'

/** Options of messaging. */
export interface MessagingOptions {
  readonly store: Store
  readonly applications: Applications
  /** Applications served by this start. */
  readonly uids: readonly number[]
  readonly dataDir: string
  /** ms since 1970. */
  readonly clock: () => number
  /** Monotonic, in ms. */
  readonly monotonic: () => number
  readonly random: (bytes: number) => Buffer
  /** Calls after ms; returns the cancel function. */
  readonly after: (ms: number, call: () => void) => () => void
  /** Charged for requests. */
  readonly budget: TimeBudget
  /** Rates of guests' lines, for tests. */
  readonly deliveries?: DeliveryRates | undefined
  readonly log: Log
  /** Delivers copies to addresses that the guard allows. */
  readonly outbox: Pick<Outbox, 'put' | 'redirect' | 'drop'>
  readonly copyDelivery: DeliveryKind
  readonly guard: AddressGuard
  /** Address of the first application's copies; unchanged by default. */
  readonly copyUrl?: string | undefined
  /** Current root of the media listener. */
  readonly mediaRoot: () => string
  /** Current address of the client link. */
  readonly linkUrl: () => string
  /** The application of a channel; undefined for none. */
  readonly channelOwner: (cid: string) => number | undefined
  /** IANA time zone of the service. */
  readonly timeZone: string
  /** Origins whose pages may open the link. */
  readonly origins: readonly string[]
  /** Accounts may log in over readable connections; false by default. */
  readonly plainSignIn?: boolean | undefined
  /** Guests of the watch page, who log in like accounts. */
  readonly guests: Pick<Guests, 'find' | 'tokenMatches' | 'entered' | 'mayAsk' | 'attach'>
  readonly quarantine: FilesOptions['quarantine']
  readonly fileReads: FileReads
}

/** Messaging of every application: operations for the api listener, routes and client link for the media listener. */
export interface Messaging {
  readonly operations: readonly Served[]
  readonly rooms: Chatroom['rooms']
  /** Gives a quarantined upload a number again. */
  readonly adopt: Files['adopt']
  /** Routes of the media listener besides the pull streams. */
  readonly mediaRoutes: readonly FastifyPluginCallback[]
  /** Takes over a link connection whose Host and Origin were checked. */
  readonly link: Upgrade
  /** Ends every session; call before closing the listener, which waits for them. */
  closeLink(): Promise<void>
  /** Address of an application's copies. */
  copyUrl(uid: number): string | undefined
  /** Closes everything in reverse order. */
  close(): Promise<void>
}

/** Makes messaging; rejects when the store is broken, leaving nothing open. */
export async function createMessaging(options: MessagingOptions): Promise<Messaging> {
  const { store, applications, clock, random, log } = options
  const undo: (() => void | Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) {
      try {
        await step()
      } catch (error) {
        log.error({ err: error }, 'a part of messaging did not close cleanly')
      }
    }
  }
  try {
    // Nobody is connected before the link exists.
    let link: Link | undefined
    const sessions: AccountSessions & EventReceivers = {
      kick: (uid, accid, reason) => link?.kick(uid, accid, reason),
      online: (uid, accid) => link?.online(uid, accid) ?? [],
      tell: (uid, accid, push) => link?.tell(uid, accid, push),
      deliver: (event) => link?.deliver(event),
    }
    const files = await openFiles({
      db: store.db,
      dataDir: options.dataDir,
      clock,
      random,
      quarantine: options.quarantine,
    })
    const copies = await createCopies({ store, outbox: options.outbox })
    if (options.copyUrl !== undefined)
      await copies.set(options.uids[0]!, { ...copies.target(options.uids[0]!), url: options.copyUrl })
    const registered = await createAccounts({ store: createAccountsStore(store.db), clock, random })
    const accounts = withGuests(registered, options.guests)
    options.guests.attach({
      isAccount: (uid, accid) => registered.find(uid, accid) !== undefined,
      endSessions: (uid, accid) => void link?.kick(uid, accid, 'ended'),
      isOnline: (uid, accid) => (link?.online(uid, accid).length ?? 0) > 0,
    })

    const stream = await createMessagingStream({
      db: store.db,
      reads: store.reads,
      clock,
      log,
      receivers: sessions,
      memberships: { membershipsOf: (uid, accid) => teams.membershipsOf(uid, accid) },
      keep: (uid) => applications.byUid(uid)!.settings,
    })

    const storedRelations = await loadRelations(store.db)
    const lists = createSpecialLists(storedRelations.relations, { accounts, stream })
    const friends = createFriends(storedRelations, { db: store.db, accounts, lists, stream, copies, clock })

    const settingsOf = (uid: number) => applications.byUid(uid)!.settings
    const teams: Teams = await createTeams({
      db: store.db,
      accounts,
      relations: lists,
      stream,
      copies,
      limits: settingsOf,
      tell: (uid, accid, setting) => void sessions.tell(uid, accid, { t: 'settings', ...setting }),
      clock,
      random,
    })
    const words = await createWords(store.db)
    const sender = createSender({ stream, accounts, relations: lists, teams, copies, words })
    const recall = createRecall({
      stream,
      teams,
      clock,
      minutes: (uid) => applications.byUid(uid)!.settings.recallMinutes,
    })
    const chatroom = await createChatroom({
      ...options,
      db: store.db,
      reads: store.reads,
      accounts,
      copies,
      words,
      isGuest: (uid, accid) => options.guests.find(uid, accid) !== undefined,
      limits: settingsOf,
      historyDays: (uid) => settingsOf(uid).historyDays,
    })
    undo.push(() => chatroom.close())
    const retention = createRetention({ ...options, db: store.db, keep: (uid) => applications.byUid(uid)!.settings })
    undo.push(() => retention.close())

    const records = createLoginAudit(store.db, sessionCopies(copies), log, store.reads)
    undo.push(() => records.settled())
    undo.push(forgetOldRecords({ ...options, records, days: (uid) => settingsOf(uid).historyDays }))
    link = createLink({
      ...options,
      accounts,
      teams: linkTeams(teams),
      relations: lists,
      stream,
      records,
      handlers: {
        ...messageHandlers({ sender, recall, stream, teams, tell: (uid, accid, push) => link?.tell(uid, accid, push) }),
        ...relationHandlers({ accounts, friends, lists }),
        ...teamHandlers(teams),
        ...chatroom.handlers,
      },
      sessionEnded: chatroom.sessionEnded,
      entering: (uid, accid) => options.guests.entered(uid, accid),
      isGuest: (uid, accid) => options.guests.find(uid, accid) !== undefined,
      mayAsk: (uid, accid, kind, members) => options.guests.mayAsk(uid, accid, kind, members),
      isFrozen: (uid) => settingsOf(uid).frozen,
    })
    const { accept, close: closeLink } = link
    undo.push(closeLink)

    return {
      rooms: chatroom.rooms,
      adopt: (uid, path) => files.adopt(uid, path),
      operations: [
        ...fileOperations({ files, mediaRoot: options.mediaRoot }),
        ...copyOperations({ copies, delivery: options.copyDelivery, guard: options.guard, after: options.after }),
        ...accountOperations({ accounts, sessions, random }),
        ...relationOperations({ accounts, friends, lists }),
        ...teamOperations({ teams, accounts, teamSize: (uid) => settingsOf(uid).teamSize }),
        ...messageOperations({ sender, recall, accounts }),
        ...historyOperations({ stream, accounts, teams, clock }),
        ...wordOperations(words),
        ...chatroom.operations,
        ...linkOperations({ records, accounts, clock }),
      ],
      copyUrl: (uid) => copies.target(uid).url,
      mediaRoutes: [fileRoutes({ files, reads: options.fileReads })],
      link: accept,
      closeLink,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
