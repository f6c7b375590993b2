import { shallowRef } from 'vue'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import type { RoomNotice } from './room-log.ts'

interface Force {
  readonly accid: string
  readonly muted: boolean
  /** In ms; 0 for not muted temporarily. */
  readonly mutedUntil: number
  /** In ms; null for not blacklisted. */
  readonly blacklistedAt: number | null
}
interface ForceLists {
  readonly muted: readonly { readonly accid: string; readonly permanent: boolean; readonly seconds: number }[]
  readonly blacklisted: readonly { readonly accid: string; readonly at: number }[]
}

/** Remaining times are whole seconds: ends that differ by less, in ms, are the same. */
const sameWithin = 2_000

const none = (accid: string): Force => ({ accid, muted: false, mutedUntil: 0, blacklistedAt: null })

/** Reads all pages of a list. */
export async function allAccounts<T extends { readonly accid: string }>(
  read: (after: string | undefined) => Promise<{ readonly list: readonly T[]; readonly more: boolean }>,
): Promise<readonly T[]> {
  const list: T[] = []
  for (let more = true; more;) {
    const next = await read(list.at(-1)?.accid)
    list.push(...next.list)
    more = next.more
  }
  return list
}

/** Measures in force in the shown room. */
export function createRoomForce(now: () => number) {
  const all = shallowRef<ReadonlyMap<string, Force> | null>(null)
  let turn = 0
  const changeOf = ({ id, seconds }: RoomNotice): Partial<Force> | undefined => {
    switch (id) {
      case roomNotices.blacklisted:
        return { blacklistedAt: now() }
      case roomNotices.unblacklisted:
        return { blacklistedAt: null }
      case roomNotices.muted:
        return { muted: true }
      case roomNotices.unmuted:
        return { muted: false }
      case roomNotices.mutedForAWhile:
        return { mutedUntil: now() + (seconds ?? 0) * 1000 }
      case roomNotices.muteForAWhileLifted:
        return { mutedUntil: 0 }
      default:
        return undefined
    }
  }
  return {
    /** By account; null until read, and for a hosted profile. */
    all,
    /** Call before the request, and the result with the answer, which a newer notice makes void. */
    reading(): (lists: ForceLists) => void {
      const mine = turn
      return ({ muted, blacklisted }) => {
        if (mine !== turn) return
        const at = now()
        const read = new Map<string, Force>()
        for (const { accid, permanent, seconds } of muted) {
          const until = seconds > 0 ? at + seconds * 1000 : 0
          const before = all.value?.get(accid)?.mutedUntil ?? 0
          read.set(accid, {
            ...none(accid),
            muted: permanent,
            mutedUntil: until > 0 && Math.abs(until - before) < sameWithin ? before : until,
          })
        }
        for (const { accid, at: since } of blacklisted)
          read.set(accid, { ...(read.get(accid) ?? none(accid)), blacklistedAt: since })
        all.value = read
      }
    },
    noticed(notice: RoomNotice): void {
      const change = changeOf(notice)
      if (change === undefined) return
      turn += 1
      if (all.value === null) return
      const next = new Map(all.value)
      for (const accid of notice.target) {
        const force = { ...(next.get(accid) ?? none(accid)), ...change }
        if (force.muted || force.mutedUntil > 0 || force.blacklistedAt !== null) next.set(accid, force)
        else next.delete(accid)
      }
      all.value = next
    },
    clear(): void {
      turn += 1
      all.value = null
    },
  }
}

/** Measures in force. */
export type RoomForce = ReturnType<typeof createRoomForce>
