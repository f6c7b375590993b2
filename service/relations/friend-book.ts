import type { FriendTable } from '../storage/messaging-tables.ts'
import type { FriendChange, StoredRelations } from './relations-store.ts'

/** Pending requests to one account; beyond it the oldest is dropped. */
const maxRequests = 1000

/** One direction between two accounts. */
type Pair = Pick<FriendTable, 'uid' | 'accid' | 'friend'>

/** Friendships and requests, in memory, made from the stored rows. */
export function createFriendBook(stored: Pick<StoredRelations, 'friends' | 'requests'>) {
  // accids have no spaces.
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`
  const friends = new Map<string, Map<string, FriendTable>>()
  /** By asked account, then by sender, in order. */
  const requests = new Map<string, Map<string, Pair>>()
  const put = <T>(of: Map<string, Map<string, T>>, key: string, name: string, value: T): void => {
    const known = of.get(key)
    // Moved to the end: the map is ordered by last change.
    known?.delete(name)
    if (known) known.set(name, value)
    else of.set(key, new Map([[name, value]]))
  }
  const drop = <T>(of: Map<string, Map<string, T>>, key: string, name: string): void => {
    const known = of.get(key)
    if (known?.delete(name) && known.size === 0) of.delete(key)
  }
  const side = ({ uid, accid, friend }: Pair): FriendTable | undefined => friends.get(keyOf(uid, accid))?.get(friend)

  const apply = ({
    friends: begun = [],
    renamed = [],
    ended = [],
    requests: asked = [],
    settled = [],
  }: FriendChange): void => {
    for (const { uid, accid, friend } of ended) drop(friends, keyOf(uid, accid), friend)
    for (const { uid, accid, friend } of settled) drop(requests, keyOf(uid, friend), accid)
    for (const row of begun) if (!side(row)) put(friends, keyOf(row.uid, row.accid), row.friend, row)
    for (const values of renamed) {
      const known = side(values)
      if (known) put(friends, keyOf(known.uid, known.accid), known.friend, { ...known, ...values })
    }
    for (const { uid, accid, friend } of asked) put(requests, keyOf(uid, friend), accid, { uid, accid, friend })
  }
  apply({ friends: stored.friends, requests: stored.requests })

  return {
    /** One side of a friendship. */
    side,
    /** Sides of an account by last change. */
    of: (uid: number, accid: string): FriendTable[] =>
      [...(friends.get(keyOf(uid, accid))?.values() ?? [])].sort((one, other) => one.changed - other.changed),
    count: (uid: number, accid: string): number => friends.get(keyOf(uid, accid))?.size ?? 0,
    /** Those pairs that are requests. */
    asked: (...pairs: readonly Pair[]): Pair[] =>
      pairs.filter(({ uid, accid, friend }) => requests.get(keyOf(uid, friend))?.has(accid)),
    /** The request dropped for this one at the limit. */
    displaced({ uid, accid, friend }: Pair): Pair[] {
      const waiting = requests.get(keyOf(uid, friend))
      return waiting && waiting.size >= maxRequests && !waiting.has(accid) ? [waiting.values().next().value!] : []
    },
    apply,
  }
}
