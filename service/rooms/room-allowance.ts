import type { Clock } from '../../platform/clock.ts'
import { speakingLimits } from '../../contract/link/rooms.ts'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import { createTokenBucket, type TokenBucket } from '../../platform/token-bucket.ts'
import { createLru, type Lru } from '../../platform/lru.ts'

/** Accounts and addresses remembered; the least recent is forgotten, full again by then. */
const maxAccounts = 50_000
const maxAddresses = 10_000

/** Who speaks over the link. */
export interface Speaker {
  readonly uid: number
  readonly accid: string
  readonly subnet: string
}
/** What is said; its bytes go to every reader. */
export interface Spoken {
  readonly lines: number
  readonly bytes: number
}

/** Limits what accounts and addresses say in rooms (`speakingLimits`). */
export interface RoomAllowance {
  /** Charges account and address; if either is empty, charges neither and returns the seconds to wait. */
  take(speaker: Speaker, spoken: Spoken): number
}

interface Buckets {
  readonly lines: TokenBucket
  readonly bytes: TokenBucket
}

/** Makes full allowances. */
export function createRoomAllowance(clock: Pick<Clock, 'monotonic'>): RoomAllowance {
  const accounts = createLru<Buckets>(maxAccounts)
  const addresses = createLru<Buckets>(maxAddresses)
  const bucketsOf = (
    known: Lru<Buckets>,
    key: string,
    { lines, bytes }: (typeof speakingLimits)[keyof typeof speakingLimits],
  ): Buckets =>
    known.of(key, () => ({ lines: createTokenBucket(clock, lines), bytes: createTokenBucket(clock, bytes) }))
  return {
    take({ uid, accid, subnet }, { lines, bytes }) {
      const all = [bucketsOf(accounts, `${uid} ${accid}`, speakingLimits.account)]
      // This computer may be a proxy for many clients.
      if (!isLoopbackGroup(subnet)) all.push(bucketsOf(addresses, subnet, speakingLimits.address))
      const wait = Math.max(...all.map((each) => Math.max(lines > 0 ? each.lines.wait() : 0, each.bytes.wait())))
      if (wait > 0) return Math.ceil(wait / 1000)
      for (const each of all) {
        each.lines.spend(lines)
        each.bytes.spend(bytes)
      }
      return 0
    },
  }
}
