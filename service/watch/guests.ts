import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import { guestPrefix } from '../../contract/guests.ts'
import type { Journal } from '../journal/journal.ts'
import { hashToken, tokenIs } from '../accounts/token-hash.ts'
import type { GuestTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { signed } from './guest-cookie.ts'
import type { GuestGround, GuestPass, GuestTokens } from './guest-tokens.ts'
import { removeExpired, writeGuests, type Guest, type GuestEdit, type GuestId } from './guests-store.ts'

/**
 * Life of a guest in ms: a day. Guests are kept across restarts, so it ends by the wall clock: set ahead it ends early,
 * and the page gets a new guest with the same name; set back it lasts as much longer.
 */
export const guestLife = 24 * 3600_000
/** How long a guest without log-in is kept, in ms: the page logs in at once. */
export const unusedLife = 60_000
/** The same at other services, where their tokens alone tell of them; longer, as clocks of machines differ. */
const unusedElsewhere = 2 * unusedLife
/** Guests over all rooms. Beyond it the oldest without log-in is replaced, else one that is offline. */
const maxGuests = 20_000

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
  readonly journal: Journal
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  /** Whether an account has a name that a new guest must not have. */
  readonly isAccount: (uid: number, accid: string) => boolean
  readonly sessions: GuestSessions
  /** Signs accids and tokens (`loadGuestSecret`). */
  readonly secret: string
  /** Where services share guests: tokens by which each knows those that others made. */
  readonly tokens?: GuestTokens | undefined
  /** Guests at once; for tests. */
  readonly most?: number
}) {
  const { db, journal, clock, random, isAccount, sessions, secret, tokens, most = maxGuests } = options
  const refusing = new Set((await db.selectFrom('guestRefusal').select('roomid').execute()).map(({ roomid }) => roomid))
  const keyOf = (uid: number, accid: string): string => `${uid} ${accid}`
  await removeExpired(db, clock.now() - guestLife)
  const stored = await db.selectFrom('guest').selectAll().orderBy('created').execute()
  // All have the same life, so insertion order is order of expiry.
  const guests = new Map<string, GuestTable>(stored.map((guest) => [keyOf(guest.uid, guest.accid), guest]))
  /** Guests without log-in, oldest first, that this service made or has seen a token of; and since when, in ms. */
  const unused = new Map<string, { readonly guest: GuestTable; readonly since: number }>()
  /** Those whose log-in is being stored, so that two log-ins of a browser share one write. */
  const entering = new Map<string, { readonly guest: GuestTable; readonly stored: Promise<void> }>()
  /** Who has expired or was replaced is so at once; their rows are deleted with the next log-in. */
  let someExpired = false
  const gone: GuestId[] = []

  const end = ({ uid, accid }: GuestId): void => {
    if (guests.delete(keyOf(uid, accid))) sessions.kick(uid, accid, 'ended')
  }
  const apply = (edit: GuestEdit): void => {
    switch (edit.kind) {
      case 'enter': {
        const { guest, before } = edit
        const key = keyOf(guest.uid, guest.accid)
        entering.delete(key)
        unused.delete(key)
        if (before !== null) for (const other of guests.values()) if (other.created <= before) end(other)
        for (const other of edit.gone) end(other)
        // Its room may take no guests any more.
        if (!refusing.has(guest.roomid)) guests.set(key, guest)
        return
      }
      case 'end':
        return end(edit)
      case 'allow':
        return void refusing.delete(edit.roomid)
      case 'refuse':
        refusing.add(edit.roomid)
        for (const guest of guests.values()) if (guest.roomid === edit.roomid) end(guest)
        for (const [key, { guest }] of unused) if (guest.roomid === edit.roomid) unused.delete(key)
        for (const [key, { guest }] of entering) if (guest.roomid === edit.roomid) entering.delete(key)
    }
  }
  const changes = journal.kind<GuestEdit>('guest', { store: writeGuests, apply })
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
    for (const [key, { since }] of unused) {
      // A clock set back keeps nobody longer.
      if (now >= since && now - since < unusedLife) return
      unused.delete(key)
    }
  }
  /** Frees a place; false if there is none. The search ends after as many as there are connections. */
  const makePlace = (): boolean => {
    if (guests.size + entering.size + unused.size < most) return true
    for (const key of unused.keys()) {
      unused.delete(key)
      return true
    }
    for (const guest of guests.values())
      if (sessions.online(guest.uid, guest.accid).length === 0) {
        gone.push({ uid: guest.uid, accid: guest.accid })
        end(guest)
        return true
      }
    return false
  }
  const inside = (key: string): GuestTable | undefined => guests.get(key) ?? entering.get(key)?.guest
  const known = (key: string): GuestTable | undefined => inside(key) ?? unused.get(key)?.guest
  /** Stable within a room and different in every other, so that nobody can be tracked across rooms. */
  const accidOf = (uid: number, roomid: number, identity: string, attempt = 0): string => {
    const accid = guestPrefix + signed(secret, 'accid', `${uid} ${roomid} ${identity} ${attempt}`).slice(0, 18)
    const other = known(keyOf(uid, accid))
    return (other !== undefined && other.roomid !== roomid) || isAccount(uid, accid)
      ? accidOf(uid, roomid, identity, attempt + 1)
      : accid
  }
  const tokenOf = ({ uid, accid, roomid, created }: Guest, came?: GuestGround): string =>
    tokens && came
      ? tokens.write(uid, accid, { ...came, roomid, created, issued: clock.now() })
      : signed(secret, 'token', `${uid} ${accid} ${created}`)
  const keepUnused = (guest: GuestTable): void => {
    const key = keyOf(guest.uid, guest.accid)
    unused.delete(key)
    unused.set(key, { guest, since: clock.now() })
  }
  const passOf = (uid: number, accid: string, token: string): GuestPass | undefined => {
    const pass = accid.startsWith(guestPrefix) ? tokens?.read(uid, accid, token) : undefined
    return pass && clock.now() - pass.created < guestLife ? pass : undefined
  }
  const enter = async (guest: GuestTable): Promise<void> => {
    const key = keyOf(guest.uid, guest.accid)
    const [before, others] = [
      someExpired ? clock.now() - guestLife : null,
      gone.splice(0).filter((other) => other.accid !== guest.accid),
    ]
    someExpired = false
    try {
      await changes.commit({ kind: 'enter', guest, gone: others, before })
    } catch (error) {
      someExpired ||= before !== null
      gone.push(...others)
      if (entering.delete(key)) keepUnused(guest)
      throw error
    }
    // The room stopped taking guests before.
    if (!guests.has(key)) await changes.commit({ kind: 'end', uid: guest.uid, accid: guest.accid })
  }

  return {
    /**
     * Gives a browser's identity (`GuestCookies`) a guest in a room, in memory until `entered`. Always the same accid,
     * so that measures hold over tabs and days. `refused` if the room takes no guests, `full` at the limit. An existing
     * guest keeps its remaining life, and its token, except where services share guests: there each token says on what
     * ground its page came.
     */
    make(
      uid: number,
      roomid: number,
      identity: string,
      came?: GuestGround,
    ): { readonly accid: string; readonly token: string; readonly life: number } | 'refused' | 'full' {
      if (refusing.has(roomid)) return 'refused'
      forgetExpired()
      forgetUnused()
      const accid = accidOf(uid, roomid, identity)
      const there = known(keyOf(uid, accid))
      if (there) return { accid, token: tokenOf(there, came), life: there.created + guestLife - clock.now() }
      if (!makePlace()) return 'full'
      const created = clock.now()
      const token = tokenOf({ uid, accid, roomid, created }, came)
      keepUnused({ uid, accid, roomid, created, kept: hashToken(token, random) })
      return { accid, token, life: guestLife }
    },
    /** Somebody is about to log in: a guest that another service made is known here from now on, by its token. */
    bring(uid: number, accid: string, token: string) {
      const pass = passOf(uid, accid, token)
      if (!pass || clock.now() - pass.issued >= unusedElsewhere) return
      forgetExpired()
      forgetUnused()
      const { roomid, created } = pass
      if (inside(keyOf(uid, accid)) || refusing.has(roomid) || isAccount(uid, accid) || !makePlace()) return
      keepUnused({ uid, accid, roomid, created, kept: hashToken(token, random) })
    },
    /** On what ground a guest came, and when its page was let in, in ms; undefined where its token does not say it. */
    passOf,
    /** A guest logs in: stored durably; ignores others. Rejects on a store error. */
    async entered(uid: number, accid: string): Promise<void> {
      const key = keyOf(uid, accid)
      const guest = unused.get(key)?.guest
      if (!guest) return entering.get(key)?.stored
      unused.delete(key)
      const stored = enter(guest)
      entering.set(key, { guest, stored })
      return stored
    },
    has: (uid: number, roomid: number, identity: string): boolean =>
      known(keyOf(uid, accidOf(uid, roomid, identity)))?.roomid === roomid,
    find(uid: number, accid: string): Guest | undefined {
      const key = keyOf(uid, accid)
      const guest = known(key)
      if (!guest) return undefined
      const since = inside(key) ? undefined : unused.get(key)?.since
      if (since === undefined ? clock.now() - guest.created < guestLife : clock.now() - since < unusedLife) return guest
      if (!unused.delete(key)) {
        someExpired = true
        end(guest)
      }
      return undefined
    },
    /** Compares a token in constant time. Where services share guests, one may have several that were given for it. */
    tokenMatches(uid: number, accid: string, token: string): boolean {
      const guest = known(keyOf(uid, accid))
      return guest !== undefined && (tokenIs(guest.kept, token) || passOf(uid, accid, token)?.roomid === guest.roomid)
    },
    /** Whether an account may make a link request: guests only in their room while it takes guests; others always. */
    mayAsk(uid: number, accid: string, kind: string, members: object): boolean {
      const guest = inside(keyOf(uid, accid))
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
    allow: (roomid: number, allowed: boolean): Promise<void> =>
      changes.commit({ kind: allowed ? 'allow' : 'refuse', roomid }),
  }
}

/** Guests of the watch page. */
export type Guests = Awaited<ReturnType<typeof createGuests>>
