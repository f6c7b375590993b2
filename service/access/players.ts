import { isDeepStrictEqual } from 'node:util'
import { createHouseholdBytes } from './household-bytes.ts'
import { createHouseholdTally, type HouseholdTally, type OfHousehold } from './household-tally.ts'

/** On what ground somebody watches. */
export type Ground =
  /** Players on this computer, and the app's own previews. */
  | { readonly kind: 'free' }
  | { readonly kind: 'everybody' }
  | { readonly kind: 'passphrase'; readonly generation: number }
  | { readonly kind: 'link'; readonly linkId: number }
  /** The application's own link, as it is since a time. */
  | { readonly kind: 'own'; readonly since: number }
  /** A visit that proves that the reach works; it ends with any change of who may watch. */
  | { readonly kind: 'visit' }

/** The longest that a visit runs, and that its player and its guest stay, in ms. */
export const visitFor = 3 * 60_000

/** Whether a player takes a place and its bytes count. */
export const isCounted = ({ kind }: Ground): boolean => kind !== 'free' && kind !== 'visit'

/** Somebody who watches now. */
export interface Player {
  readonly cid: string
  readonly ground: Ground
  /** Ends it, within a turn. */
  readonly end: () => void
  /** Bytes sent so far, for the figure of the upload. */
  readonly sent?: () => number
  /** Tells browsers apart, as for HLS. */
  readonly key?: string
  /** Group of its address. */
  readonly from?: string | undefined
}

/** Who watches now, over all doors; HLS players are those that asked within some seconds. */
export type Players = ReturnType<typeof createPlayers>

/** HLS players remembered for a channel, and how long after their last request; ms. */
const maxPolling = 10_000
/** After this time without a request an HLS player has left; ms. */
const pollingFor = 15_000

/** A connection whose bytes are counted. */
interface Connected extends Player {
  /** Bytes that are counted. */
  noted: number
  /** When it came; monotonic ms. */
  readonly since: number
}
interface Polling {
  readonly ground: Ground
  readonly from: string | undefined
  readonly at: number
  readonly since: number
  /** The page that it is of; undefined where that is not known, or of several. */
  readonly page: string | undefined
}
/** Players of a channel that are counted, those of each household, and those of each named link. */
interface Counted {
  all: number
  readonly households: HouseholdTally
  readonly links: Map<number, number>
}

/** Makes it. */
export function createPlayers(
  clock: { monotonic(): number },
  /** Whether another service has the push of a channel: HLS players are led there, and take nothing here any more. */
  isElsewhere: (cid: string) => boolean = () => false,
) {
  const connected = new Map<string, Set<Connected>>()
  const polling = new Map<string, Map<string, Polling>>()
  const counted = new Map<string, Counted>()
  /** Bytes sent since the start, and in this month to each household. */
  let bytes = 0
  const households = createHouseholdBytes()
  const noteBytes = (ground: Ground, from: string | undefined, more: number): void => {
    if (more <= 0 || !isCounted(ground)) return
    bytes += more
    if (from !== undefined) households.add(from, more)
  }
  const noteSent = (player: Connected): void => {
    const now = player.sent?.() ?? 0
    noteBytes(player.ground, player.from, now - player.noted)
    player.noted = now
  }
  const noteAll = (): void => {
    for (const those of connected.values()) for (const player of those) noteSent(player)
  }

  /** Counts a player that came, or left. */
  const note = (cid: string, { ground, from }: Pick<Player, 'ground' | 'from'>, by: 1 | -1): void => {
    if (!isCounted(ground)) return
    let those = counted.get(cid)
    if (!those) counted.set(cid, (those = { all: 0, households: createHouseholdTally(), links: new Map() }))
    those.all += by
    if (from !== undefined) those.households.add(from, by)
    if (ground.kind === 'link') {
      const left = (those.links.get(ground.linkId) ?? 0) + by
      if (left > 0) those.links.set(ground.linkId, left)
      else those.links.delete(ground.linkId)
    }
    if (those.all === 0) counted.delete(cid)
  }
  const dropPolling = (cid: string, key: string): Polling | undefined => {
    const those = polling.get(cid)
    const one = those?.get(key)
    if (!those || !one) return undefined
    those.delete(key)
    if (those.size === 0) polling.delete(cid)
    note(cid, one, -1)
    return one
  }
  const forgetIdle = (cid: string): Map<string, Polling> | undefined => {
    const since = clock.monotonic() - pollingFor
    // In order of their last request.
    for (const [key, { at }] of polling.get(cid) ?? []) {
      if (at >= since && !isElsewhere(cid)) break
      dropPolling(cid, key)
    }
    return polling.get(cid)
  }
  const countedOf = (cid: string): Counted | undefined => {
    forgetIdle(cid)
    return counted.get(cid)
  }
  const channelsOf = (isMine: (cid: string) => boolean): string[] => [...counted.keys()].filter(isMine)

  return {
    /** Adds a connected player; the returned function removes it. */
    add(one: Player): () => void {
      const player: Connected = { ...one, noted: 0, since: clock.monotonic() }
      const { cid } = player
      let those = connected.get(cid)
      if (!those) connected.set(cid, (those = new Set()))
      those.add(player)
      note(cid, player, 1)
      return () => {
        if (!connected.get(cid)?.delete(player)) return
        if (connected.get(cid)?.size === 0) connected.delete(cid)
        note(cid, player, -1)
        noteSent(player)
      }
    },
    /** Notes a request of an HLS player, of a `page` if that is told; `key` tells players apart. Whether it is new. */
    polled(cid: string, key: string, ground: Ground, from?: string, page?: string): boolean {
      const known = dropPolling(cid, key)
      const isNew = !known
      const isOfAnother = known && page !== undefined && known.page !== page
      let those = polling.get(cid)
      if (those && those.size >= maxPolling) those = forgetIdle(cid)
      if (those && those.size >= maxPolling) return isNew
      if (!those) polling.set(cid, (those = new Map()))
      const one = {
        ground,
        from: known ? known.from : from,
        at: clock.monotonic(),
        since: (known ?? { since: clock.monotonic() }).since,
        page: isOfAnother ? undefined : (known ?? { page }).page,
      }
      those.set(key, one)
      note(cid, one, 1)
      return isNew
    },
    /** Whether somebody with this key watches now, over any door. */
    isThere: (cid: string, key: string): boolean =>
      [...(connected.get(cid) ?? [])].some((player) => player.key === key) || (forgetIdle(cid)?.has(key) ?? false),
    /** Whether such a player asked within the last seconds, and came on this ground. */
    isPollingBy(cid: string, key: string, ground: Ground): boolean {
      return isDeepStrictEqual(forgetIdle(cid)?.get(key)?.ground, ground)
    },
    /** The group of addresses that has the place of such a player. */
    pollingFrom: (cid: string, key: string): string | undefined => forgetIdle(cid)?.get(key)?.from,
    /** The page that such a player is of. */
    pollingFor: (cid: string, key: string): string | undefined => forgetIdle(cid)?.get(key)?.page,
    /** Whether such a player asked within the last seconds. */
    isPolling: (cid: string, key: string): boolean => forgetIdle(cid)?.has(key) ?? false,
    /** An HLS player changed to a connection, or its page was closed; the player, if it was there. */
    stopped(cid: string, key: string): Pick<Player, 'ground' | 'from'> | undefined {
      forgetIdle(cid)
      return dropPolling(cid, key)
    },
    /** Bytes of an answer to a viewer at a group of addresses. */
    sent(ground: Ground, from: string, more: number) {
      noteBytes(ground, from, more)
    },
    /** Players of a channel, without those that are free. */
    of: (cid: string): number => countedOf(cid)?.all ?? 0,
    /** As `of`, those of the household of a group of addresses. */
    placesOf: (cid: string, group: string): number => countedOf(cid)?.households.of(group).home ?? 0,
    /** As `of`, those of a named link; without a look at each player, as the list asks for every link. */
    ofLink: (cid: string, linkId: number): number => countedOf(cid)?.links.get(linkId) ?? 0,
    /** Channels with players that are counted, with how many there are in all and with each named link. */
    channels: (): [cid: string, counts: { readonly all: number; readonly links: Record<number, number> }][] =>
      channelsOf(() => true).flatMap((cid) => {
        const those = countedOf(cid)
        return those ? [[cid, { all: those.all, links: Object.fromEntries(those.links) }]] : []
      }),
    /** Players of the channels for which `isMine` holds, without those that are free. */
    all: (isMine: (cid: string) => boolean): number =>
      channelsOf(isMine).reduce((sum, cid) => sum + (countedOf(cid)?.all ?? 0), 0),
    /** As `all`, each that came since a time, in monotonic ms, in the order they came. */
    since(isMine: (cid: string) => boolean, from: number): { readonly since: number; readonly end: () => void }[] {
      const those = channelsOf(isMine).flatMap((cid) => [
        ...[...(connected.get(cid) ?? [])].filter(({ ground }) => isCounted(ground)),
        ...[...(forgetIdle(cid) ?? [])].flatMap(([key, { ground, since }]) =>
          isCounted(ground) ? [{ since, end: () => void dropPolling(cid, key) }] : [],
        ),
      ])
      return those.filter(({ since }) => since >= from).toSorted((one, two) => one.since - two.since)
    },
    /** As `all`, those of the household of a group of addresses. */
    ofHousehold(isMine: (cid: string) => boolean, group: string): OfHousehold {
      const those = channelsOf(isMine).map((cid) => countedOf(cid)?.households.of(group))
      const sum = (part: keyof OfHousehold): number => those.reduce((all, of) => all + (of?.[part] ?? 0), 0)
      return { home: sum('home'), site: sum('site') }
    },
    /** Bytes sent to viewers since the start, those of running connections included. */
    bytes(): number {
      noteAll()
      return bytes
    },
    /** Of them in this month those of the household of a group of addresses, at the last call of `bytes`. */
    bytesOf: households.of,
    monthBegan: households.clear,
    /** Ends the players of a channel that may not watch any more; how many. */
    review(cid: string, mayWatch: (ground: Ground) => boolean): number {
      let ended = 0
      for (const player of connected.get(cid) ?? [])
        if (!mayWatch(player.ground)) {
          ended += 1
          player.end()
        }
      for (const [key, { ground }] of forgetIdle(cid) ?? []) if (!mayWatch(ground) && dropPolling(cid, key)) ended += 1
      return ended
    },
  }
}
