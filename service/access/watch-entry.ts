import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'
import type { Access } from './access.ts'
import { writeCalendar } from './calendar-file.ts'
import type { Doors } from './doors.ts'
import type { EntryCookies } from './entry-cookies.ts'
import type { DoorRequest, Gate } from './visitor.ts'
import { visitFor, type Ground } from './players.ts'
import type { TurnedAway } from './turned-away.ts'
import { makeTurn, readTurn, writeTurn } from './turn-cookie.ts'
import type { PageStanding, Standing } from './page-standing.ts'
import { programOf } from './user-agent.ts'

/**
 * Guests of whom it is remembered on what ground they came; the oldest that is not connected is forgotten, and asked
 * again. As many can be connected (`createGuests`).
 */
const maxGuests = 20_000
/** For so long viewers are told of a broadcast that was to begin and has not, in ms. */
const lateFor = 2 * 3_600_000

/** Pages of which it is remembered that they had a guest as they played. */
const maxPagesWithGuest = 20_000

/** What a page says of itself when it asks for the state. */
export interface AskingPage {
  readonly isFramed: boolean
  /** Origins of the pages around it; undefined where its browser does not tell them. */
  readonly around?: readonly string[] | undefined
  /** It shows the chat alone and plays nothing. */
  readonly isChat: boolean
}

/** What the token of a guest says of its ground; `issued` by the wall clock, in ms. */
export interface BroughtGround extends Pick<Guest, 'cid' | 'ground'> {
  readonly issued: number
}

/** Guests that are connected to this service. */
export interface GuestsHere {
  /** Each, with the channel to which its room belongs now; once for each of its sessions. */
  all(): Iterable<Pick<Guest, 'uid' | 'accid' | 'cid'>>
  has(uid: number, accid: string): boolean
  /** Ends the sessions of one; other services review their own. */
  end(uid: number, accid: string): void
  /** Calls it with each channel to which a room was linked. */
  onLinked(listener: (cid: string) => void): void
}

/** A guest, the ground on which its page was let in, and when that was; in ms. */
interface Guest {
  readonly uid: number
  readonly accid: string
  readonly cid: string
  readonly ground: Ground
  readonly made: number
}

/** Why a page is not let in, and the cookie of its turn while it is full. */
export interface LookedAt extends Omit<Standing, 'gate' | 'takesTurn'> {
  readonly gate?: Gate | 'full' | 'embed'
  readonly linkOver?: 'ended' | 'revoked'
  readonly cookie?: string
}

/** What the watch page asks of who may watch. */
export type WatchEntry = ReturnType<typeof createWatchEntry>

/** Makes it. */
export function createWatchEntry(options: {
  readonly access: Access
  readonly doors: Doors
  readonly standing: PageStanding
  readonly cookies: EntryCookies
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  /** Root of the media side. */
  readonly mediaRoot: () => string
  readonly here: () => Omit<GuestsHere, 'onLinked'>
}) {
  const { access, doors, standing, cookies, clock, random, mediaRoot, here } = options
  const guests = new Map<string, Guest>()

  /** Forgets the oldest that is not connected; others become the newest, so that few are looked at the next time. */
  const forgetOne = (): void => {
    let left = guests.size
    for (const [key, guest] of guests) {
      if (left-- === 0) return
      guests.delete(key)
      if (!here().has(guest.uid, guest.accid)) return
      guests.set(key, guest)
    }
  }
  const remember = (one: Guest): void => {
    const key = `${one.uid} ${one.accid}`
    guests.delete(key)
    if (guests.size >= maxGuests) forgetOne()
    guests.set(key, one)
  }
  const mayGo = ({ cid, ground, made }: Pick<Guest, 'cid' | 'ground' | 'made'>): boolean =>
    access.mayWatch(cid, ground) && (ground.kind !== 'visit' || clock.monotonic() - made < visitFor)

  /** Whether a guest of a channel's room may go on: one that is not remembered only where everybody may watch. */
  const guestMay = (uid: number, accid: string, cid: string): boolean => {
    const known = guests.get(`${uid} ${accid}`)
    return known?.cid === cid ? mayGo(known) : access.mayWatch(cid, { kind: 'everybody' })
  }

  const pagesWithGuest = createLru<true>(maxPagesWithGuest)
  /** Whether the pages around one may embed it: they may not any more once they are taken off the list. */
  const mayEmbed = (cid: string, around: readonly string[] | undefined): boolean => {
    const allowed = access.embedOrigins(cid)
    return around === undefined ? allowed.length > 0 : around.every((origin) => allowed.includes(origin))
  }

  return {
    /** Why a page is not let in, and the cookie of its turn while it is full. */
    look(cid: string, request: DoorRequest, { isFramed, around, isChat }: AskingPage): LookedAt | Promise<LookedAt> {
      if (isFramed && !mayEmbed(cid, around)) return { gate: 'embed' }
      const admission = isChat ? doors.look(cid, request) : doors.place(cid, request)
      if (!admission.ok) {
        const { gate, linkOver } = admission
        return { gate, ...(gate === 'passphrase' && linkOver && { linkOver }) }
      }
      if (isChat) return {}
      const known = readTurn(request.headers.cookie)
      const turn = known ?? makeTurn(random)
      const { ground } = admission
      const page = doors.pages.ofHeaders(cid, request.headers)
      // From its first look on, so that its player is not taken for that of the same browser elsewhere.
      const isNew = known === undefined && doors.isLimited(cid, ground)
      const withCookie = ({ takesTurn, ...found }: Standing): LookedAt => ({
        ...found,
        ...(takesTurn && isNew && { cookie: writeTurn(turn, request.client.scheme === 'https', isFramed) }),
      })
      const about = { cid, ground, from: request.client.subnet, key: doors.keyOf(cid, request), turn }
      const found = standing.of({ ...about, isKnown: known !== undefined, ...(page !== undefined && { page }) })
      return found instanceof Promise ? found.then(withCookie) : withCookie(found)
    },
    /** A page is closed or loaded again. */
    leaves(cid: string, query: unknown) {
      const page = doors.pages.pageOf(cid, query)
      if (page !== undefined) standing.leaves(cid, page)
    },
    /** The ground on which a page may have a guest; undefined when it may not watch. */
    ground(cid: string, request: DoorRequest): Ground | undefined {
      const admission = doors.look(cid, request)
      return admission.ok ? admission.ground : undefined
    },
    /** Whether a page asks for a guest that plays, and had none before as it played. */
    isPlayerWithoutGuest(cid: string, { headers }: DoorRequest): boolean {
      const page = doors.pages.ofHeaders(cid, headers)
      return (
        page !== undefined && doors.pages.isPlaying(cid, headers) === true && pagesWithGuest.get(page) === undefined
      )
    },
    /** Checks a passphrase: the cookie, none where no passphrase was asked for, or why not. */
    async enter(
      cid: string,
      request: DoorRequest,
      passphrase: string,
      isFramed: boolean,
    ): Promise<string | undefined | TurnedAway> {
      const entered = await doors.enter(cid, request, passphrase)
      if (!entered.ok) return entered
      // Of the generation that was checked: only who gave the passphrase gets a cookie that says so.
      const { ground } = entered
      if (ground.kind !== 'passphrase') return undefined
      const entryOf = { ...access.row(cid), generation: ground.generation }
      return cookies.passphrase(entryOf, request.client.scheme === 'https', isFramed)
    },
    /**
     * The cookie of a named link. Undefined for a token that is not one of this channel, and for a link that lets nobody
     * in where the browser is let in without it: it would take away what the browser has.
     */
    withLink(cid: string, token: string, request: DoorRequest): string | undefined {
      if (access.readToken(cid, token) === undefined) return undefined
      const brought = access.admit(cid, { isFree: false, link: token })
      const letsIn = brought.ok && brought.ground.kind !== 'everybody' && access.hasRoom(cid, brought.ground)
      if (!letsIn && doors.place(cid, request).ok) return undefined
      return cookies.link(cid, token, request.client.scheme === 'https')
    },
    /** Notes that a page came with a named link. */
    used(cid: string, ground: Ground, agent: string | undefined) {
      access.used(cid, ground, programOf(agent))
    },
    embedOrigins: access.embedOrigins,
    /** What viewers are told of the next broadcast, also while it is late. */
    next(cid: string): { readonly next?: number; readonly nextTitle?: string } {
      const { next, nextTitle } = access.row(cid)
      return next === null || next + lateFor <= clock.now() ? {} : { next, ...(nextTitle !== null && { nextTitle }) }
    },
    /** Calendar file of the next broadcast; undefined when none is announced, or for somebody who may not watch. */
    calendar(cid: string, name: string, request: DoorRequest): string | undefined {
      if (!doors.look(cid, request).ok) return undefined
      const { next, nextTitle } = access.row(cid)
      if (next === null || next <= clock.now()) return undefined
      return writeCalendar({
        cid,
        title: nextTitle ?? name,
        next,
        url: `${mediaRoot()}/watch/${cid}`,
        now: clock.now(),
      })
    },
    /** A guest was made for a page of somebody who may watch. */
    guestMade(uid: number, accid: string, cid: string, ground: Ground, headers: DoorRequest['headers']) {
      const page = doors.pages.ofHeaders(cid, headers)
      if (page !== undefined) pagesWithGuest.set(page, true)
      remember({ uid, accid, cid, ground, made: clock.monotonic() })
    },
    /**
     * A guest of a channel's room logs in here, where its sessions are reviewed: on the ground that its token brings;
     * on the one that is known, where that is no longer good; else as everybody.
     */
    guestCame(uid: number, accid: string, cid: string, brought: BroughtGround | undefined) {
      const isKnown = guests.get(`${uid} ${accid}`)?.cid === cid
      const now = clock.monotonic()
      if (brought?.cid === cid) {
        const one = { uid, accid, cid, ground: brought.ground, made: now - Math.max(0, clock.now() - brought.issued) }
        if (!isKnown || mayGo(one)) remember(one)
      } else if (!isKnown) remember({ uid, accid, cid, ground: { kind: 'everybody' }, made: now })
    },
    guestMay,
    /** Ends guests of a channel who are connected here and may not watch any more; those of a visit in any case. */
    review(cid: string) {
      for (const [key, guest] of guests)
        if (guest.cid === cid && (guest.ground.kind === 'visit' || !access.mayWatch(cid, guest.ground))) {
          guests.delete(key)
          here().end(guest.uid, guest.accid)
        }
      // Others too: their room may have come to this channel after them.
      const over = [...here().all()].filter((one) => one.cid === cid && !guestMay(one.uid, one.accid, cid))
      for (const { uid, accid } of over) here().end(uid, accid)
    },
  }
}
