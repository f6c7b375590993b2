import type { Clock } from '../../platform/clock.ts'
import type { Applications } from '../applications.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { FileReads } from '../http/file-reads.ts'
import type { Sessions } from '../link/sessions.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../log.ts'
import type { AddressGuard } from '../outbox/address-guard.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { DeliveryKind } from '../outbox/outbox-options.ts'
import type { Store } from '../storage/store.ts'
import { accountOperations, type AccountSessions } from '../accounts/account-operations.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { copyOperations } from '../copies/copy-operations.ts'
import { createCopies } from '../copies/copies.ts'
import { fileOperations } from '../files/file-operations.ts'
import { fileRoutes } from '../files/file-routes.ts'
import { openFiles, type FilesOptions } from '../files/files.ts'
import { openSharedFiles } from '../files/shared-files.ts'
import { linkTeams, relationHandlers, teamHandlers } from './link-handlers.ts'
import { historyOperations } from '../messages/history-operations.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MessageCounts } from '../events/message-counts.ts'
import { messageHandlers } from '../messages/message-handlers.ts'
import { messageOperations } from '../messages/message-operations.ts'
import { createRecall } from '../messages/recall.ts'
import { createSender } from '../messages/sender.ts'
import { createFriends } from '../relations/friends.ts'
import { relationOperations } from '../relations/relation-operations.ts'
import { loadRelations } from '../relations/relations-store.ts'
import { createSpecialLists } from '../relations/special-lists.ts'
import type { DatabaseCounts } from '../storage/database-counts.ts'
import { createRetention } from '../stream/retention.ts'
import { createMessagingStream } from '../stream/stream.ts'
import { teamOperations } from '../teams/team-operations.ts'
import { createTeams } from '../teams/teams.ts'
import { createTeamRegistry } from '../teams/teams-registry.ts'
import { loadTeams } from '../teams/teams-store.ts'
import { wordOperations } from '../words/word-operations.ts'
import { createWords } from '../words/words.ts'

/** Builds operations, routes and what the client link serves, in the order of dependence. */
export async function createMessaging(options: {
  readonly store: Store
  readonly journal: Journal
  readonly jobs?: Jobs
  readonly applications: Applications
  /** Applications served by this start. */
  readonly uids: readonly number[]
  readonly dataDir: string
  /** Where uploads are that several services share; in the data folder when absent. */
  readonly blobs?: Blobs | undefined
  readonly clock: Clock
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  /** Those who may sign in, guests among them. */
  readonly accounts: Accounts
  readonly sessions: Pick<Sessions, 'online' | 'tell'> & Pick<AccountSessions, 'kick'>
  /** Delivers copies to addresses that the guard allows. */
  readonly outbox: Pick<Outbox, 'put' | 'redirect' | 'drop'>
  readonly copyDelivery: DeliveryKind
  readonly guard: AddressGuard
  /** Address of the first application's copies; unchanged by default. */
  readonly copyUrl?: string | undefined
  readonly mediaRoot: () => string
  readonly quarantine: FilesOptions['quarantine']
  readonly fileReads: FileReads
  readonly messageCounts?: MessageCounts | undefined
  readonly databaseCounts?: DatabaseCounts | undefined
}) {
  const { store, journal, applications, accounts, sessions, clock, random } = options
  const settingsOf = (uid: number) => applications.byUid(uid)!.settings
  const base = { ...options, db: store.db, reads: store.reads, keep: settingsOf, limits: settingsOf }
  const shared = options.blobs && (await openSharedFiles({ ...base, blobs: options.blobs }))
  const files = shared?.files ?? (await openFiles(base))
  const copies = await createCopies(base)
  if (options.copyUrl !== undefined)
    await copies.set(options.uids[0]!, { ...copies.target(options.uids[0]!), url: options.copyUrl })
  const registry = createTeamRegistry(await loadTeams(store.db))
  const stream = await createMessagingStream({ ...base, memberships: registry })
  const stored = await loadRelations(store.db)
  const lists = createSpecialLists(stored.relations, { accounts, journal, stream })
  const friends = createFriends(stored, { ...base, lists, stream, copies })
  const teams = createTeams({
    ...base,
    registry,
    relations: lists,
    stream,
    copies,
    tell: (uid, accid, setting) => void sessions.tell(uid, accid, { t: 'settings', ...setting }),
  })
  const words = await createWords(store.db, journal)
  const sender = createSender({ stream, accounts, relations: lists, teams, copies, words })
  const recall = createRecall({ stream, teams, clock, minutes: (uid) => settingsOf(uid).recallMinutes })
  const handlers = {
    ...messageHandlers({ sender, recall, stream, teams, tell: sessions.tell }),
    ...relationHandlers({ accounts, friends, lists }),
    ...teamHandlers(teams),
  }
  const made = {
    operations: [
      ...fileOperations({ files, mediaRoot: options.mediaRoot }),
      ...copyOperations({ copies, delivery: options.copyDelivery, guard: options.guard, clock }),
      ...accountOperations({ accounts, sessions, random }),
      ...relationOperations({ accounts, friends, lists }),
      ...teamOperations({ teams, accounts, teamSize: (uid) => settingsOf(uid).teamSize }),
      ...messageOperations({ sender, recall, accounts }),
      ...historyOperations({ stream, accounts, teams, clock }),
      ...wordOperations(words),
    ],
    /** Gives a quarantined upload a number again. */
    adopt: (uid: number, path: string) => files.adopt(uid, path),
    mediaRoutes: [fileRoutes({ files, reads: options.fileReads })],
    /** What the client link works with. */
    link: { stream, teams: linkTeams(teams), relations: lists, handlers },
    copies,
    words,
  }
  // The last step, as it begins to run by itself.
  const retention = createRetention(base)
  return {
    ...made,
    async close() {
      await shared?.close()
      await retention.close()
    },
  }
}
