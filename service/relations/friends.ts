import type { Clock } from '../../platform/clock.ts'
import { friendCopy, type ClientKind } from '../../contract/callbacks/copy-builders.ts'
import type { Journal } from '../journal/journal.ts'
import { Refused } from '../refusal.ts'
import type { FriendTable } from '../storage/messaging-tables.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { ConversationCopies, EventStream } from '../events/event.ts'
import { createFriendBook } from './friend-book.ts'
import { writeFriends, type FriendChange, type StoredRelations } from './relations-store.ts'
import type { SpecialLists } from './special-lists.ts'

/** 1 adds at once, 2 asks, 3 accepts, 4 rejects, 5 ends a friendship. */
export type FriendAction = 1 | 2 | 3 | 4 | 5
/** Friends of an account; beyond it 414. */
const maxFriends = 5000

/** An action of an account. */
export interface FriendAct {
  readonly accid: string
  readonly other: string
  readonly action: FriendAction
  readonly msg?: string | undefined
  readonly clientType: ClientKind
  readonly device?: string | undefined
  /** The acting link session, which gets no push. */
  readonly origin?: string | undefined
}

/** All friendships, in memory. */
export interface Friends {
  /** Friends of an account by last change. */
  friendsOf(uid: number, accid: string): FriendTable[]
  areFriends(uid: number, accid: string, other: string): boolean
  /**
   * Acts and notifies both sides; 414 for an unknown or the same account, or if there is no friendship to end.
   * Accepting or rejecting without a request, and asking a friend, changes nothing (behaviour.md#answers-of-messaging).
   * A blacklisted account notices no difference.
   */
  act(uid: number, act: FriendAct): Promise<void>
  /** Changes alias and extension; 414 unless they are friends. */
  rename(uid: number, accid: string, friend: string, values: Partial<Pick<FriendTable, 'alias' | 'ex'>>): Promise<void>
}

/** Makes it from the stored friendships. */
export function createFriends(
  stored: Pick<StoredRelations, 'friends' | 'requests'>,
  options: {
    readonly journal: Journal
    readonly accounts: Pick<Accounts, 'must'>
    readonly lists: Pick<SpecialLists, 'hasBlacklisted'>
    readonly stream: Pick<EventStream, 'publish'>
    readonly copies: ConversationCopies
    readonly clock: Clock
  },
): Friends {
  const { journal, accounts, lists, stream, copies, clock } = options
  const book = createFriendBook(stored)
  const changes = journal.kind<FriendChange>('friend', { store: writeFriends, apply: book.apply })
  const notFriends = (): never => {
    throw new Refused(414, 'they are not friends')
  }

  /** Change of an action; undefined for none. */
  const changeOf = (uid: number, { accid, other, action }: FriendAct): FriendChange | undefined => {
    const mine = { uid, accid, friend: other }
    const theirs = { uid, accid: other, friend: accid }
    const are = book.side(mine) !== undefined
    const begin = (): FriendChange => {
      for (const one of [accid, other])
        if (book.count(uid, one) >= maxFriends) throw new Refused(414, `${one} has ${maxFriends} friends already`)
      const changed = clock.now()
      return {
        friends: [mine, theirs].map((side) => ({ ...side, alias: '', ex: '', changed })),
        settled: book.asked(mine, theirs),
      }
    }
    switch (action) {
      case 1:
        return are ? undefined : begin()
      case 2:
        return are ? undefined : { requests: [{ ...mine, at: clock.now() }], settled: book.displaced(mine) }
      case 3:
        return are || book.asked(theirs).length === 0 ? undefined : begin()
      case 4:
        return book.asked(theirs).length === 0 ? undefined : { settled: [theirs] }
      case 5:
        return are ? { ended: [mine, theirs] } : notFriends()
    }
  }

  return {
    friendsOf: (uid, accid) => book.of(uid, accid),
    areFriends: (uid, accid, other) => book.side({ uid, accid, friend: other }) !== undefined,
    async act(uid, act) {
      const { accid, other, action, msg, clientType, device, origin } = act
      const { name } = accounts.must(uid, accid)
      accounts.must(uid, other)
      if (accid === other) throw new Refused(414, 'an account cannot be its own friend')
      // A direct addition is the decision of the developer's server.
      const hidden =
        lists.hasBlacklisted(uid, other, accid) && (action === 2 || (action === 1 && clientType !== 'REST'))
      const change = changeOf(uid, act)
      if (!change) return
      await stream.publish({
        uid,
        frame: { t: 'friend', from: accid, to: other, type: action, ...(msg !== undefined && { msg }) },
        from: accid,
        to: { accids: [other, accid] },
        keep: { history: false, roam: true, offline: true },
        ...(hidden && { hidden }),
        ...(origin !== undefined && { origin }),
        async inTransaction(transaction, { seq, at }) {
          if (!copies.wants(uid, 1)) return
          const notice = {
            to: other,
            from: accid,
            clientType,
            device,
            nick: name,
            at,
            msgid: seq,
            type: action,
            text: msg,
          }
          await copies.enqueue(transaction, uid, friendCopy(notice))
        },
        ...(!hidden && { change: () => changes.ofEvent(change) }),
      })
    },
    async rename(uid, accid, friend, values) {
      accounts.must(uid, accid)
      accounts.must(uid, friend)
      if (!book.side({ uid, accid, friend })) notFriends()
      if (Object.keys(values).length === 0) return
      await changes.commit({ renamed: [{ uid, accid, friend, ...values, changed: clock.now() }] })
    },
  }
}
