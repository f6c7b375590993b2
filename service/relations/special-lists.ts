import type { Journal } from '../journal/journal.ts'
import { Refused } from '../refusal.ts'
import type { RelationTable } from '../storage/messaging-tables.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { EventStream } from '../events/event.ts'
import { writeRelation } from './relations-store.ts'

/** Kinds of lists (2-messaging, relationType). */
export const listKinds = { blacklist: 1, mute: 2 } as const
type ListKind = (typeof listKinds)[keyof typeof listKinds]
/** Entries of one list; beyond it 414. */
const maxEntries = 5000

/** All blacklists and mute lists, in memory. */
export interface SpecialLists {
  /** Messages of `other` to `owner` are not delivered (behaviour.md#blacklist-and-mute-list). */
  hasBlacklisted(uid: number, owner: string, other: string): boolean
  /** Messages of `other` are delivered without push or badge (behaviour.md#blacklist-and-mute-list). */
  hasQuieted(uid: number, owner: string, other: string): boolean
  listOf(uid: number, owner: string, kind: ListKind): string[]
  /** Changes a list and notifies the owner's devices; 414 for an unknown or the same account. */
  setListed(
    uid: number,
    entry: {
      readonly accid: string
      readonly target: string
      readonly kind: ListKind
      readonly on: boolean
      readonly origin?: string
    },
  ): Promise<void>
}

/** Makes them from the stored lists. */
export function createSpecialLists(
  stored: readonly RelationTable[],
  options: {
    readonly accounts: Pick<Accounts, 'must'>
    readonly journal: Journal
    readonly stream: Pick<EventStream, 'publish'>
  },
): SpecialLists {
  const { accounts, journal, stream } = options
  const lists: Record<ListKind, Map<string, Set<string>>> = { 1: new Map(), 2: new Map() }
  // accids have no spaces.
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`
  const apply = ({ uid, accid, target, kind }: RelationTable, on: boolean): void => {
    const kept = lists[kind as ListKind]
    const key = keyOf(uid, accid)
    const list = kept.get(key)
    if (on && list) list.add(target)
    else if (on) kept.set(key, new Set([target]))
    else if (list?.delete(target) && list.size === 0) kept.delete(key)
  }
  for (const row of stored) apply(row, true)
  const changes = journal.kind<{ readonly row: RelationTable; readonly on: boolean }>('relation', {
    store: (transaction, { row, on }) => writeRelation(transaction, row, on),
    apply: ({ row, on }) => apply(row, on),
  })
  const has = (uid: number, owner: string, other: string, kind: ListKind): boolean =>
    lists[kind].get(keyOf(uid, owner))?.has(other) ?? false

  return {
    hasBlacklisted: (uid, owner, other) => has(uid, owner, other, listKinds.blacklist),
    hasQuieted: (uid, owner, other) => has(uid, owner, other, listKinds.mute),
    listOf: (uid, owner, kind) => [...(lists[kind].get(keyOf(uid, owner)) ?? [])],
    async setListed(uid, { accid, target, kind, on, origin }) {
      accounts.must(uid, accid)
      accounts.must(uid, target)
      if (accid === target) throw new Refused(414, 'an account cannot be on its own list')
      if (has(uid, accid, target, kind) === on) return
      if (on && (lists[kind].get(keyOf(uid, accid))?.size ?? 0) >= maxEntries)
        throw new Refused(414, `the list has ${maxEntries} entries already`)
      const row: RelationTable = { uid, accid, target, kind }
      await stream.publish({
        uid,
        frame: { t: 'relation', accid: target, relation: kind, value: Number(on) },
        from: accid,
        to: { accids: [accid] },
        keep: { history: false, roam: true, offline: true },
        ...(origin !== undefined && { origin }),
        change: () => changes.ofEvent({ row, on }),
      })
    },
  }
}
