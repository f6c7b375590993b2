import { systemClock, type Clock } from '../../../platform/clock.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConversationCopy } from '../../../contract/callbacks/copy.ts'
import { silentLog } from '../../log.ts'
import { createMemoryJournal } from '../../journal/memory-journal.ts'
import { madeAgain } from '../../journal/testing/made-again.ts'
import { messagingSettings } from '../../storage/schema.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import { createAccountsStore } from '../../accounts/accounts-store.ts'
import { createAccounts } from '../../accounts/accounts.ts'
import type { StoredEvent } from '../../events/event.ts'
import { createMessagingStream } from '../../stream/stream.ts'
import { createFriends, type FriendAction } from '../friends.ts'
import { loadRelations } from '../relations-store.ts'
import { createSpecialLists } from '../special-lists.ts'

/** The application of the tests. */
export const uid = 7

/** Friends and lists over a real store and stream; events and copies are recorded. */
export async function createRelationsRig(dataDir = mkdtempSync(join(tmpdir(), 'sidestage-relations-'))) {
  const store = await openStore(dataDir)
  let now = 1_800_000_000_000
  const clock: Clock = { ...systemClock, now: () => ++now }
  const journal = madeAgain(createMemoryJournal(store))
  const accounts = await createAccounts({
    store: createAccountsStore(store.db),
    journal,
    clock,
    random: (bytes) => Buffer.alloc(bytes, 1),
  })
  const events: StoredEvent[] = []
  const copied: ConversationCopy[] = []
  const faults = { copies: false }
  const stream = await createMessagingStream({
    db: store.db,
    clock,
    log: silentLog,
    memberships: { membershipsOf: () => [] },
    keep: () => ({ historyDays: 30, roamingDays: 7, offlineDays: 7 }),
  })
  stream.on((event) => void events.push(event))
  const stored = await loadRelations(store.db)
  const lists = createSpecialLists(stored.relations, { accounts, journal, stream })
  const copies = {
    wants: () => true,
    enqueue: (_transaction: unknown, _uid: number, copy: ConversationCopy) =>
      faults.copies
        ? Promise.reject(new Error('the outbox is broken'))
        : Promise.resolve(copied.push(copy)).then(() => undefined),
  }
  const friends = createFriends(stored, { journal, accounts, lists, stream, copies, clock })
  return {
    store,
    accounts,
    lists,
    friends,
    events,
    copied,
    faults,
    clock,
    /** Registers accounts. */
    async people(...accids: readonly string[]): Promise<void> {
      await store.db
        .insertInto('application')
        .values({
          uid,
          name: 'main',
          created: 0,
          ownerPresent: 1,
          liveEnabled: 1,
          vodEnabled: 1,
          frozen: 0,
          oneTimeCheckSum: 0,
          pushLifeDays: 30,
          localTargets: null,
          recordingDays: 0,
          recordingGigabytes: 0,
          recordingLinkHours: 24,
          ...messagingSettings,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await Promise.all(accids.map((accid) => accounts.create(uid, accid, 'token', { name: accid.toUpperCase() })))
    },
    /** Acts through the API. */
    act: (accid: string, action: FriendAction, other: string, msg?: string) =>
      friends.act(uid, { accid, other, action, msg, clientType: 'REST' }),
    /** Acts on the link. */
    actOnLink: (accid: string, action: FriendAction, other: string) =>
      friends.act(uid, { accid, other, action, clientType: 'PC', device: 'd1', origin: 'session-1' }),
    friendsOf: (accid: string) => friends.friendsOf(uid, accid).map(({ friend }) => friend),
    /** Reopens with what was stored. */
    async again() {
      await store.close()
      return createRelationsRig(dataDir)
    },
    async close(): Promise<void> {
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A rig of the tests. */
export type RelationsRig = Awaited<ReturnType<typeof createRelationsRig>>
