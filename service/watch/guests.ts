import type { Kysely } from 'kysely'
import { guestPrefix } from '../../contract/guests.ts'
import { hashToken, tokenIs } from '../messaging/accounts/token-hash.ts'
import type { GuestTable, Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { signed } from './guest-cookie.ts'

/**
 * How long a guest lives, in ms: a day of watching. Guests are kept over restarts, so their lives end by the time of the computer: set ahead it ends
 * them, and the page makes itself a new place under the same name; set back it lets them live for as much longer.
 */
export const guestLife = 24 * 3600_000
/** How long a guest who never logged in is kept, in ms: the page logs in at once. */
export const unusedLife = 60_000
/** Guests at once over all rooms. For another one the guest goes who was made longest ago and never logged in, else one who is away. */
const maxGuests = 20_000

/** Somebody who watches without an account: known to the link and to one room only. */
export interface Guest {
  readonly uid: number
  readonly accid: string
  readonly roomid: number
  /** Begin in ms. */
  readonly created: number
}

/** Guests of the watch page. */
export interface Guests {
  /**
   * Gives a place in a room to who a browser is (`GuestCookies`), in memory until `entered`: always the same accid, so that what was done to a guest
   * holds over tabs and days. `refused` where the room takes none, `full` when all are here. Who has a place keeps it, with its token and what is
   * left of its life.
   */
  make(
    uid: number,
    roomid: number,
    identity: string,
  ): { readonly accid: string; readonly token: string; readonly life: number } | 'refused' | 'full'
  /** Whether an identity has a place in a room now. */
  has(uid: number, roomid: number, identity: string): boolean
  /** A guest logs in: kept durably from now on; nothing for anybody else. Rejects when it could not be stored. */
  entered(uid: number, accid: string): Promise<void>
  find(uid: number, accid: string): Guest | undefined
  /** Whether a token is the guest's, in constant time. */
  tokenMatches(uid: number, accid: string, token: string): boolean
  /** Whether somebody may make a request of the link: a guest only of its own room, while that takes guests. Everybody else always may. */
  mayAsk(uid: number, accid: string, kind: string, members: object): boolean
  /** Whether a room takes guests; it does unless that was turned off. */
  allowed(roomid: number): boolean
  /** Turns them on or off, durably; off ends those who are there. */
  allow(roomid: number, allowed: boolean): Promise<void>
  /** Puts the accounts in that a new guest must not be called like, and what ends sessions; to be called once. */
  attach(parts: GuestParts): void
}

/** What guests stand beside. */
export interface GuestParts {
  readonly isAccount: (uid: number, accid: string) => boolean
  readonly endSessions: (uid: number, accid: string) => void
  readonly isOnline: (uid: number, accid: string) => boolean
}

/** What a guest may ask on the link besides requests on its room. */
const plainKinds = new Set(['sync', 'received', 'ping', 'logout'])
/** Requests on a room that guests may make. */
const roomKinds = new Set(['roomEnter', 'roomLeave', 'roomSend', 'roomHistory', 'roomMembers'])

/** Reads which rooms take no guests and who is a guest still, so that viewers come back as themselves after a restart. Bounded by `most` and by their life. */
export async function createGuests(options: {
  readonly db: Kysely<Tables>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Buffer
  /** Signs accids and tokens (`loadGuestSecret`). */
  readonly secret: string
  /** Guests at once; for tests. */
  readonly most?: number
}): Promise<Guests> {
  const { db, clock, random, secret, most = maxGuests } = options
  const refusing = new Set((await db.selectFrom('guestRefusal').select('roomid').execute()).map(({ roomid }) => roomid))
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`
  const forgetStored = (executor: Kysely<Tables>) =>
    executor
      .deleteFrom('guest')
      .where('created', '<=', clock() - guestLife)
      .execute()
  await forgetStored(db)
  const stored = await db.selectFrom('guest').selectAll().orderBy('created').execute()
  // All live equally long, so the map's order is the order in which they expire.
  const guests = new Map<string, GuestTable>(stored.map((guest) => [keyOf(guest.uid, guest.accid), guest]))
  /** Made and never logged in, in the order in which they were made. */
  const unused = new Map<string, GuestTable>()
  let parts: GuestParts | undefined
  let someExpired = false
  /** Guests whose place was given away; their rows go with the next that are stored. */
  const gone: Guest[] = []

  const store = createWriteBatch<GuestTable>((made) =>
    db.transaction().execute(async (transaction) => {
      if (someExpired) await forgetStored(transaction)
      someExpired = false
      for (const { uid, accid } of gone.splice(0))
        await transaction.deleteFrom('guest').where('uid', '=', uid).where('accid', '=', accid).execute()
      await transaction
        .insertInto('guest')
        .orReplace()
        .values([...made])
        .execute()
    }),
  )
  const end = (guest: Guest): void => {
    guests.delete(keyOf(guest.uid, guest.accid))
    parts?.endSessions(guest.uid, guest.accid)
  }
  const forgetExpired = (): void => {
    const now = clock()
    for (const guest of guests.values()) {
      if (now - guest.created < guestLife) return
      someExpired = true
      end(guest)
    }
  }
  const forgetUnused = (): void => {
    const now = clock()
    for (const [key, guest] of unused) {
      // A clock that was set back keeps nobody for longer.
      if (now >= guest.created && now - guest.created < unusedLife) return
      unused.delete(key)
    }
  }
  /** Makes a place for one more; whether there is one. Only as many can be online as there are connections, so the search is short. */
  const makePlace = (): boolean => {
    if (guests.size + unused.size < most) return true
    for (const key of unused.keys()) {
      unused.delete(key)
      return true
    }
    for (const guest of guests.values())
      if (parts?.isOnline(guest.uid, guest.accid) !== true) {
        gone.push(guest)
        end(guest)
        return true
      }
    return false
  }
  const known = (key: string): GuestTable | undefined => guests.get(key) ?? unused.get(key)
  /** The same in one room, and another one in every other, so that nobody is followed from room to room. */
  const accidOf = (uid: number, roomid: number, identity: string, attempt = 0): string => {
    const accid = guestPrefix + signed(secret, 'accid', `${uid} ${roomid} ${identity} ${attempt}`).slice(0, 18)
    const other = known(keyOf(uid, accid))
    return (other !== undefined && other.roomid !== roomid) || parts?.isAccount(uid, accid)
      ? accidOf(uid, roomid, identity, attempt + 1)
      : accid
  }
  const tokenOf = ({ uid, accid, created }: Guest): string => signed(secret, 'token', `${uid} ${accid} ${created}`)
  /** Places that are being stored, so that two log-ins of one browser wait for the same. */
  const storing = new Map<string, Promise<void>>()

  return {
    make(uid, roomid, identity) {
      if (refusing.has(roomid)) return 'refused'
      forgetExpired()
      forgetUnused()
      const accid = accidOf(uid, roomid, identity)
      const there = known(keyOf(uid, accid))
      if (there) return { accid, token: tokenOf(there), life: there.created + guestLife - clock() }
      if (!makePlace()) return 'full'
      const created = clock()
      const token = tokenOf({ uid, accid, roomid, created })
      unused.set(keyOf(uid, accid), { uid, accid, roomid, created, kept: hashToken(token, random) })
      return { accid, token, life: guestLife }
    },
    async entered(uid, accid) {
      const key = keyOf(uid, accid)
      const guest = unused.get(key)
      if (!guest) return storing.get(key)
      // In memory first, so that a second log-in waits for the same.
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
      // The room was closed to guests meanwhile, or its place was given away.
      if (!guests.has(key)) await db.deleteFrom('guest').where('uid', '=', uid).where('accid', '=', accid).execute()
    },
    has: (uid, roomid, identity) => known(keyOf(uid, accidOf(uid, roomid, identity)))?.roomid === roomid,
    find(uid, accid) {
      const key = keyOf(uid, accid)
      const guest = known(key)
      if (!guest) return undefined
      if (clock() - guest.created < (guests.has(key) ? guestLife : unusedLife)) return guest
      if (!unused.delete(key)) {
        someExpired = true
        end(guest)
      }
      return undefined
    },
    tokenMatches(uid, accid, token) {
      const guest = known(keyOf(uid, accid))
      return guest !== undefined && tokenIs(guest.kept, token)
    },
    mayAsk(uid, accid, kind, members) {
      const guest = guests.get(keyOf(uid, accid))
      // Its sessions end with it, so a name that is not here is no guest's.
      if (!guest || plainKinds.has(kind)) return true
      return (
        roomKinds.has(kind) &&
        !refusing.has(guest.roomid) &&
        Number((members as { roomid?: unknown }).roomid) === guest.roomid
      )
    },
    allowed: (roomid) => !refusing.has(roomid),
    async allow(roomid, allowed) {
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
    attach(given) {
      parts = given
    },
  }
}
