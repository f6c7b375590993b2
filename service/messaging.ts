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

/** What messaging is made of. */
export interface MessagingOptions {
  readonly store: Store
  readonly applications: Applications
  /** Numbers of the applications served by this start. */
  readonly uids: readonly number[]
  readonly dataDir: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A clock in ms that never jumps. */
  readonly monotonic: () => number
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Buffer
  /** Calls after a while in ms; returns what takes it back. */
  readonly after: (ms: number, call: () => void) => () => void
  /** Whose time requests take. */
  readonly budget: TimeBudget
  /** Time that guests' lines may take; the usual one when absent. */
  readonly deliveries?: DeliveryRates | undefined
  readonly log: Log
  /** Carries copies, as `copyDelivery` says, to addresses that the guard lets through. */
  readonly outbox: Pick<Outbox, 'put' | 'redirect' | 'drop'>
  readonly copyDelivery: DeliveryKind
  readonly guard: AddressGuard
  /** Receive address of the first application's copies from this start on; as it was when absent. */
  readonly copyUrl?: string | undefined
  /** Root of the media listener as it is reached now. */
  readonly mediaRoot: () => string
  /** The client link as it is reached now. */
  readonly linkUrl: () => string
  /** The application that a channel belongs to; undefined for none. */
  readonly channelOwner: (cid: string) => number | undefined
  /** IANA name of the service's time zone. */
  readonly timeZone: string
  /** Origins of pages that may open the link. */
  readonly origins: readonly string[]
  /** Accounts may log in where their token could be read on the way; not when absent. */
  readonly plainSignIn?: boolean | undefined
  /** Those of the watch page, who log in beside the accounts. */
  readonly guests: Pick<Guests, 'find' | 'tokenMatches' | 'entered' | 'mayAsk' | 'attach'>
  readonly quarantine: FilesOptions['quarantine']
  readonly fileReads: FileReads
}

/** Messaging of every application: operations for the api listener, routes and the client link for the media listener. */
export interface Messaging {
  readonly operations: readonly Served[]
  readonly rooms: Chatroom['rooms']
  /** Gives an uploaded file that was set aside a number again. */
  readonly adopt: Files['adopt']
  /** Routes of the media listener besides the pull streams. */
  readonly mediaRoutes: readonly FastifyPluginCallback[]
  /** Serves the client link: takes over a connection whose Host and Origin are right. */
  readonly link: Upgrade
  /** Ends every session of the link; before its listener closes, which waits for them. */
  closeLink(): Promise<void>
  /** Receive address of an application's copies. */
  copyUrl(uid: number): string | undefined
  /** Undoes everything in reverse order. */
  close(): Promise<void>
}

/** Builds messaging in the order of dependence; rejects when the store is broken, and leaves nothing behind. */
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
    // Nobody is connected until the link stands below.
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
