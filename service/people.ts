import type { UndoStack } from '../platform/undo-stack.ts'
import { createAccountsStore } from './accounts/accounts-store.ts'
import { createAccounts } from './accounts/accounts.ts'
import type { ApplicationSettings } from './applications.ts'
import type { NodeCommands } from './bus/node-commands.ts'
import { createOwnDirectory, createSessionDirectory } from './link/session-directory.ts'
import { createLoginAudit, forgetOldRecords } from './link/login-audit.ts'
import { createMessaging } from './messaging/messaging.ts'
import { sessionCopies } from './messaging/session-copies.ts'
import { createChatroom } from './rooms/chatroom.ts'
import { withGuests } from './watch/guest-accounts.ts'
import { loadGuestSecret } from './watch/guest-cookie.ts'
import { createGuestTokens } from './watch/guest-tokens.ts'
import { createGuests } from './watch/guests.ts'

type MessagingOptions = Parameters<typeof createMessaging>[0]
type RoomOptions = Parameters<typeof createChatroom>[0]
type Base = Omit<MessagingOptions, 'accounts' | 'sessions' | 'mediaRoot'> &
  Pick<RoomOptions, 'deliveries' | 'channelOwner'> &
  Omit<RoomOptions, 'accounts' | 'copies' | 'words' | 'isGuest' | 'limits' | 'historyDays' | 'linkUrl'>

/** Messaging, rooms and what the link needs; guests of the watch page are accounts among the others. */
export async function createPeople(
  base: Base & {
    readonly addresses: () => { readonly media: string; readonly link: string }
    readonly settingsOf: (uid: number) => ApplicationSettings
    readonly commands: NodeCommands
    readonly applied: () => number
    readonly undo: UndoStack
  },
) {
  const { db, journal, reads, clock, random, log, outbox, copyDelivery, guard, copyUrl, fileReads, undo } = base
  const { addresses, settingsOf, channelOwner, deliveries, presence } = base
  const directory = presence ? createSessionDirectory({ ...base, presence }) : createOwnDirectory()
  const { sessions, kick } = directory
  const kicking = { ...sessions, kick }
  const registered = await createAccounts({
    store: createAccountsStore(db),
    journal,
    clock,
    random,
    ended: (uid, accid, why) => void sessions.kick(uid, accid, why),
  })
  const secret = await loadGuestSecret(db, random)
  const tokens = presence && createGuestTokens(secret)
  const isAccount = (uid: number, accid: string): boolean => registered.find(uid, accid) !== undefined
  const guests = await createGuests({ ...base, secret, tokens, sessions: kicking, isAccount })
  const isGuest = (uid: number, accid: string): boolean => guests.find(uid, accid) !== undefined
  const accounts = withGuests(registered, guests)
  const messaging = await createMessaging({
    ...base,
    accounts,
    sessions: kicking,
    outbox,
    copyDelivery,
    guard,
    copyUrl,
    mediaRoot: () => addresses().media,
    fileReads,
  })
  undo.push(() => messaging.close())
  const { copies, words } = messaging
  const chatroom = await createChatroom({
    ...base,
    accounts,
    copies,
    words,
    isGuest,
    deliveries,
    limits: settingsOf,
    historyDays: (uid) => settingsOf(uid).historyDays,
    linkUrl: () => addresses().link,
    channelOwner,
  })
  undo.push(() => chatroom.close())
  await presence?.start()
  const records = createLoginAudit(db, sessionCopies(copies), log, reads)
  undo.push(() => records.settled())
  undo.push(forgetOldRecords({ ...base, records, days: (uid) => settingsOf(uid).historyDays }))
  return { sessions, secret, guests, isGuest, accounts, messaging, chatroom, records }
}
