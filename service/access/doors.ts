import { addressGroup, householdOf } from '../../platform/address-group.ts'
import { isLoopback } from '../public-addresses.ts'
import type { RateRule } from '../../contract/operation.ts'
import { createRateLimiter } from '../http/rate-limiter.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Access } from './access.ts'
import { visitFor, type Ground, type Players } from './players.ts'
import { createBrokenOff, isBrokenOff, tooMuchBrokenOff, type BrokenOffOf } from './broken-off.ts'
import { basicPassword } from './basic-password.ts'
import { createHouseholdMedia } from './household-media.ts'
import { createPagePlayers } from './page-players.ts'
import { programOf } from './user-agent.ts'
import { hasProxyHeader } from '../http/proxy-headers.ts'
import { readTurn } from './turn-cookie.ts'
import { createPassphraseGuesses } from './passphrase-guesses.ts'
import { createPlaces } from './places.ts'
import { createViewerKeys } from './viewer-keys.ts'
import { full, linkFull, refusal, slowed, type LetIn, type TurnedAway } from './turned-away.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'
import type { Admission, DoorRequest, Visitor } from './visitor.ts'
import type { PlaceSeeker, WatchLimits } from './watch-limits.ts'

/**
 * Files of an HLS player where limits hold: some times what it needs, so that no place takes more than its share.
 * Players that cannot be told apart take further places beyond it, at most so many.
 */
const fileRules: readonly RateRule[] = [{ per: 'address', calls: 60, seconds: 10, code: 416, block: 0 }]
const maxPlacesOfKey = 64

/** Whether a Host, with or without port, names this computer by a loopback name. */
const isHereByName = (host: string): boolean => {
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  return name === 'localhost' || isLoopback(name.replace(/^\[|\]$/g, ''))
}

/** A player that connects. */
export interface EnteringPlayer {
  /** Ends it. */
  readonly end: () => void
  /** Bytes sent to it so far. */
  readonly sent?: () => number
  readonly agent?: string
  /** It comes over HTTP, as the pages do. */
  readonly isBrowser?: boolean
  readonly cookie?: string | undefined
  /** The page that plays it, as `pages.pageOf` has it. */
  readonly page?: string | undefined
}
/** Removes a player; `isOver` where the stream ended, not the player. Undefined when it found no room. */
export type Leave = ((isOver?: boolean) => void) | undefined

/** The doors by which viewers come: each asks here, and registers its players. */
export type Doors = ReturnType<typeof createDoors>

/** Makes them. */
export function createDoors(options: {
  readonly access: Access
  readonly limits: WatchLimits
  readonly players: Players
  readonly uidOf: (cid: string) => number | undefined
  readonly isOwn: (cid: string, headers: DoorRequest['headers']) => boolean
  /** Whether a visit that proves the reach runs in the browser of a request. */
  readonly isVisitor: (cid: string, headers: DoorRequest['headers']) => boolean
  readonly isPublic: () => boolean
  /** What another node let a player in for, by whose key it is told apart here. */
  readonly granted?: (cid: string, key: string, grant: string) => Ground | undefined
  /** Media that a player gets as it connects, in ms. */
  readonly cached: (cid: string) => number
  readonly clock: Clock
  /** Guesses of passphrases are counted there over all nodes. */
  readonly redis?: Pick<RedisScripts, 'run'> | undefined
}) {
  const { access, limits, players, uidOf, isOwn, isVisitor, isPublic, granted, cached, clock, redis } = options
  /** Whether somebody watches on this computer. Where others have an address, it may be a proxy that names nobody. */
  const isHere = (address: string, host: string): boolean => isLoopback(address) && !isPublic() && isHereByName(host)
  const isFromHere = ({ headers, client }: DoorRequest): boolean =>
    !client.passedOn && isHere(client.address, headers.host ?? '') && !hasProxyHeader(headers)
  // Apart: names that players choose push no address out of its limiter.
  const [guessed, byPlayer] = [createPassphraseGuesses(clock, redis), createRateLimiter(clock)]
  const visitorOf = (cid: string, request: DoorRequest, link: string | undefined): Visitor => ({
    isFree: isFromHere(request) || isOwn(cid, request.headers),
    isVisit: isVisitor(cid, request.headers),
    cookie: request.headers.cookie,
    link,
    passphrase: basicPassword(request.headers.authorization),
  })
  const seen = (cid: string, request: DoorRequest): Visitor => ({
    ...visitorOf(cid, request, undefined),
    passphrase: undefined,
  })
  /** As `admit`; whose link is full comes by the next right that lets in, unless it watches with the link already. */
  const admit = (cid: string, visitor: Visitor, key: string | undefined): Admission => {
    const first = access.admit(cid, visitor)
    if (!first.ok || access.hasRoom(cid, first.ground)) return first
    if (key !== undefined && players.isPollingBy(cid, key, first.ground)) return first
    const next = access.admit(cid, { ...visitor, isWithoutLink: true })
    return next.ok ? next : first
  }
  /** Asks with a passphrase that a player sent; wrong ones are counted. */
  const asked = async (cid: string, visitor: Visitor, subnet: string, key?: string): Promise<LetIn | TurnedAway> => {
    const at = admit(cid, visitor, key)
    if (at.ok) return at
    if (at.gate !== 'passphrase' || visitor.passphrase === undefined) return refusal(at)
    // A slowed address gets the same answer whatever it sends, or the answer would tell the right one.
    const found = guessed(access.isRemembered(cid, visitor.passphrase) ? 'exceeded' : 'take', subnet)
    const over = found instanceof Promise ? await found : found
    if (over) return slowed(over.seconds)
    const admission = await access.admitWith(cid, visitor, householdOf(subnet))
    if (admission === 'busy') return full
    if (admission === 'wrong') return refusal({ gate: 'passphrase' })
    return admission.ok ? admission : refusal(admission)
  }
  const viewerKey = createViewerKeys(clock)
  /** Tells HLS players apart. */
  const keyOf = (cid: string, { client, headers }: DoorRequest): string => viewerKey(cid, client.subnet, headers)
  /** Somebody who asks for a place; `page` is its id if the request says it. */
  const seekerOf = (cid: string, ground: Ground, request: DoorRequest, page: string | undefined): PlaceSeeker => ({
    page: page ?? readTurn(request.headers.cookie),
    key: keyOf(cid, request),
    from: request.client.subnet,
    ground,
  })
  const pages = createPagePlayers(clock)
  const { keep, hasRoom, isLimited, ...places } = createPlaces({ access, limits, players, pages, uidOf })
  const brokenOff = createBrokenOff({ clock, isLimited })
  /** What a player reads that found no place; one that plays, by `key`, has the place of its link already. */
  const fullFor = (cid: string, ground: Ground, key?: string): TurnedAway =>
    access.hasRoom(cid, ground) || (key !== undefined && players.isPolling(cid, key)) ? full : linkFull

  const householdMedia = createHouseholdMedia(clock)
  /** Whether a household may have what a player gets as it connects, which is counted then. */
  const hasMediaToBegin = (cid: string, ground: Ground, from: string): boolean => {
    if (!isLimited(cid, ground)) return true
    const places = players.placesOf(cid, from) + 1
    if (!householdMedia.hasLeft(cid, from, places)) return false
    householdMedia.take(cid, from, places, cached(cid))
    return true
  }
  /** Registers a player that connects from a group of addresses; undefined when there is no room for it. */
  const enterPlayer = (cid: string, ground: Ground, from: string, player: EnteringPlayer): Leave => {
    const page = player.page ?? readTurn(player.cookie)
    const key = player.isBrowser
      ? viewerKey(cid, from, { cookie: player.cookie, 'user-agent': player.agent })
      : undefined
    if (!access.mayWatch(cid, ground) || !hasMediaToBegin(cid, ground, from)) return undefined
    if (!hasRoom(cid, { page, key, from, ground })) return undefined
    access.used(cid, ground, programOf(player.agent))
    let isEnded = false
    const end = (): void => {
      isEnded = true
      player.end()
    }
    const cancel = ground.kind === 'visit' ? clock.after(visitFor, end) : undefined
    const leave = players.add({
      cid,
      ground,
      from,
      end,
      ...(player.sent && { sent: player.sent }),
      ...(key !== undefined && { key }),
    })
    const began = clock.monotonic()
    const known: BrokenOffOf = { cid, ground, from, name: player.page }
    const disconnected = brokenOff.connected(known, () => player.sent?.() ?? 0)
    return (isOver = false) => {
      cancel?.()
      leave()
      disconnected()
      const sent = player.sent?.() ?? 0
      brokenOff.sent(known, sent)
      if (!isOver && !isEnded && isBrokenOff(clock.monotonic() - began, sent)) brokenOff.count(known)
      if (page !== undefined) keep(cid, page, { ground, from })
    }
  }

  return {
    /** Whether a request may see a channel at all: its page and state. */
    look: (cid: string, request: DoorRequest): Admission => access.admit(cid, seen(cid, request)),
    /** As `look`, for who wants a place: by the next right that lets in where a link is full. */
    place: (cid: string, request: DoorRequest): Admission => admit(cid, seen(cid, request), keyOf(cid, request)),
    /** Whether a request may have media of a channel; `link` and `grant` are in its address. */
    ask(cid: string, request: DoorRequest, link: string | undefined, grant?: string): Promise<LetIn | TurnedAway> {
      const key = keyOf(cid, request)
      const ground = grant === undefined ? undefined : granted?.(cid, key, grant)
      const visitor = visitorOf(cid, request, link)
      const isFree = visitor.isFree || ground?.kind === 'free'
      return asked(cid, { ...visitor, isFree, grant: ground }, request.client.subnet, key)
    },
    /** As `ask`, for RTMP, where the stream name carries link and passphrase; `host` is that of tcUrl. */
    async askRtmp(
      cid: string,
      player: {
        readonly remote: string
        /** A PROXY header told `remote`. */
        readonly passedOn: boolean
        readonly host: string
        readonly link: string | undefined
        readonly passphrase: string | undefined
        readonly isGone: () => boolean
      },
    ): Promise<
      | { readonly ok: false; readonly sentence: string }
      | { readonly ok: true; readonly enter: (player: EnteringPlayer) => Leave; readonly noRoom: () => string }
    > {
      const visitor: Visitor = {
        isFree: !player.passedOn && isHere(player.remote, player.host || 'localhost'),
        link: player.link,
        passphrase: player.passphrase,
      }
      const from = addressGroup(player.remote)
      const entry = await asked(cid, visitor, from)
      if (!entry.ok) return entry
      const { ground } = entry
      if (!(await brokenOff.turn({ cid, ground, from }, player.isGone))) return tooMuchBrokenOff
      return {
        ok: true,
        enter: (entering) => enterPlayer(cid, ground, from, entering),
        noRoom: () => fullFor(cid, ground).sentence,
      }
    },
    /** A passphrase that a page sends. Wrong ones are counted; where nothing asks for it, it is not looked at. */
    enter: (cid: string, request: DoorRequest, passphrase: string): Promise<LetIn | TurnedAway> =>
      asked(cid, { isFree: false, passphrase }, request.client.subnet),
    enterPlayer,
    /** Registers a request for a playlist; false when there is no room for a new player. */
    poll(cid: string, ground: Ground, request: DoorRequest, key: string, page?: string): boolean {
      // It may have ended while the first playlist was waited for.
      if (!access.mayWatch(cid, ground)) return false
      const from = request.client.subnet
      if (!players.isPolling(cid, key)) {
        const seeker = { ...seekerOf(cid, ground, request, page), key }
        // A connection that the page tries meanwhile gives back its place where there is no other.
        const findsPlace = hasRoom(cid, seeker) || (page !== undefined && pages.connects(page) && hasRoom(cid, seeker))
        if (!findsPlace) {
          if (page !== undefined) pages.leaves(page)
          return false
        }
        access.used(cid, ground, programOf(request.headers['user-agent']))
      }
      players.polled(cid, key, ground, from, page)
      return true
    },
    /** As `poll`, for a request for a file with so much media, in ms. */
    pollFile(cid: string, ground: Ground, request: DoorRequest, key: string, media: number): boolean {
      if (!this.poll(cid, ground, request, key)) return false
      if (!isLimited(cid, ground)) return true
      // The household that has the place: a browser may ask by IPv4 and IPv6.
      const from = players.pollingFrom(cid, key) ?? request.client.subnet
      const takes = (who: string, places: number): boolean => {
        if (!householdMedia.hasLeft(cid, from, places)) return false
        if (byPlayer.take('segments', fileRules, { application: 0, address: who })) return false
        householdMedia.take(cid, from, places, media)
        return true
      }
      // A household that has had its share of the month's bytes is one player for it.
      if (!limits.hasBytes(uidOf(cid)!, { from, ground })) return takes(householdOf(from), 1)
      if (takes(`${cid} ${key}`, players.placesOf(cid, from))) return true
      for (let place = 2; place <= maxPlacesOfKey; place++) {
        const further = `${key} ${place}`
        if (!this.poll(cid, ground, request, further)) return false
        if (takes(`${cid} ${further}`, players.placesOf(cid, from))) return true
      }
      return false
    },
    /** Counts bytes of an answer to a viewer. */
    sent(player: BrokenOffOf, bytes: number) {
      players.sent(player.ground, player.from, bytes)
      brokenOff.sent(player, bytes)
    },
    /** A player broke off an answer. */
    brokeOff: brokenOff.count,
    /** Waits until a player may begin, where its household breaks off much; false when it may not. */
    turn: brokenOff.turn,
    /** A player is being sent an answer; the returned function is told its end. */
    connected: brokenOff.connected,
    /** What had its turn has ended. */
    turnEnded: brokenOff.ended,
    ...places,
    /** Whether as many as a link lets in watch with it; those who wait for it are not counted. */
    isLinkFull: (cid: string, ground: Ground): boolean => !access.hasRoom(cid, ground),
    /** Whether a link bounds its players. */
    isLinkLimited: access.isLimited,
    /** Whether there is a limit, so that pages are told apart. */
    isLimited,
    /** Whether a browser watches now, by what `keyOf` answered for it. */
    isThere: players.isThere,
    keyOf,
    seekerOf,
    /** What each watch page plays. */
    pages,
    mayWatch: access.mayWatch,
    fullFor,
  }
}
