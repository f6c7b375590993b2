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
import { programOf } from './user-agent.ts'

/** Guests of whom it is remembered on what ground they came; the oldest is forgotten and asked again. */
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

/** What the watch page asks of who may watch. */
export type WatchEntry = ReturnType<typeof createWatchEntry>

/** Makes it. */
export function createWatchEntry(options: {
  readonly access: Access
  readonly doors: Doors
  readonly cookies: EntryCookies
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  /** Root of the media side. */
  readonly mediaRoot: () => string
  /** Ends the sessions of a guest. */
  readonly endGuest: (uid: number, accid: string) => void
}) {
  const { access, doors, cookies, clock, random, mediaRoot, endGuest } = options
  const guests = new Map<
    string,
    {
      readonly uid: number
      readonly accid: string
      readonly cid: string
      readonly ground: Ground
      readonly made: number
    }
  >()

  const pagesWithGuest = createLru<true>(maxPagesWithGuest)
  /** Whether the pages around one may embed it: they may not any more once they are taken off the list. */
  const mayEmbed = (cid: string, around: readonly string[] | undefined): boolean => {
    const allowed = access.embedOrigins(cid)
    return around === undefined ? allowed.length > 0 : around.every((origin) => allowed.includes(origin))
  }

  return {
    /** Why a page is not let in, and the cookie of its turn while it is full. */
    look(
      cid: string,
      request: DoorRequest,
      { isFramed, around, isChat }: AskingPage,
    ): {
      readonly gate?: Gate | 'full' | 'embed'
      readonly linkOver?: 'ended' | 'revoked'
      readonly ahead?: number
      readonly isLinkFull?: true
      readonly takesPassphrase?: true
      readonly isShareFull?: true
      readonly cookie?: string
    } {
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
      // One that does not say which page it is, and has no cookie of its turn, has the key of all players of such a
      // browser at its address. None of them came with a link that bounds its players: those get the cookie with their
      // first look.
      const isTold = known !== undefined || !doors.isLinkLimited(cid, ground)
      if (doors.pages.isPlaying(cid, request.headers) ?? (isTold && doors.isPlaying(cid, request))) return {}
      const isLinkFull = doors.isLinkFull(cid, ground)
      const found = doors.seekerOf(cid, ground, request, page)
      const key = page === undefined ? undefined : doors.pages.keyOf(page)
      const seeker = { ...found, page: found.page ?? turn, key: key ?? found.key }
      // Without a new cookie, by which its player would not be known.
      if (!isLinkFull && doors.isKept(cid, seeker)) return {}
      const ahead = isLinkFull ? undefined : doors.ahead(cid, seeker)
      // From its first look on, so that its player is not taken for that of the same browser elsewhere.
      const isNew = known === undefined && doors.isLimited(cid, ground)
      return {
        ...(isLinkFull && { gate: 'full', isLinkFull }),
        // It would have come by the passphrase, if it had given that.
        ...(isLinkFull && access.row(cid).mode === 'passphrase' && { takesPassphrase: true }),
        ...(ahead !== undefined && { gate: 'full', ahead }),
        ...(ahead !== undefined && doors.isShareFull(cid, seeker) && { isShareFull: true }),
        ...(isNew && { cookie: writeTurn(turn, request.client.scheme === 'https', isFramed) }),
      }
    },
    /** A page is closed or loaded again. */
    leaves(cid: string, query: unknown) {
      const page = doors.pages.pageOf(cid, query)
      if (page !== undefined) doors.pageLeaves(cid, page)
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
      const key = `${uid} ${accid}`
      guests.delete(key)
      if (guests.size >= maxGuests) guests.delete(guests.keys().next().value!)
      guests.set(key, { uid, accid, cid, ground, made: clock.monotonic() })
    },
    /** Whether a guest of a channel's room may go on: one that is not remembered only where everybody may watch. */
    guestMay(uid: number, accid: string, cid: string): boolean {
      const known = guests.get(`${uid} ${accid}`)
      const ground: Ground = known?.cid === cid ? known.ground : { kind: 'everybody' }
      return access.mayWatch(cid, ground) && (ground.kind !== 'visit' || clock.monotonic() - known!.made < visitFor)
    },
    /** Ends guests of a channel who may not watch any more. */
    review(cid: string) {
      for (const [key, guest] of guests)
        if (guest.cid === cid && (guest.ground.kind === 'visit' || !access.mayWatch(cid, guest.ground))) {
          guests.delete(key)
          endGuest(guest.uid, guest.accid)
        }
    },
  }
}
