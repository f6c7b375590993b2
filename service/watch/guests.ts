import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import { guestPrefix } from '../../contract/guests.ts'
import { hashToken, tokenIs } from '../accounts/token-hash.ts'
import type { GuestTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { signed } from './guest-cookie.ts'

/**
 * Life of a guest in ms: a day. Guests are kept across restarts, so it ends by the wall clock: set ahead it ends early,
 * and the page gets a new guest with the same name; set back it lasts as much longer.
 */
export const guestLife = 24 * 3600_000
/** How long a guest without log-in is kept, in ms: the page logs in at once. */
export const unusedLife = 60_000
/** Guests over all rooms. Beyond it the oldest without log-in is replaced, else one that is offline. */
const maxGuests = 20_000

/** A viewer without an account, known to the link and one room only. */
export type Guest = Readonly<Omit<GuestTable, 'kept'>>

/** Sessions of the link as guests need them. */
export interface GuestSessions {
  kick(uid: number, accid: string, reason: 'ended'): unknown
  /** Kinds of client with which a guest is connected; empty when it is not. */
  online(uid: number, accid: string): readonly string[]
}

/** Link requests of guests outside of rooms. */
const plainKinds = new Set(['sync', 'received', 'ping', 'logout'])
/** Link requests of guests on their room. */
const roomKinds = new Set(['roomEnter', 'roomLeave', 'roomSend', 'roomHistory', 'roomMembers'])

/** Reads guests, so that viewers keep their identity across a restart. Bounded by `most` and by their life. */
export async function createGuests(options: {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  /** Whether an account has a name that a new guest must not have. */
  readonly isAccount: (uid: number, accid: string) => boolean
  readonly sessions: GuestSessions
  /** Signs accids and tokens (`loadGuestSecret`). */
  readonly secret: string
  /** Guests at once; for tests. */
  readonly most?: number
}) {
  const { db, clock, random, isAccount, sessions, secret, most = maxGuests } = options
  const refusing = new Set((await db.selectFrom('guestRefusal').select('roomid').execute()).map(({ roomid }) => roomid))
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`
  const forgetStored = (executor: Kysely<Tables>) =>
    executor
      .deleteFrom('guest')
      .where('created', '<=', clock.now() - guestLife)
      .execute()
  await forgetStored(db)
  const stored = await db.selectFrom('guest').selectAll().orderBy('created').execute()
  // All have the same life, so insertion order is order of expiry.
  const guests = new Map<string, GuestTable>(stored.map((guest) => [keyOf(guest.uid, guest.accid), guest]))
  /** Guests without log-in, oldest first. */
  const unused = new Map<string, GuestTable>()
  let someExpired = false
  /** Replaced guests; their rows are deleted with the next write. */
  const gone: Guest[] = []

  const store = createWriteBatch<GuestTable>((made) =>
    db.transaction().execute(async (transaction) => {
      if (someExpired) await forgetStored(transaction)
      someExpired = false
      for (const { uid, accid } of gone.splice(0))
        await transaction.deleteFrom('guest').where('uid', '=', uid).where('accid', '=', accid).execute()
      await transaction
        .insertInto('guest')
        .values([...made])
        .onConflict((conflict) =>
          conflict.column('accid').doUpdateSet(({ ref }) => ({
            uid: ref('excluded.uid'),
            roomid: ref('excluded.roomid'),
            kept: ref('excluded.kept'),
            created: ref('excluded.created'),
          })),
        )
        .execute()
    }),
  )
  const end = (guest: Guest): void => {
    guests.delete(keyOf(guest.uid, guest.accid))
    sessions.kick(guest.uid, guest.accid, 'ended')
  }
  const forgetExpired = (): void => {
    const now = clock.now()
    for (const guest of guests.values()) {
      if (now - guest.created < guestLife) return
      someExpired = true
      end(guest)
    }
  }
  const forgetUnused = (): void => {
    const now = clock.now()
    for (const [key, guest] of unused) {
      // A clock set back keeps nobody longer.
      if (now >= guest.created && now - guest.created < unusedLife) return
      unused.delete(key)
    }
  }
  /** Frees a place; false if there is none. The search ends after as many as there are connections. */
  const makePlace = (): boolean => {
    if (guests.size + unused.size < most) return true
    for (const key of unused.keys()) {
      unused.delete(key)
      return true
    }
    for (const guest of guests.values())
      if (sessions.online(guest.uid, guest.accid).length === 0) {
        gone.push(guest)
        end(guest)
        return true
      }
    return false
  }
  const known = (key: string): GuestTable | undefined => guests.get(key) ?? unused.get(key)
  /** Stable within a room and different in every other, so that nobody can be tracked across rooms. */
  const accidOf = (uid: number, roomid: number, identity: string, attempt = 0): string => {
    const accid = guestPrefix + signed(secret, 'accid', `${uid} ${roomid} ${identity} ${attempt}`).slice(0, 18)
    const other = known(keyOf(uid, accid))
    return (other !== undefined && other.roomid !== roomid) || isAccount(uid, accid)
      ? accidOf(uid, roomid, identity, attempt + 1)
      : accid
  }
  const tokenOf = ({ uid, accid, created }: Guest): string => signed(secret, 'token', `${uid} ${accid} ${created}`)
  /** Guests being stored, so that two log-ins of a browser share one write. */
  const storing = new Map<string, Promise<void>>()

  return {
    /**
     * Gives a browser's identity (`GuestCookies`) a guest in a room, in memory until `entered`. Always the same accid,
     * so that measures hold over tabs and days. `refused` if the room takes no guests, `full` at the limit. An existing
     * guest keeps its token and remaining life.
     */
    make(
      uid: number,
      roomid: number,
      identity: string,
    ): { readonly accid: string; readonly token: string; readonly life: number } | 'refused' | 'full' {
      if (refusing.has(roomid)) return 'refused'
      forgetExpired()
      forgetUnused()
      const accid = accidOf(uid, roomid, identity)
      const there = known(keyOf(uid, accid))
      if (there) return { accid, token: tokenOf(there), life: there.created + guestLife - clock.now() }
      if (!makePlace()) return 'full'
      const created = clock.now()
      const token = tokenOf({ uid, accid, roomid, created })
      unused.set(keyOf(uid, accid), { uid, accid, roomid, created, kept: hashToken(token, random) })
      return { accid, token, life: guestLife }
    },
    /** A guest logs in: stored durably; ignores others. Rejects on a store error. */
    async entered(uid: number, accid: string): Promise<void> {
      const key = keyOf(uid, accid)
      const guest = unused.get(key)
      if (!guest) return storing.get(key)
      // In memory first, so that a second log-in waits for the same write.
      unused.delete(key)
      guests.set(key, guest)
      const stored = store(guest)
      storing.set(key, stored)
      try {
        await stored
      } catch (error) {
        if (guests.delete(key)) unused.set(key, guest)
        throw error
      } finally {
        storing.delete(key)
      }
      // The room stopped taking guests meanwhile, or the guest was replaced.
      if (!guests.has(key)) await db.deleteFrom('guest').where('uid', '=', uid).where('accid', '=', accid).execute()
    },
    has: (uid: number, roomid: number, identity: string): boolean =>
      known(keyOf(uid, accidOf(uid, roomid, identity)))?.roomid === roomid,
    find(uid: number, accid: string): Guest | undefined {
      const key = keyOf(uid, accid)
      const guest = known(key)
      if (!guest) return undefined
      if (clock.now() - guest.created < (guests.has(key) ? guestLife : unusedLife)) return guest
      if (!unused.delete(key)) {
        someExpired = true
        end(guest)
      }
      return undefined
    },
    /** Compares a token in constant time. */
    tokenMatches(uid: number, accid: string, token: string): boolean {
      const guest = known(keyOf(uid, accid))
      return guest !== undefined && tokenIs(guest.kept, token)
    },
    /** Whether an account may make a link request: guests only in their room while it takes guests; others always. */
    mayAsk(uid: number, accid: string, kind: string, members: object): boolean {
      const guest = guests.get(keyOf(uid, accid))
      // Unknown names are not guests: their sessions end with them.
      if (!guest || plainKinds.has(kind)) return true
      return (
        roomKinds.has(kind) &&
        !refusing.has(guest.roomid) &&
        Number((members as { roomid?: unknown }).roomid) === guest.roomid
      )
    },
    /** Whether a room takes guests; true by default. */
    allowed: (roomid: number): boolean => !refusing.has(roomid),
    /** Turns guests on or off durably; off ends those present. */
    async allow(roomid: number, allowed: boolean): Promise<void> {
      if (allowed) {
        await db.deleteFrom('guestRefusal').where('roomid', '=', roomid).execute()
        refusing.delete(roomid)
        return
      }
      await db
        .insertInto('guestRefusal')
        .values({ roomid })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      refusing.add(roomid)
      for (const guest of guests.values()) if (guest.roomid === roomid) end(guest)
      for (const [key, guest] of unused) if (guest.roomid === roomid) unused.delete(key)
      await db.deleteFrom('guest').where('roomid', '=', roomid).execute()
    },
  }
}

/** Guests of the watch page. */
export type Guests = Awaited<ReturnType<typeof createGuests>>
